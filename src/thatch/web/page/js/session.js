/** The work: asks the server whenever documents or settings change. */

import { GoneError, RefusedError, ask } from "./api.js";
import { createConnection } from "./connection.js";
import { tellRefusal, untell } from "./messages.js";
import { newestOnly } from "./newest.js";

// Solvers that could search for hours stop with the best they found.
const MAX_SECONDS = 10;
const PATIENCE_MILLISECONDS = 1000;

/**
 * @typedef {object} Session
 * @property {(documents: object[], sample: string) => void} show take other documents
 * @property {(change: object) => void} change change some settings
 * @property {(subject: string, task: Task) => Promise<void>} guarded run a task about the
 *   present text; tell what goes wrong in it
 *
 * @typedef {(signal: AbortSignal) => Promise<void>} Task
 */

/**
 * Keep study and summary in step with the state.
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
      untell(subject);
    } catch (error) {
      if (error.name === "AbortError") return;
      if (error instanceof GoneError) connection.gone();
      else if (error instanceof RefusedError) tellRefusal(subject, error, retry);
      else throw error;
    }
  }

  const study = newestOnly(() => guarded("study", (signal) => askStudy(state, signal)));
  const summarize = newestOnly(async () => {
    await guarded("summary", (signal) => askSummary(state, signal));
    state.set({ isWorking: false });
  });

  state.onChange((now, before) => {
    const isRetry = now.attempt !== before.attempt;
    const isOther = isRetry || isOtherText(now, before);
    if (isOther && !isRetry) {
      // Nobody waits for the old text any more. What ends soon may end: to be broken off
      // costs the server more.
      const old = text;
      setTimeout(() => old.abort(), PATIENCE_MILLISECONDS);
      text = new AbortController();
    }
    if (isOther) study();
    if (isOther || isOtherTask(now, before)) summarize();
  });

  return {
    guarded,
    show: (documents, sample) => state.set({ documents, sample, study: null }),
    change: (change) => state.set({ settings: state.get().settings.with(change) }),
  };
}

/**
 * What a request for a summary holds.
 * @param {import("./state.js").State} state
 * @returns {object}
 */
export function summaryRequest({ documents, settings }) {
  const { budget, solver } = settings;
  const limit = solver === "auto" ? null : MAX_SECONDS;
  return { ...settings.textRequest(documents), budget, solver, max_seconds: limit };
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
    || now.settings.solver !== before.settings.solver;
}

async function askStudy(state, signal) {
  const { documents, settings } = state.get();
  if (isEmpty(documents)) return;
  const answer = await ask("study", settings.textRequest(documents), signal);
  if (!isOtherText(state.get(), { documents, settings })) {
    state.set({ study: { answer, documents, settings } });
  }
}

async function askSummary(state, signal) {
  const { documents, settings } = state.get();
  if (isEmpty(documents)) {
    state.set({ summary: null });
    return;
  }
  state.set({ isWorking: true });
  const answer = await ask("summarize", summaryRequest({ documents, settings }), signal);
  if (!isOtherText(state.get(), { documents, settings })) {
    state.set({ summary: { answer, documents, settings } });
  }
}
