/** Packs the files whenever they, the settings or the choices of the user change. */

import { RejectedError, UnreachableError, post } from "./api.js";
import { createConnection } from "./connection.js";
import { formatNumber } from "./formats.js";
import { latestOnly } from "./latest.js";
import { removeMessage, showMessage, showRejection } from "./messages.js";

/**
 * @typedef {object} Given what a prompt is made from
 * @property {readonly {name: string, text: string}[]} documents
 * @property {boolean} isFolder whether the documents are the files of a folder
 * @property {Readonly<Record<string, any>>} settings
 * @property {readonly number[]} pinned indices of chunks
 * @property {readonly number[]} excluded
 *
 * @typedef {Given & {
 *   sample: string,
 *   skipped: readonly {source: string, reason: string}[],
 *   answered: {answer: object, given: Given} | null,
 *   working: {what: string, since: number, cancel: () => void} | null,
 *   attempt: number,
 * }} ContextState
 *
 * @typedef {ReturnType<typeof createContextSession>} ContextSession
 */

// Chunks get new numbers if one of these changes.
const CUTTING = ["include", "exclude"];
const GIVEN = ["documents", "isFolder", "settings", "pinned", "excluded"];

/**
 * Pack whenever the state changes.
 * @param {ReturnType<import("./state.js").createState>} state
 */
export function createContextSession(state) {
  const retry = () => state.set({ attempt: state.get().attempt + 1 });
  const connection = createConnection(retry);

  async function guarded(subject, task) {
    try {
      await task();
      removeMessage(subject);
    } catch (error) {
      if (error.name === "AbortError") return;
      if (error instanceof UnreachableError) connection.lost();
      else if (error instanceof RejectedError) showRejection(subject, inWords(error), retry);
      else throw error;
    }
  }

  const pack = latestOnly(async () => {
    await guarded("pack", () => loadAnswer(state, retry));
    state.set({ working: null });
  });
  state.onChange((now, before) => {
    if (now.attempt !== before.attempt || !isSameGiven(now, before)) pack();
  });

  const decide = (pinned, excluded) => state.set({ pinned, excluded });
  return {
    guarded,
    /** Replace the files; nothing of the old ones stays. */
    show: (documents, { sample = "", isFolder = false, skipped = [], change = {} } = {}) =>
      state.set({
        documents, sample, isFolder, skipped,
        settings: Object.freeze({ ...state.get().settings, ...change }),
        pinned: [], excluded: [], answered: null,
      }),
    /** Change some settings. */
    change(change) {
      const isCutAnew = CUTTING.some((name) => name in change);
      const settings = Object.freeze({ ...state.get().settings, ...change });
      state.set(isCutAnew ? { settings, pinned: [], excluded: [] } : { settings });
    },
    /** Pin a chunk, exclude it, or leave it to the server again. */
    decide(index, decision) {
      const { pinned, excluded } = state.get();
      const others = (list) => list.filter((other) => other !== index);
      decide(
        decision === "pin" ? [...others(pinned), index] : others(pinned),
        decision === "drop" ? [...others(excluded), index] : others(excluded),
      );
    },
    decideNothing: () => decide([], []),
  };
}

/**
 * The request for a prompt.
 * @param {Given} given
 * @returns {object}
 */
function packRequest({ documents, isFolder, settings, pinned, excluded }) {
  return {
    documents, is_folder: isFolder, must_include: pinned, must_exclude: excluded, ...settings,
  };
}

/**
 * Whether the answer is for what is given now.
 * @param {ContextState} state
 * @returns {boolean}
 */
export function isCurrent(state) {
  return state.answered !== null && isSameGiven(state, state.answered.given);
}

function isSameGiven(one, other) {
  return GIVEN.every((name) => one[name] === other[name]);
}

async function loadAnswer(state, retry) {
  const given = Object.fromEntries(GIVEN.map((name) => [name, state.get()[name]]));
  if (given.documents.every(({ text }) => !text.trim())) {
    state.set({ answered: null });
    return;
  }
  const controller = new AbortController();
  const cancel = () => {
    controller.abort();
    showMessage("pack", {
      text: "Packing was cancelled.",
      kind: "notice",
      action: { label: "Pack again", run: retry },
    });
  };
  state.set({ working: { what: "Packing", since: Date.now(), cancel } });
  const answer = await post("pack", packRequest(given), controller.signal);
  // An answer for other files must never be shown beside these.
  if (state.get().documents === given.documents) state.set({ answered: { answer, given } });
}

/** The error of the server in words of the page. */
function inWords(error) {
  if (error.message.includes("the chunks in must_include")) {
    error.message = error.message
      .replace("the chunks in must_include", "the chunks you pinned")
      .replace(/\d{4,}/g, (digits) => formatNumber(Number(digits)));
  }
  error.hint = error.hint.replace("require fewer chunks", "pin fewer chunks");
  return error;
}
