/** What the page knows, in one frozen record that is replaced as a whole. */

/**
 * @typedef {{text: string, name: string, blocks: object[] | null}} SourceDocument
 *
 * @typedef {object} Answered
 * @property {object} answer of the server
 * @property {readonly SourceDocument[]} documents what it is about
 * @property {import("./settings.js").Settings} settings
 *
 * @typedef {object} State
 * @property {readonly SourceDocument[]} documents what is summarized
 * @property {string} sample name of the sample shown, or ""
 * @property {import("./settings.js").Settings} settings
 * @property {Answered | null} study what the documents hold
 * @property {Answered | null} summary what was chosen
 * @property {boolean} isWorking whether a summary is on its way
 * @property {boolean} isOpening whether a sample or the text of a link is on its way
 * @property {number} attempt grows when what failed should be tried again
 */

/**
 * Hold a state, and tell listeners when it is replaced.
 * @param {State} initial
 * @returns {{
 *   get: () => State,
 *   set: (change: Partial<State>) => void,
 *   onChange: (listener: (now: State, before: State) => void) => void,
 * }}
 */
export function createState(initial) {
  let current = Object.freeze({ ...initial });
  const listeners = [];
  const untold = [];

  // A listener may set in turn: every listener still hears of changes in their order.
  function tellListeners() {
    while (untold.length) {
      try {
        for (const listener of listeners) listener(...untold[0]);
      } finally {
        untold.shift();
      }
    }
  }

  return {
    get: () => current,
    set(change) {
      const before = current;
      current = Object.freeze({ ...before, ...change });
      untold.push([current, before]);
      if (untold.length === 1) tellListeners();
    },
    onChange: (listener) => listeners.push(listener),
  };
}

/**
 * Whether the summary is one of the documents and settings that the study describes.
 * @param {State} state
 * @returns {boolean}
 */
export function isMatching({ study, summary }) {
  return Boolean(study && summary)
    && study.documents === summary.documents
    && summary.settings.hasSameText(study.settings);
}
