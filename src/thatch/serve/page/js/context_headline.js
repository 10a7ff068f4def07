/** What the result is worth, in one line, and what can be proved about it. */

import { isCurrent } from "./context_session.js";
import { byId, setText } from "./dom.js";
import { formatCount, formatMeasure, formatNumber, formatTenths } from "./formats.js";
import { announce } from "./messages.js";

// Fast answers must not flicker.
const MILLISECONDS_BEFORE_SHOWN = 400;
const MILLISECONDS_PER_TICK = 200;
// Smaller differences are those of rounding.
const LEAST_SHARE = 5e-4;
const LEAST_GAP = 1e-3;
const ROUNDING = 1e-9;
const NO_FILES = "No files yet. Open or drop some, or choose a sample.";

/**
 * Show the headline, the proof, the price of the user's choices, and the state of work.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {import("./context_session.js").ContextSession} session
 */
export function startHeadline(state, session) {
  // Both buttons are hidden when they have done their work, and lose the focus.
  byId("cancel").addEventListener("click", () => {
    state.get().working?.cancel();
    byId("result").focus({ preventScroll: true });
  });
  byId("undo").addEventListener("click", () => {
    session.decideNothing();
    byId("dropped-heading").focus({ preventScroll: true });
  });
  let timer = 0;
  state.onChange((now, before) => {
    showState(now);
    if (now.working !== before.working) {
      clearInterval(timer);
      if (now.working) timer = setInterval(() => showWork(state.get()), MILLISECONDS_PER_TICK);
      showWork(now);
    }
    if (now.answered && now.answered !== before.answered) showAnswer(now.answered);
  });
  showState(state.get());
}

function showState(now) {
  const { documents, answered, working } = now;
  const isStale = answered !== null && !isCurrent(now);
  const isEmpty = documents.length === 0 && working === null;
  byId("empty").hidden = working !== null || answered !== null;
  setText(byId("empty"), isEmpty ? NO_FILES : "There is no prompt yet.");
  byId("answer").hidden = answered === null;
  byId("result").classList.toggle("is-stale", isStale);
  byId("stale").hidden = !isStale || working !== null;
  const isNothing = answered !== null && answered.answer.chunks.length === 0;
  for (const id of ["copy", "save"]) byId(id).disabled = isStale || isNothing;
  byId("save-json").disabled = isStale;
  byId("prompt").hidden = isNothing;
  byId("undo").hidden = now.pinned.length + now.excluded.length === 0;
}

function showWork({ working }) {
  const milliseconds = working ? Date.now() - working.since : 0;
  byId("working").hidden = milliseconds < MILLISECONDS_BEFORE_SHOWN;
  if (!working) return;
  setText(byId("working-line"), `${working.what} … ${(milliseconds / 1000).toFixed(1)} s`);
}

function showAnswer({ answer, given }) {
  const line = answer.chunks.length ? headline(answer, given) : emptiness(answer, given);
  setText(byId("headline"), line);
  announce(line);
  byId("result").style.setProperty("--share", String(shareOf(answer, answer.value)));
  setText(byId("certificate"), certificate(answer, given));
  setText(byId("top"), topLine(answer, given));
  setText(byId("price"), priceLine(answer, given));
  byId("price").hidden = given.pinned.length + given.excluded.length === 0;
  setText(byId("unit-note"), noteOf(answer));
  setText(byId("prompt-text"), answer.text);
}

/**
 * A value as a share of that of all chunks.
 * @param {object} answer
 * @param {number} value
 * @returns {number} from 0 to 1
 */
export function shareOf({ baseline }, value) {
  return baseline.total > 0 ? Math.min(value / baseline.total, 1) : 0;
}

/**
 * The name of a unit without what is said about it elsewhere.
 * @param {string} unit such as "tokens (estimated)"
 * @returns {string}
 */
export function bareUnit(unit) {
  return unit.replace(/ \(.*\)$/, "");
}

/**
 * Whether a prompt answers a question; if not, chunks have no relevance for one.
 * @param {import("./context_session.js").Given} given
 * @returns {boolean}
 */
export function hasQuestion({ settings: { query } }) {
  return query.trim() !== "";
}

function headline(answer, given) {
  const { chunks, dropped, tokens, budget, unit } = answer;
  const matters = hasQuestion(given) ? "of what matters for the question" : "of what matters";
  const count = chunks.length + dropped.length;
  return `${formatNumber(chunks.length)} of ${formatCount(count, "chunk")}, `
    + `${formatNumber(tokens)} of ${formatNumber(budget)} ${bareUnit(unit)}, `
    + `${formatTenths(shareOf(answer, answer.value))} ${matters}: ${proof(answer)}.`;
}

function proof(answer) {
  const { gap, status, value } = answer;
  // Nothing covers more than all of it.
  const isAll = shareOf(answer, value) > 1 - ROUNDING;
  if (status === "optimal" || gap === 0 || isAll) return "proved best";
  return `proved to be at most ${formatBound(Math.max(gap, LEAST_GAP))} below the best`;
}

/** Bounds are rounded up, so that they hold as they are shown. */
function formatBound(share) {
  return formatTenths(Math.ceil(1000 * share - ROUNDING) / 1000);
}

function emptiness({ warnings, dropped, budget, unit }, { excluded }) {
  const last = warnings.at(-1) ?? "nothing was selected.";
  const sizes = dropped
    .filter(({ index, relevance }) => relevance > 0 && !excluded.includes(index))
    .map(({ tokens }) => tokens)
    .filter((size) => size > 0);
  if (!last.startsWith("no chunk fits") || !sizes.length) {
    return last[0].toUpperCase() + last.slice(1);
  }
  const measured = (size) => formatMeasure(size, bareUnit(unit));
  return `No chunk fits the budget of ${measured(budget)}, so the prompt is empty: the smallest `
    + `has ${measured(Math.min(...sizes))}, and its header needs some more.`;
}

function certificate(answer, given) {
  if (!answer.chunks.length) return "";
  const meaning = `What matters is the text of all chunks, ${
    hasQuestion(given) ? "weighted by relevance" : "weighted by the kind of file"
  }, each thing counted once.`;
  const share = shareOf(answer, answer.upper_bound);
  return share > 1 - ROUNDING ? meaning : `${meaning} ${boundLine(formatBound(share), given)}`;
}

/** The bound is one for prompts with the best chunk, which is selected in any case. */
function boundLine(most, given) {
  const best = hasQuestion(given) ? "the most relevant chunk" : "the most important chunk";
  const without = given.excluded.length ? " and without what you dropped" : "";
  const [taken, these] = given.pinned.length
    ? [`What you pinned is always taken, and ${best} if there is room`, "these"]
    : [`T${best.slice(1)} that fits is always taken`, "it"];
  return `${taken}; with ${these}${without}, no prompt of this size covers more than ${most}.`;
}

function topLine(answer, given) {
  const { num_top: count, num_repeats: repeats, top_value: value } = answer.baseline;
  if (!count || !hasQuestion(given)) return "";
  const again = repeats ? `; ${formatNumber(repeats)} of these ${formatCount(count, "chunk")} ${
    repeats === 1 ? "repeats another" : "repeat others"}` : "";
  return "Taking the most relevant chunks in turn until the budget is full would cover "
    + `${formatTenths(shareOf(answer, value))}${again}.`;
}

function priceLine(answer, { pinned, excluded }) {
  const before = shareOf(answer, answer.unconstrained_value);
  const after = shareOf(answer, answer.value);
  const made = [
    pinned.length ? `${formatNumber(pinned.length)} pinned` : "",
    excluded.length ? `${formatNumber(excluded.length)} dropped` : "",
  ].filter(Boolean).join(", ");
  // Of what is shown, so that the difference is right as it is read.
  const cost = rounded(before) - rounded(after);
  const loss = cost < LEAST_SHARE ? "nothing" : `${formatTenths(cost)} of what matters`;
  return `Your choices (${made}) cost ${loss}: ${formatTenths(before)} is covered without them, `
    + `${formatTenths(after)} with them.`;
}

function rounded(share) {
  return Math.round(1000 * share) / 1000;
}

function noteOf({ note }) {
  if (note.startsWith("tokens are estimated")) {
    return "Tokens are estimated. For exact numbers, name the tokenizer of your model under More "
      + "settings.";
  }
  return note && `${note[0].toUpperCase()}${note.slice(1)}.`;
}
