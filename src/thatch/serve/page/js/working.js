/** A spinner with the time, and a way to cancel, while a summary is computed. */

import { byId, setText } from "./dom.js";

// Shorter waits are not worth a word.
const MILLISECONDS_BEFORE_SHOWN = 400;
const MILLISECONDS_PER_TICK = 100;

/**
 * Show how long a summary takes.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {import("./session.js").Session} session
 */
export function startWorking(state, session) {
  let timer = 0;
  let start = 0;
  const tick = () => {
    const milliseconds = performance.now() - start;
    const isLong = milliseconds >= MILLISECONDS_BEFORE_SHOWN;
    byId("working").hidden = !isLong;
    setText(byId("working-line"), `Choosing the best … ${(milliseconds / 1000).toFixed(1)} s`);
  };
  byId("cancel").addEventListener("click", () => session.cancel());
  state.onChange(({ isWorking }, before) => {
    if (isWorking === before.isWorking) return;
    clearInterval(timer);
    byId("working").hidden = true;
    if (!isWorking) return;
    start = performance.now();
    timer = setInterval(tick, MILLISECONDS_PER_TICK);
  });
}
