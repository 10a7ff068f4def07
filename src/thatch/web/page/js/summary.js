/** The summary, its cost, and its proven gap. */

import { byId, make, setText } from "./dom.js";
import { formatCount, formatMeasure, formatNumber, formatShare } from "./formats.js";
import { announce } from "./messages.js";
import { debounced } from "./latest.js";
import { makeTabStop, makePointable } from "./pointing.js";
import { isEmpty, isOtherTask } from "./session.js";
import { addsUp } from "./settings.js";
import { chosenPassages } from "./source.js";
import { isMatching } from "./state.js";

const DEBOUNCE_MILLISECONDS = 700;
const EXPORTS = ["copy", "save-text", "save-markdown", "save-json"];
const SHOWN = "summary shown";
// Smaller gaps are rounding errors.
const SMALLEST_GAP = 1e-6;

/**
 * Show the summary.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {ReturnType<import("./pointing.js").createPointing>} pointing
 * @param {{onClick: (passage: number) => void, onEnter: (passage: number) => void}} options
 */
export function startSummary(state, pointing, options) {
  const text = byId("summary-text");
  // While the slider moves, nothing is announced.
  const announceQuietly = debounced(DEBOUNCE_MILLISECONDS, announce);
  makePointable(text, pointing, options);

  state.onChange((now, before) => {
    const isOther = now.summary !== before.summary || now.analysis !== before.analysis
      || now.documents !== before.documents || now.isOpening !== before.isOpening;
    byId("summary").setAttribute("aria-busy", String(now.isWorking));
    showStaleness(now);
    if (!isOther) return;
    show(text, now);
    markPointed(pointing.get());
    if (now.summary !== before.summary) announceQuietly(byId("summary-line").textContent);
  });
  pointing.onChange(markPointed);
  function markPointed({ passage }) {
    for (const element of text.querySelectorAll("[data-passage]")) {
      element.classList.toggle("pointed", Number(element.dataset.passage) === passage);
    }
  }
}

/**
 * Coverage of the text, in words.
 * @param {number} share
 * @param {{query: string}} settings
 * @returns {string}
 */
export function coverageLine(share, { query }) {
  const what = query ? "the content related to your query" : "the content";
  return `${formatShare(share)} of ${what}`;
}

/**
 * Whether a gap is more than a rounding error.
 * @param {number} gap
 * @returns {boolean}
 */
export function isGap(gap) {
  return gap >= SMALLEST_GAP;
}

/**
 * The proven gap, in words.
 * @param {{value: number, upper_bound: number, gap: number}} answer
 * @param {{unit: string, by: string}} settings
 * @returns {string}
 */
export function certificate({ value, upper_bound, gap }, settings) {
  const condition = addsUp(settings) ? "" : ", if costs are added up passage by passage";
  if (!isGap(gap)) {
    return `Proven optimal: no selection within the budget covers more${condition}.`;
  }
  if (!(value > 0)) return "";
  const more = formatShare(upper_bound / value - 1);
  return `Proven: no selection within the budget covers more than ${more} more${condition}.`;
}

/** Mark a summary of other settings as stale. */
function showStaleness(state) {
  const isOld = state.summary !== null && isOtherTask(state, state.summary);
  byId("summary").classList.toggle("is-stale", isOld);
  byId("summary-stale").hidden = !isOld || state.isWorking;
  for (const id of EXPORTS) byId(id).disabled = isOld;
}

function show(text, state) {
  const { answer, settings } = state.summary ?? {};
  byId("summary").classList.toggle("is-empty", !answer?.summary);
  if (!answer) {
    text.replaceChildren();
    setText(byId("summary-line"), emptyLine(state));
    setText(byId("summary-certificate"), "");
    showCoverage(0, settings);
    return;
  }
  text.replaceChildren(...passageNodes(answer, state));
  markShown();
  makeTabStop(text, null);
  setText(byId("summary-line"), answer.warning ? sentence(answer.warning) : oneLine(answer, state));
  setText(byId("summary-certificate"), answer.warning ? "" : certificate(answer, settings));
  if (isMatching(state)) showCoverage(answer.value / (state.analysis.answer.value || 1), settings);
  else if (!state.analysis) showCoverage(0, settings);
}

/** Set a performance mark, by which benchmarks time the first summary. */
function markShown() {
  if (!performance.getEntriesByName(SHOWN).length) performance.mark(SHOWN);
}

function emptyLine({ documents, isOpening }) {
  return isEmpty(documents) && !isOpening
    ? "There is no text yet. Paste text, drop a file, or select a sample."
    : "";
}

function oneLine({ sentences, cost, budget, unit }, { settings, analysis }) {
  const total = analysis?.answer.passages.length;
  const chosen = total
    ? `${formatNumber(sentences.length)} of ${formatCount(total, settings.by)}`
    : formatCount(sentences.length, settings.by);
  return `${chosen}, ${formatNumber(cost)} of ${formatMeasure(budget, unit)}.`;
}

function showCoverage(share, settings) {
  byId("coverage").hidden = !share;
  byId("coverage").style.setProperty("--share", String(share));
  setText(byId("coverage-line"), share ? `covers ${coverageLine(share, settings)}` : "");
}

/** Paragraphs and files keep their line breaks; sentences are joined. */
function passageNodes({ sentences }, state) {
  const passages = [...chosenPassages(state).keys()];
  const isFlowing = state.summary.settings.by === "sentence";
  const nodes = sentences.map(({ text: passage }, k) => {
    const attributes = passages.length
      ? { role: "button", tabindex: -1, "data-passage": passages[k] }
      : {};
    return make("span", { class: "chosen", ...attributes }, passage);
  });
  if (!isFlowing) return nodes.map((node) => make("p", { class: "whole" }, node));
  return [make("p", {}, ...nodes.flatMap((node, k) => (k ? [" ", node] : [node])))];
}

function sentence(text) {
  return text ? text[0].toUpperCase() + text.slice(1) : "";
}
