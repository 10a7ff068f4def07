/** What the result is worth, in one line, and what can be proved about it. */

import { isCurrent } from "./context_session.js";
import { byId, setText } from "./dom.js";
import { formatCount, formatNumber, formatShare } from "./formats.js";
import { announce } from "./messages.js";

// Fast answers must not flicker.
const MILLISECONDS_BEFORE_SHOWN = 400;
const MILLISECONDS_PER_TICK = 200;
// Smaller differences are those of rounding.
const LEAST_SHARE = 5e-4;
const LEAST_GAP = 1e-4;
const ROUNDING = 1e-9;

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
  byId("empty").hidden = !isEmpty;
  byId("answer").hidden = answered === null;
  byId("result").classList.toggle("is-stale", isStale);
  byId("stale").hidden = !isStale || working !== null;
  for (const id of ["copy", "save", "save-json"]) byId(id).disabled = isStale;
  byId("undo").hidden = now.pinned.length + now.excluded.length === 0;
}

function showWork({ working }) {
  const milliseconds = working ? Date.now() - working.since : 0;
  byId("working").hidden = milliseconds < MILLISECONDS_BEFORE_SHOWN;
  if (!working) return;
  setText(byId("working-line"), `${working.what} … ${(milliseconds / 1000).toFixed(1)} s`);
}

function showAnswer({ answer, given }) {
  const line = answer.chunks.length ? headline(answer, given) : emptiness(answer);
  setText(byId("headline"), line);
  announce(line);
  byId("result").style.setProperty("--share", String(shareOf(answer, answer.value)));
  setText(byId("certificate"), certificate(answer, given));
  setText(byId("top"), topLine(answer));
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

function headline(answer, { settings: { query } }) {
  const { chunks, dropped, tokens, budget, unit } = answer;
  const matters = query ? "of what matters for the question" : "of what matters";
  const count = chunks.length + dropped.length;
  return `${formatNumber(chunks.length)} of ${formatCount(count, "chunk")}, `
    + `${formatNumber(tokens)} of ${formatNumber(budget)} ${bareUnit(unit)}, `
    + `${formatShare(shareOf(answer, answer.value))} ${matters}: ${proof(answer)}.`;
}

function proof(answer) {
  const { gap, status, value } = answer;
  // Nothing covers more than all of it.
  const isAll = shareOf(answer, value) > 1 - ROUNDING;
  if (status === "optimal" || gap === 0 || isAll) return "proved best";
  return `proved to be at most ${formatShare(Math.max(gap, LEAST_GAP))} below the best`;
}

function emptiness({ warnings }) {
  const last = warnings.at(-1) ?? "nothing was selected.";
  return last[0].toUpperCase() + last.slice(1);
}

function certificate(answer, { pinned }) {
  if (!answer.chunks.length) return "";
  const most = formatShare(shareOf(answer, answer.upper_bound));
  const rest = pinned.length ? " and what you pinned" : "";
  return `What matters is the text of all chunks, weighted by relevance, each thing counted once. `
    + `No prompt of this size with the most relevant chunk${rest} covers more than ${most}.`;
}

function topLine(answer) {
  const { num_top: count, num_repeats: repeats, top_value: value } = answer.baseline;
  if (!count) return "";
  const many = count === 1 ? "the most relevant chunk alone covers"
    : `the ${formatNumber(count)} most relevant chunks, as many as fit, cover`;
  const again = repeats ? `; ${formatNumber(repeats)} of them ${
    repeats === 1 ? "repeats another" : "repeat others"}` : "";
  return `For comparison, top-k: ${many} ${formatShare(shareOf(answer, value))}${again}.`;
}

function priceLine(answer, { pinned, excluded }) {
  const before = shareOf(answer, answer.unconstrained_value);
  const after = shareOf(answer, answer.value);
  const made = [
    pinned.length ? `${formatNumber(pinned.length)} pinned` : "",
    excluded.length ? `${formatNumber(excluded.length)} dropped` : "",
  ].filter(Boolean).join(", ");
  const cost = before - after;
  const loss = cost < LEAST_SHARE ? "nothing" : `${formatShare(cost)} of what matters`;
  return `Your choices (${made}) cost ${loss}: ${formatShare(before)} is covered without them, `
    + `${formatShare(after)} with them.`;
}

function noteOf({ note }) {
  return note && `${note[0].toUpperCase()}${note.slice(1)}.`;
}
