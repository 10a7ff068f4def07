/** The state of the page: one frozen record, replaced as a whole. */

/**
 * @typedef {{text: string, name: string, blocks: object[] | null}} SourceDocument
 *
 * @typedef {object} Choices by hand
 * @property {readonly number[]} pinned passages that must be in the summary
 * @property {readonly number[]} struck passages that must not be
 *
 * @typedef {object} Answered
 * @property {object} answer of the server
 * @property {readonly SourceDocument[]} documents of the request
 * @property {import("./settings.js").Settings} settings
 * @property {Choices} choices
 *
 * @typedef {object} State
 * @property {readonly SourceDocument[]} documents to summarize
 * @property {string} sample name of the sample that is shown, or ""
 * @property {import("./settings.js").Settings} settings
 * @property {Choices} choices
 * @property {Answered | null} analysis passages and terms of the documents
 * @property {Answered | null} summary chosen passages
 * @property {Answered | null} free summary without choices by hand
 * @property {boolean} isWorking whether a summary is loading
 * @property {boolean} isOpening whether a sample or the text of a link is loading
 * @property {number} attempt incremented to retry what failed
 */

/** Nothing is chosen by hand. */
export const NO_CHOICES = Object.freeze({
  pinned: Object.freeze([]), struck: Object.freeze([]),
});

/**
 * Store a state, and notify listeners when it is replaced.
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
  const pending = [];

  // A listener may set the state: all listeners still receive the changes in order.
  function notifyListeners() {
    while (pending.length) {
      try {
        for (const listener of listeners) listener(...pending[0]);
      } finally {
        pending.shift();
      }
    }
  }

  return {
    get: () => current,
    set(change) {
      const before = current;
      current = Object.freeze({ ...before, ...change });
      pending.push([current, before]);
      if (pending.length === 1) notifyListeners();
    },
    onChange: (listener) => listeners.push(listener),
  };
}

/**
 * Whether anything is chosen by hand.
 * @param {Choices} choices
 * @returns {boolean}
 */
export function hasChoices({ pinned, struck }) {
  return pinned.length + struck.length > 0;
}

/**
 * Whether summary and analysis are of the same documents and settings.
 * @param {State} state
 * @returns {boolean}
 */
export function isMatching({ analysis, summary }) {
  return Boolean(analysis && summary)
    && analysis.documents === summary.documents
    && summary.settings.hasSameText(analysis.settings);
}

/**
 * Whether terms weigh the same in summary and analysis, too.
 * @param {State} state
 * @returns {boolean}
 */
export function isWeighed(state) {
  return isMatching(state)
    && state.summary.settings.hasSameWeights(state.analysis.settings);
}
