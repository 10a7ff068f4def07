/** Steps through the chosen passages of the source, by buttons and the keys N and P. */

import { byId, setText } from "./dom.js";
import { flashPassage } from "./source.js";

/**
 * Let the user step through the chosen passages.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {ReturnType<import("./pointing.js").createPointing>} pointing
 */
export function startStepping(state, pointing) {
  const passages = () => [...byId("source-text").querySelectorAll("[data-level]")]
    .map(({ dataset }) => Number(dataset.passage));

  function step(by) {
    const all = passages();
    if (!all.length) return;
    const { passage } = pointing.get();
    const here = all.indexOf(passage);
    // From a passage that was not chosen, go to the nearest chosen one.
    const after = all.findIndex((p) => p > passage);
    const start = by > 0 ? (after < 0 ? all.length : after) - 1 : (after < 0 ? all.length : after);
    const next = (here < 0 ? start : here) + by;
    const target = all[(next + all.length) % all.length];
    pointing.set({ passage: target, term: -1, isKept: true });
    flashPassage(target);
    show();
  }

  function show() {
    const all = passages();
    const here = all.indexOf(pointing.get().passage);
    const isAny = all.length > 0;
    for (const id of ["previous", "next"]) byId(id).disabled = !isAny;
    setText(byId("step-line"), isAny ? `${here < 0 ? "–" : here + 1} of ${all.length}` : "");
  }

  byId("previous").addEventListener("click", () => step(-1));
  byId("next").addEventListener("click", () => step(1));
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, textarea, select, dialog");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = { n: 1, p: -1 }[event.key.toLowerCase()];
    if (by) step(by);
  });
  state.onChange((now, before) => {
    if (now.summary !== before.summary || now.analysis !== before.analysis) show();
  });
  pointing.onChange(show);
  show();
}
