/** Sends requests to the server whenever documents or settings change. */

import { RejectedError, UnreachableError, post } from "./api.js";
import { createConnection } from "./connection.js";
import { showMessage, showRejection, removeMessage } from "./messages.js";
import { latestOnly } from "./latest.js";
import { NO_CHOICES, hasChoices } from "./state.js";

// Solvers that could search for hours return the best selection found in this time.
const MAX_SECONDS = 10;
const GRACE_MILLISECONDS = 1000;

/**
 * @typedef {object} Session
 * @property {(documents: object[], sample: string) => void} show replace the documents
 * @property {(change: object) => void} change change some settings
 * @property {() => void} cancel abort what is running for the current text
 * @property {(subject: string, task: Task) => Promise<void>} guarded run a task on the
 *   current text, and show its error
 *
 * @typedef {(signal: AbortSignal) => Promise<void>} Task
 */

/**
 * Update analysis and summary whenever the state changes.
 * @param {ReturnType<import("./state.js").createState>} state
 * @returns {Session}
 */
export function createSession(state) {
  const retry = () => state.set({ attempt: state.get().attempt + 1 });
  const connection = createConnection(retry);
  let text = new AbortController();

  async function guarded(subject, task) {
    try {
      await task(text.signal);
      removeMessage(subject);
    } catch (error) {
      if (error.name === "AbortError") return;
      if (error instanceof UnreachableError) connection.lost();
      else if (error instanceof RejectedError) showRejection(subject, error, retry);
      else throw error;
    }
  }

  const analyze = latestOnly(() => guarded("analysis", (signal) => loadAnalysis(state, signal)));
  const summarize = latestOnly(async () => {
    await guarded("summary", (signal) => loadSummary(state, signal));
    state.set({ isWorking: false });
  });
  const compare = latestOnly(() => guarded("choices", (signal) => loadFree(state, signal)));

  state.onChange((now, before) => {
    const isRetry = now.attempt !== before.attempt;
    const isOther = isRetry || isOtherText(now, before);
    if (isOther && !isRetry) {
      // Requests for the old text are obsolete. Those that end soon may end, as aborting
      // them costs the server more.
      const old = text;
      setTimeout(() => old.abort(), GRACE_MILLISECONDS);
      text = new AbortController();
    }
    if (isOther || !now.settings.hasSameWeights(before.settings)) analyze();
    if (isOther || isOtherTask(now, before)) summarize();
    if (now.summary !== before.summary && hasChoices(now.choices)) compare();
  });
  // The numbers of passages mean nothing in another text.
  state.onChange(({ choices }, before) => {
    const now = state.get();
    const isKept = now.documents === before.documents
      && now.settings.hasSamePassages(before.settings);
    if (!isKept && choices === before.choices && hasChoices(choices)) {
      state.set({ choices: NO_CHOICES });
    }
  });

  function cancel() {
    text.abort();
    text = new AbortController();
    showMessage("summary", {
      text: "Cancelled.", kind: "notice", action: { label: "Try again", run: retry },
    });
  }

  return {
    guarded,
    cancel,
    show: (documents, sample) => state.set({
      documents, sample, analysis: null, summary: null, free: null, choices: NO_CHOICES,
    }),
    change: (change) => state.set({ settings: state.get().settings.with(change) }),
  };
}

/**
 * The request for a summary.
 * @param {import("./state.js").State} state
 * @returns {object}
 */
export function summaryRequest({ documents, settings, choices = NO_CHOICES }) {
  const { budget, solver } = settings;
  const limit = solver === "auto" ? null : MAX_SECONDS;
  const byHand = hasChoices(choices) ? { pin: choices.pinned, strike: choices.struck } : {};
  return { ...settings.textRequest(documents), ...byHand, budget, solver, max_seconds: limit };
}

/**
 * Whether there is anything to summarize.
 * @param {readonly {text: string}[]} documents
 * @returns {boolean}
 */
export function isEmpty(documents) {
  return documents.every(({ text }) => !text.trim());
}

/**
 * Whether passages, costs or terms may differ between two states.
 * @param {import("./state.js").State} now
 * @param {import("./state.js").State} before
 * @returns {boolean}
 */
export function isOtherText(now, before) {
  return now.documents !== before.documents || !now.settings.hasSameText(before.settings);
}

/**
 * Whether the summaries of two states may differ.
 * @param {import("./state.js").State} now
 * @param {import("./state.js").State} before
 * @returns {boolean}
 */
export function isOtherTask(now, before) {
  return isOtherText(now, before)
    || now.settings.budget !== before.settings.budget
    || now.settings.solver !== before.settings.solver
    || now.choices !== before.choices;
}

async function loadAnalysis(state, signal) {
  const { documents, settings } = state.get();
  if (isEmpty(documents)) return;
  const request = { ...settings.textRequest(documents), budget: settings.budget };
  const answer = await post("analyze", request, signal);
  if (!isOtherText(state.get(), { documents, settings })) {
    state.set({ analysis: { answer, documents, settings } });
  }
}

async function loadSummary(state, signal) {
  const { documents, settings, choices } = state.get();
  if (isEmpty(documents)) {
    state.set({ summary: null });
    return;
  }
  state.set({ isWorking: true });
  const answer = await post("summarize", summaryRequest({ documents, settings, choices }), signal);
  if (!isOtherText(state.get(), { documents, settings })) {
    const summary = { answer, documents, settings, choices };
    state.set(hasChoices(choices) ? { summary } : { summary, free: summary });
  }
}

/** The summary without choices by hand shows what these cost. */
async function loadFree(state, signal) {
  const { documents, settings, free, choices } = state.get();
  const isKnown = free && !isOtherTask({ ...state.get(), choices: NO_CHOICES }, free);
  if (isKnown || !hasChoices(choices)) return;
  const answer = await post("summarize", summaryRequest({ documents, settings }), signal);
  if (!isOtherText(state.get(), { documents, settings })) {
    state.set({ free: { answer, documents, settings, choices: NO_CHOICES } });
  }
}
