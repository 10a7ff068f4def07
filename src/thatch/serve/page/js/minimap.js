/** A map of the whole source beside it: chosen passages, and those with a term. */

import { byId, makeSvg } from "./dom.js";
import { debounced, PAUSES } from "./latest.js";

const LEAST_HEIGHT = 0.006;

/**
 * Draw the map, and scroll the source to where it is clicked.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {ReturnType<import("./pointing.js").createPointing>} pointing
 */
export function startMinimap(state, pointing) {
  const map = byId("minimap");
  const view = byId("source-text");
  const frame = makeSvg("rect", { class: "frame", x: 0, width: 1 });

  const draw = debounced(PAUSES.drawing, () => {
    const isLong = view.clientHeight > 0 && view.scrollHeight > view.clientHeight + 1;
    map.classList.toggle("is-empty", !isLong);
    const bars = isLong ? barsOf(view) : [];
    map.replaceChildren(frame, ...bars);
    move();
  });
  function move() {
    // The source is hidden while its text is edited, and on paper.
    if (!view.scrollHeight) return;
    frame.setAttribute("y", String(view.scrollTop / view.scrollHeight));
    frame.setAttribute("height", String(view.clientHeight / view.scrollHeight));
  }

  view.addEventListener("scroll", move, { passive: true });
  new ResizeObserver(draw).observe(view);
  state.onChange((now, before) => {
    if (now.summary !== before.summary || now.analysis !== before.analysis) draw();
  });
  let term = -1;
  pointing.onChange((pointed) => {
    if (pointed.term !== term) draw();
    term = pointed.term;
  });

  const scrollTo = ({ clientY }) => {
    const { top, height } = map.getBoundingClientRect();
    const middle = ((clientY - top) / height) * view.scrollHeight;
    view.scrollTop = middle - view.clientHeight / 2;
  };
  map.addEventListener("pointerdown", (event) => {
    map.setPointerCapture(event.pointerId);
    scrollTo(event);
  });
  map.addEventListener("pointermove", (event) => {
    if (map.hasPointerCapture(event.pointerId)) scrollTo(event);
  });
}

/** One bar per chosen passage, and per passage with the term that is pointed at. */
function barsOf(view) {
  const top = view.getBoundingClientRect().top - view.scrollTop;
  return [...view.querySelectorAll("[data-level], .has-term")].map((element) => {
    const box = element.getBoundingClientRect();
    const kind = element.classList.contains("has-term") ? "with-term" : "chosen-bar";
    return makeSvg("rect", {
      class: kind,
      x: kind === "with-term" ? 0.55 : 0,
      width: kind === "with-term" ? 0.45 : 1,
      y: (box.top - top) / view.scrollHeight,
      height: Math.max(box.height / view.scrollHeight, LEAST_HEIGHT),
    });
  });
}
