/** The summary, what it measures, and how near the best it is. */

import { byId, make, say } from "./dom.js";
import { formatCount, formatMeasure, formatNumber, formatShare } from "./formats.js";
import { announce } from "./messages.js";
import { whenQuiet } from "./newest.js";
import { makeOnlyStop, makePointable } from "./pointing.js";
import { isEmpty } from "./session.js";
import { addsUp } from "./settings.js";
import { chosenPassages } from "./source.js";

const QUIET_MILLISECONDS = 700;
// What rounding leaves of a gap that is none.
const SHOWN = "summary shown";
const SMALLEST_GAP = 1e-6;

/**
 * Show the summary.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {ReturnType<import("./pointing.js").createPointing>} pointing
 * @param {{onClick: (passage: number) => void, onEnter: (passage: number) => void}} options
 */
export function startSummary(state, pointing, options) {
  const text = byId("summary-text");
  // While the slider moves only the eye follows.
  const announceQuietly = whenQuiet(QUIET_MILLISECONDS, announce);
  makePointable(text, pointing, options);

  state.onChange((now, before) => {
    const isOther = now.summary !== before.summary || now.study !== before.study
      || now.documents !== before.documents || now.isOpening !== before.isOpening;
    byId("summary").setAttribute("aria-busy", String(now.isWorking));
    byId("summary").classList.toggle("is-old", now.summary?.documents !== now.documents);
    if (!isOther) return;
    show(text, now);
    if (now.summary !== before.summary) announceQuietly(byId("summary-line").textContent);
  });
  pointing.onChange(({ passage }) => {
    for (const element of text.querySelectorAll("[data-passage]")) {
      element.classList.toggle("pointed", Number(element.dataset.passage) === passage);
    }
  });
}

/**
 * How near the best a value is known to be, in words.
 * @param {{value: number, upper_bound: number, gap: number}} answer
 * @param {{unit: string, by: string}} settings
 * @returns {string}
 */
export function certificate({ value, upper_bound, gap }, settings) {
  const condition = addsUp(settings) ? "" : ", if their costs are added up one by one";
  if (gap < SMALLEST_GAP) {
    return `Proved best: no choice within the budget covers more${condition}.`;
  }
  if (!(value > 0)) return "";
  const more = formatShare(upper_bound / value - 1);
  return `No choice within the budget covers more than ${more} more${condition}; proved.`;
}

function show(text, state) {
  const { answer, settings } = state.summary ?? {};
  byId("summary").classList.toggle("is-empty", !answer?.summary);
  if (!answer) {
    text.replaceChildren();
    say(byId("summary-line"), emptyLine(state));
    say(byId("summary-certificate"), "");
    showCoverage(0, 0);
    return;
  }
  text.replaceChildren(...passageNodes(answer, state));
  markShown();
  makeOnlyStop(text, null);
  say(byId("summary-line"), answer.warning ? sentence(answer.warning) : oneLine(answer, state));
  say(byId("summary-certificate"), answer.warning ? "" : certificate(answer, settings));
  const isStudied = state.study?.documents === state.summary.documents;
  showCoverage(answer.value, isStudied ? state.study.answer.value : 0);
}

/** Leaves a mark that benchmarks measure the first summary by. */
function markShown() {
  if (!performance.getEntriesByName(SHOWN).length) performance.mark(SHOWN);
}

function emptyLine({ documents, isOpening }) {
  return isEmpty(documents) && !isOpening
    ? "There is no text yet. Paste some, drop a file, or take a sample."
    : "";
}

function oneLine({ sentences, cost, budget, unit }, { settings, study }) {
  const total = study?.answer.passages.length;
  const chosen = total
    ? `${formatNumber(sentences.length)} of ${formatCount(total, settings.by)}`
    : formatCount(sentences.length, settings.by);
  return `${chosen}, ${formatNumber(cost)} of ${formatMeasure(budget, unit)}.`;
}

function showCoverage(value, total) {
  const share = total > 0 ? value / total : 0;
  byId("coverage").hidden = !share;
  byId("coverage").style.setProperty("--share", String(share));
  say(byId("coverage-line"), share ? `covers ${formatShare(share)} of what the text says` : "");
}

/** Paragraphs and files keep their lines; sentences flow. */
function passageNodes({ sentences }, state) {
  const passages = [...chosenPassages(state).keys()];
  const isFlowing = state.summary.settings.by === "sentence";
  const nodes = sentences.map(({ text: said }, k) => {
    const attributes = passages.length
      ? { role: "button", tabindex: -1, "data-passage": passages[k] }
      : {};
    return make("span", { class: "said", ...attributes }, said);
  });
  if (!isFlowing) return nodes.map((node) => make("p", { class: "whole" }, node));
  return [make("p", {}, ...nodes.flatMap((node, k) => (k ? [" ", node] : [node])))];
}

function sentence(text) {
  return text ? text[0].toUpperCase() + text.slice(1) : "";
}
