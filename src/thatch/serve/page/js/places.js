/** Where a sentence is from: chips for file, page, time and speaker. */

import { make } from "./dom.js";

/**
 * One chip per fact about the place of a sentence; a click shows its source.
 * @param {object} sentence of an answer
 * @param {{isNamed: boolean, passage: number | undefined}} options whether to name its
 *   document, and the number of the passage, if it is known
 * @returns {HTMLElement[]}
 */
export function chipNodes(sentence, { isNamed, passage }) {
  const texts = placeTexts(sentence, isNamed);
  if (!texts.length) return [];
  const label = `Source: ${texts.join(", ")}`;
  const chips = texts.map((text) => make("span", { class: "chip" }, text));
  if (passage === undefined) return [make("span", { class: "place" }, ...chips)];
  const attributes = { type: "button", class: "place", "data-source": passage, title: label };
  return [make("button", attributes, ...chips)];
}

function placeTexts({ document, page, speaker, time, line }, isNamed) {
  const name = typeof document === "string" ? document : `document ${document + 1}`;
  const isLine = !page && !time && line;
  return [
    ...(isNamed ? [name] : []),
    ...(page ? [`p. ${page}`] : []),
    ...(speaker ? [speaker] : []),
    ...(time ? [time] : []),
    ...(isLine ? [`line ${line}`] : []),
  ];
}
