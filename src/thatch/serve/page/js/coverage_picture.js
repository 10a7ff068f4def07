/** The picture of the plan: a map, or a graph, that can be pointed at and clicked. */

import { coverOf, wordsOf } from "./coverage_model.js";
import { drawGraph } from "./coverage_graph.js";
import { drawMap, siteMark } from "./coverage_map.js";
import { shownPlan } from "./coverage_plan.js";
import { isCurrent } from "./coverage_session.js";
import { decideNext, decisionsOf, factsOf, fixedOf } from "./coverage_sites.js";
import { byId, make, makeSvg, setText } from "./dom.js";
import { formatNumber } from "./formats.js";

// In pixels, so that fingers find small marks.
const MAX_DISTANCE = 18;
const NO_PICTURE = "There is no plan to draw yet.";
const FIRST_ROWS = 20;
const MORE_ROWS = 40;
const TITLES = { map: "Map", graph: "Graph", bars: "Items by coverage" };
// What clicks on a site do.
const CLICKS = {
  undefined: "Click: require; again: forbid",
  required: "Click: forbid; again: free",
  forbidden: "Click: free; again: require",
};
const PARTS = ["data", "plan", "shown", "decisions", "alternatives", "settings"];

/**
 * Draw the plan.
 * @param {ReturnType<import("./state.js").createState>} state
 */
export function startPicture(state) {
  const container = byId("picture");
  const svg = makeSvg("svg", { role: "img", "aria-label": NO_PICTURE });
  container.append(svg);
  const picture = createPicture(state, svg);

  svg.addEventListener("pointermove", (event) => picture.follow(placeOf(svg, event)));
  svg.addEventListener("pointerleave", picture.leave);
  svg.addEventListener("click", (event) => {
    const item = picture.itemAt(placeOf(svg, event));
    if (item >= 0) decideNext(state, item);
  });
  const more = byId("picture-more");
  more.addEventListener("click", () => {
    picture.addRows();
    // The button with the focus may be hidden now.
    if (more.hidden) byId("picture-heading").focus({ preventScroll: true });
  });
  new ResizeObserver(picture.redraw).observe(container);
  state.onChange((now, before) => {
    if (now.source !== before.source) picture.forgetRows();
    if (PARTS.some((name) => now[name] !== before[name])) picture.redraw();
    else if (now.pointed !== before.pointed) picture.point();
  });
}

/** What is drawn, and what is pointed at in it. */
function createPicture(state, svg) {
  let view = null;
  let drawn = null;
  let maxRows = FIRST_ROWS;
  // Whether the pointer is on the picture, not on the list beside it.
  let isPointer = false;
  // Sites that were chosen: the map must not move back and forth, nor under the pointer.
  let framed = new Set();

  function redraw() {
    const now = state.get();
    const { data, chosen } = shownPlan(now);
    const width = svg.parentElement.clientWidth;
    byId("picture-heading").closest(".picture").classList.toggle("is-stale", !isCurrent(now));
    drawn = null;
    if (data && width) {
      if (view?.data !== data) framed = new Set();
      if (!isPointer) framed = new Set([...framed, ...chosen]);
      view = viewOf(data, chosen, { framed, decisions: now.decisions });
      drawn = data.locations ? drawMap(view, width) : drawGraph(view, width, maxRows);
    }
    show(svg, view, drawn, width);
    point();
  }

  function point() {
    if (!drawn) return;
    const { pointed } = state.get();
    const place = drawn.items[pointed];
    const group = svg.querySelector(".pointed");
    group.replaceChildren(
      ...(place ? [makeSvg("circle", { cx: place.x, cy: place.y, r: 13 })] : []));
    const isFixed = Boolean(fixedOf(view.data)[pointed]);
    if (place && isPointer && !isFixed) showTip(group, place, CLICKS[view.decided[pointed]]);
    setText(byId("picture-line"), place ? siteLine(view, pointed) : drawn.note);
  }

  const itemAt = (place) => (drawn ? nearestTo(drawn.items, place) : -1);
  return {
    redraw,
    point,
    itemAt,
    follow(place) {
      if (!drawn) return;
      isPointer = true;
      const pointed = itemAt(place);
      svg.classList.toggle("is-clickable", pointed >= 0);
      if (pointed !== state.get().pointed) state.set({ pointed });
      const element = pointed < 0 ? nearestTo(drawn.elements, place, 8) : -1;
      if (element >= 0) setText(byId("picture-line"), elementLine(view, element));
      else if (pointed < 0) point();
    },
    leave() {
      isPointer = false;
      state.set({ pointed: -1 });
      if (view?.cover.chosen.some((i) => !framed.has(i))) redraw();
    },
    addRows() {
      maxRows += MORE_ROWS;
      redraw();
    },
    forgetRows: () => { maxRows = FIRST_ROWS; },
  };
}

function viewOf(data, chosen, { framed, decisions }) {
  return {
    framed, data, cover: coverOf(data, chosen), decided: decisionsOf(data, decisions),
    reach: parseFloat(data.reach.replace(",", "")) || 0,
  };
}

/** Fill the picture, its title, key and hint; without anything drawn, clear them. */
function show(svg, view, drawn, width) {
  svg.replaceChildren(...(drawn ? [...drawn.nodes, makeSvg("g", { class: "pointed" })] : []));
  svg.setAttribute("aria-label", drawn ? labelOfPicture(view) : NO_PICTURE);
  byId("picture-key").replaceChildren(...(drawn ? keyNodes(drawn) : []));
  byId("picture-more").hidden = !(drawn?.rest > 0);
  setText(byId("picture-hint"), drawn ? hintOf(view.data) : "");
  setText(byId("picture-line"), drawn?.note ?? "");
  if (!drawn) return;
  svg.setAttribute("viewBox", `0 0 ${width} ${drawn.height}`);
  svg.setAttribute("height", drawn.height);
  setText(byId("picture-heading"), TITLES[drawn.kind]);
}

function placeOf(svg, { clientX, clientY }) {
  const { left, top } = svg.getBoundingClientRect();
  return { x: clientX - left, y: clientY - top };
}

function nearestTo(places, { x, y }, most = MAX_DISTANCE) {
  let best = -1;
  let least = most;
  places.forEach((place, k) => {
    const distance = Math.hypot(place.x - x, place.y - y);
    if (distance < least) [best, least] = [k, distance];
  });
  return best;
}

function labelOfPicture({ data, cover }) {
  const names = cover.chosen.slice(0, 12).map((i) => data.items[i]).join(", ");
  const rest = cover.chosen.length > 12 ? ` and ${cover.chosen.length - 12} more` : "";
  const { item } = wordsOf(data);
  const [kind, noun] = data.locations ? ["Map", "points"] : ["Picture", "elements"];
  return `${kind} of the plan. Chosen ${item}s: ${names || "none"}${rest}. `
    + `${formatNumber(cover.isCovered.filter(Boolean).length)} of `
    + `${formatNumber(data.elements.length)} ${noun} are covered. `
    + `The list of ${item}s has the same controls.`;
}

function siteLine({ data, cover, decided }, item) {
  const states = [decided[item], cover.chosenSet.has(item) ? "chosen" : ""].filter(Boolean);
  return `${data.items[item]}: ${[...states, factsOf(data, cover, item)].join(", ")}.`;
}

function elementLine({ data, cover }, element) {
  const by = cover.coveredBy[element].map((i) => data.items[i]);
  const { unit } = wordsOf(data);
  const weight = formatNumber(data.problem.weights[element]);
  return `${data.elements[element]}: ${weight} ${unit || "weight"}, `
    + `${by.length ? `within reach of ${by.join(", ")}` : "not covered"}.`;
}

function hintOf(data) {
  const { item } = wordsOf(data);
  const one = item === "item" ? "an item" : `a ${item}`;
  return `Click ${one} to require it, again to forbid it, once more to free it. `
    + "The rest is chosen again.";
}

/** A line of text above a place, or below it at the top edge. */
function showTip(group, { x, y }, text) {
  const node = makeSvg("text", { class: "tip", "text-anchor": "middle" }, text);
  const back = makeSvg("rect", { class: "tip-back", rx: 6 });
  group.append(back, node);
  const { width } = group.ownerSVGElement.viewBox.baseVal;
  const half = node.getComputedTextLength() / 2 + 8;
  const middle = Math.max(half + 2, Math.min(x, width - half - 2));
  const base = y > 50 ? y - 24 : y + 34;
  node.setAttribute("x", middle);
  node.setAttribute("y", base);
  const box = { x: middle - half, y: base - 17, width: 2 * half, height: 25 };
  for (const [name, value] of Object.entries(box)) back.setAttribute(name, value);
}

function keyNodes({ kind }) {
  const item = kind === "map" ? "site" : "item";
  const swatch = (node) =>
    makeSvg("svg", { width: 20, height: 20, viewBox: "-1 -1 22 22", "aria-hidden": "true" }, node);
  const center = { x: 10, y: 10 };
  const dot = (style) => makeSvg("circle", { class: style, cx: 10, cy: 10, r: 6 });
  const bar = (style) =>
    makeSvg("rect", { class: style, x: 1, y: 4, width: 18, height: 12, rx: 3 });
  const covering = kind === "bars"
    ? [[bar("bar"), "covers"], [bar("bar alone"), "covered by no other chosen item"]]
    : [[dot("demand covered"), "covered"], [dot("demand"), "not covered"]];
  return [
    [siteMark(center, undefined, true), "chosen"],
    [siteMark(center, undefined, false), `other ${item}`],
    [siteMark(center, "required", true), "required"],
    [siteMark(center, "forbidden", false), "forbidden"],
    ...covering,
  ].map(([node, text]) => make("li", {}, swatch(node), text));
}
