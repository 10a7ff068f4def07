/** The summary, what it measures, and how near the best it is. */

import { byId, make, say } from "./dom.js";
import { formatCount, formatMeasure, formatNumber, formatShare } from "./formats.js";
import { announce } from "./messages.js";
import { whenQuiet } from "./newest.js";
import { makeOnlyStop, makePointable } from "./pointing.js";
import { isEmpty, isOtherTask } from "./session.js";
import { addsUp } from "./settings.js";
import { chosenPassages } from "./source.js";
import { isMatching } from "./state.js";

const QUIET_MILLISECONDS = 700;
const EXPORTS = ["copy", "save-text", "save-markdown", "save-json"];
const SHOWN = "summary shown";
// What rounding leaves of a gap that is none.
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
    showAge(now);
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
 * How much of the text is covered, in words.
 * @param {number} share
 * @param {{query: string}} settings
 * @returns {string}
 */
export function coverageLine(share, { query }) {
  const what = query ? "what it says about your question" : "what the text says";
  return `${formatShare(share)} of ${what}`;
}

/**
 * Whether a gap is more than rounding leaves.
 * @param {number} gap
 * @returns {boolean}
 */
export function isGap(gap) {
  return gap >= SMALLEST_GAP;
}

/**
 * How near the best a value is known to be, in words.
 * @param {{value: number, upper_bound: number, gap: number}} answer
 * @param {{unit: string, by: string}} settings
 * @returns {string}
 */
export function certificate({ value, upper_bound, gap }, settings) {
  const condition = addsUp(settings) ? "" : ", if their costs are added up one by one";
  if (!isGap(gap)) {
    return `Proved best: no choice within the budget covers more${condition}.`;
  }
  if (!(value > 0)) return "";
  const more = formatShare(upper_bound / value - 1);
  return `No choice within the budget covers more than ${more} more${condition}; proved.`;
}

/** What was proved of other settings is not to be taken for these. */
function showAge(state) {
  const isOld = state.summary !== null && isOtherTask(state, state.summary);
  byId("summary").classList.toggle("is-old", isOld);
  byId("summary-old").hidden = !isOld || state.isWorking;
  for (const id of EXPORTS) byId(id).disabled = isOld;
}

function show(text, state) {
  const { answer, settings } = state.summary ?? {};
  byId("summary").classList.toggle("is-empty", !answer?.summary);
  if (!answer) {
    text.replaceChildren();
    say(byId("summary-line"), emptyLine(state));
    say(byId("summary-certificate"), "");
    showCoverage(0, settings);
    return;
  }
  text.replaceChildren(...passageNodes(answer, state));
  markShown();
  makeOnlyStop(text, null);
  say(byId("summary-line"), answer.warning ? sentence(answer.warning) : oneLine(answer, state));
  say(byId("summary-certificate"), answer.warning ? "" : certificate(answer, settings));
  if (isMatching(state)) showCoverage(answer.value / (state.study.answer.value || 1), settings);
  else if (!state.study) showCoverage(0, settings);
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

function showCoverage(share, settings) {
  byId("coverage").hidden = !share;
  byId("coverage").style.setProperty("--share", String(share));
  say(byId("coverage-line"), share ? `covers ${coverageLine(share, settings)}` : "");
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
