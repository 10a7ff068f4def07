/** Two steps for newcomers, shown on every visit until one in which the page was used. */

import { byId } from "./dom.js";

const KEY = "thatch-hint";
const CLOSED = "closed";

/**
 * Show the hint to newcomers. It stays until it is closed, so that nothing moves; after a
 * visit in which the text or the settings were changed it is not shown again.
 * @param {ReturnType<import("./state.js").createState>} state
 */
export function startHint(state) {
  const hint = byId("hint");
  hint.hidden = stored() === CLOSED;
  const close = () => {
    hint.hidden = true;
    store();
  };
  byId("hint-close").addEventListener("click", close);
  state.onChange((now, before) => {
    const isUsed = !now.isOpening && !before.isOpening
      && (now.documents !== before.documents || now.settings !== before.settings);
    if (isUsed) store();
  });
}

/** A browser may forbid storage. */
function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function store() {
  try {
    localStorage.setItem(KEY, CLOSED);
  } catch {
    // The hint is shown again next time.
  }
}
