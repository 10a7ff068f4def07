/** A small line chart with a readout by pointer and keyboard, and a table of numbers. */

import { make, makeSvg, setText } from "./dom.js";
import { formatNumber, formatShare } from "./formats.js";
import { linearScale, logScale } from "./scales.js";

const HEIGHT = 230;
const MARGIN = { top: 26, right: 16, bottom: 40, left: 72 };
// Where there is room, lines have their names at their ends instead of a legend.
const LEAST_WIDTH_FOR_NAMES = 520;
const WIDTH_OF_CHARACTER = 6.4;
const LEAST_DISTANCE_OF_NAMES = 15;

/**
 * @typedef {object} Line
 * @property {string} name
 * @property {string} style class of the line: "first" or "bound"
 * @property {{x: number, y: number}[]} points by ascending x, the same x in every line
 *
 * @typedef {object} Drawing
 * @property {string} label text alternative, in a sentence or two
 * @property {{name: string, isLog?: boolean}} x
 * @property {{name: string, isLog?: boolean, isShare?: boolean, lowest?: number,
 *   highest?: number}} y
 * @property {Line[]} lines
 * @property {boolean} [hasBand] whether the area between the first two lines is filled
 * @property {{name: string, y: number, style: string}[]} [levels] horizontal lines
 * @property {{name: string, x: number} | null} [mark] a vertical line
 */

/**
 * Create a chart in a container.
 * @param {HTMLElement} container
 * @param {{onPick?: (x: number) => void}} [options] called with the x that was clicked
 * @returns {{draw: (drawing: Drawing) => void}}
 */
export function createChart(container, { onPick } = {}) {
  const parts = chartParts(onPick ? " Enter sets the budget." : "");
  container.replaceChildren(parts.figure);
  parts.figure.hidden = true;
  let drawing = null;
  let plot = null;
  let pointed = -1;

  function redraw() {
    if (!drawing || !container.clientWidth) return;
    plot = plotOf(drawing, container.clientWidth);
    parts.svg.replaceChildren(...plot.nodes);
    parts.svg.setAttribute("viewBox", `0 0 ${plot.width} ${HEIGHT}`);
    parts.legend.hidden = plot.hasNames;
    point(pointed);
  }

  function point(k) {
    pointed = k;
    plot?.cursor.replaceChildren(...(k < 0 ? [] : cursorNodes(drawing, plot, k)));
    const text = k < 0 ? "" : readoutOf(drawing, k);
    setText(parts.readout, text || parts.hint);
    parts.range.setAttribute("aria-valuetext", text);
  }

  followPointer(parts.svg, {
    onMove: (place) => plot && point(nearest(drawing, plot.x.toValue(place))),
    onLeave: () => point(-1),
    onClick: (place) => plot && onPick?.(plot.x.toValue(place)),
  });
  followKeys(parts.range, { point, onEnter: (k) => onPick?.(xAt(drawing, k)) });
  parts.numbers.addEventListener("toggle", () => fillNumbers(parts.numbers, drawing));
  new ResizeObserver(redraw).observe(container);

  return {
    draw(next) {
      // With more points, the selected one may have another index.
      if (pointed >= 0) pointed = nearest(next, xAt(drawing, pointed));
      drawing = next;
      parts.figure.hidden = false;
      parts.svg.setAttribute("aria-label", next.label);
      parts.range.setAttribute("aria-label", `Read values by ${next.x.name}.`);
      parts.range.max = String(Math.max(next.lines[0].points.length - 1, 0));
      if (pointed >= 0) parts.range.value = String(pointed);
      parts.legend.replaceChildren(...legendNodes(next));
      fillNumbers(parts.numbers, next);
      redraw();
    },
  };
}

function chartParts(keyHint) {
  const svg = makeSvg("svg", { role: "img", height: HEIGHT });
  // A slider gives keyboards and screen readers access to the values.
  const range = make("input", { type: "range", class: "visually-hidden", min: 0, value: 0 });
  const readout = make("p", { class: "readout" });
  const legend = make("ul", { class: "legend" });
  const numbers = make("details", { class: "numbers" }, make("summary", {}, "Numbers"));
  const figure = make("figure", { class: "chart" }, svg, range, readout, legend, numbers);
  range.title = `Use the arrow keys to read values.${keyHint}`;
  const hint = keyHint ? "Point to read values, click to set the budget." : "Point to read values.";
  return { figure, svg, range, readout, legend, numbers, hint };
}

function plotOf(drawing, fullWidth) {
  const names = fullWidth < LEAST_WIDTH_FOR_NAMES ? [] : namesOf(drawing);
  const longest = names.reduce((most, { text }) => Math.max(most, text.length), 0);
  const width = fullWidth - longest * WIDTH_OF_CHARACTER;
  const x = scaleOf(drawing.x, domainX(drawing), [MARGIN.left, width - MARGIN.right], 6);
  const floor = HEIGHT - MARGIN.bottom;
  const y = scaleOf(drawing.y, domainY(drawing), [floor, MARGIN.top], 5);
  const cursor = makeSvg("g", { class: "cursor" });
  const nodes = [
    ...axisNodes(drawing, x, y, width),
    ...(drawing.hasBand ? [bandNode(drawing.lines, x, y)] : []),
    ...(drawing.levels ?? []).map(({ y: level, style }) =>
      makeSvg("line", { class: `level ${style}`, x1: MARGIN.left, x2: width - MARGIN.right,
        y1: y.toPlace(level), y2: y.toPlace(level) })),
    ...drawing.lines.map((line) => lineNode(line, x, y)),
    ...markNodes(drawing.mark, x, floor, width),
    ...nameNodes(names, y, width),
    cursor,
  ];
  return { x, y, width: fullWidth, nodes, cursor, hasNames: names.length > 0 };
}

/** The names of lines and levels, with the height at which each ends. */
function namesOf({ lines, levels = [], y }) {
  return [
    ...lines.map(({ name, points }) => ({ text: name, y: points.at(-1).y })),
    ...levels.map(({ name, y: level }) => ({ text: `${name} ${valueText(level, y)}`, y: level })),
  ];
}

/** Names from top to bottom, moved apart where they would overlap. */
function nameNodes(names, y, width) {
  let above = -Infinity;
  return names
    .map(({ text, y: value }) => ({ text, place: y.toPlace(value) }))
    .sort((one, other) => one.place - other.place)
    .map(({ text, place }) => {
      above = Math.max(place, above + LEAST_DISTANCE_OF_NAMES);
      return makeSvg("text", { class: "line-name", x: width - MARGIN.right + 6, y: above + 4 }, text);
    });
}

function bandNode([{ points: lower }, { points: upper }], x, y) {
  const places = [...lower, ...upper.toReversed()].map((point) =>
    `${x.toPlace(point.x).toFixed(1)} ${y.toPlace(point.y).toFixed(1)}`);
  return makeSvg("path", { class: "band", d: `M${places.join("L")}Z` });
}

function valueText(value, { isShare }) {
  return isShare ? formatShare(value) : formatNumber(value);
}

function scaleOf({ isLog }, domain, range, numTicks) {
  return (isLog ? logScale : linearScale)(domain, range, numTicks);
}

function domainX({ lines, mark }) {
  const values = lines.flatMap(({ points }) => points.map((point) => point.x));
  if (mark) values.push(mark.x);
  return ends(values);
}

function domainY({ y, lines, levels = [] }) {
  const values = lines.flatMap(({ points }) => points.map((point) => point.y));
  const [low, high] = ends([...values, ...levels.map((level) => level.y)]
    .filter((value) => Number.isFinite(value) && (!y.isLog || value > 0)));
  if (y.isLog) return [10 ** Math.floor(Math.log10(low)), 10 ** Math.ceil(Math.log10(high))];
  const room = 0.06 * (high - low || high || 1);
  return [y.lowest ?? Math.max(0, low - room), y.highest ?? high + room];
}

function ends(values) {
  const low = values.reduce((least, value) => Math.min(least, value), Infinity);
  const high = values.reduce((most, value) => Math.max(most, value), -Infinity);
  return low <= high ? [low, high] : [0.1, 1];
}

function axisNodes(drawing, x, y, width) {
  const floor = HEIGHT - MARGIN.bottom;
  const right = width - MARGIN.right;
  const middle = (MARGIN.left + right) / 2;
  const upright = `rotate(-90) translate(${-(floor + MARGIN.top) / 2} 12)`;
  return [
    ...y.ticks.flatMap((tick) => [
      makeSvg("line", { class: "grid", x1: MARGIN.left, x2: right,
        y1: y.toPlace(tick), y2: y.toPlace(tick) }),
      makeSvg("text", { class: "tick", x: MARGIN.left - 7, y: y.toPlace(tick) + 4,
        "text-anchor": "end" }, tickText(tick, drawing.y)),
    ]),
    makeSvg("line", { class: "axis", x1: MARGIN.left, x2: right, y1: floor, y2: floor }),
    ...x.ticks.map((tick) =>
      makeSvg("text", { class: "tick", x: x.toPlace(tick), y: floor + 16,
        "text-anchor": "middle" }, tickText(tick, drawing.x))),
    makeSvg("text", { class: "name", x: middle, y: HEIGHT - 6, "text-anchor": "middle" },
      drawing.x.name),
    makeSvg("text", { class: "name", transform: upright, "text-anchor": "middle" },
      drawing.y.name),
  ];
}

function tickText(tick, { isLog, isShare }) {
  if (isShare) return formatShare(tick);
  if (isLog && (tick < 1e-3 || tick >= 1e5)) return `1e${Math.round(Math.log10(tick))}`;
  return formatNumber(tick);
}

function lineNode({ points, style }, x, y) {
  const places = points.map((point) =>
    `${x.toPlace(point.x).toFixed(1)} ${y.toPlace(point.y).toFixed(1)}`);
  const path = `M${places.join("L")}`;
  return makeSvg("path", { class: `line ${style}`, d: path });
}

function markNodes(mark, x, floor, width) {
  if (!mark) return [];
  const place = x.toPlace(mark.x);
  const room = 4 * mark.name.length;
  const middle = Math.max(MARGIN.left + room - 30, Math.min(place, width - room));
  return [
    makeSvg("line", { class: "mark", x1: place, x2: place, y1: MARGIN.top - 6, y2: floor }),
    makeSvg("text", { class: "mark-name", x: middle, y: MARGIN.top - 11,
      "text-anchor": "middle" }, mark.name),
  ];
}

function cursorNodes({ lines }, { x, y }, k) {
  const place = x.toPlace(lines[0].points[k].x);
  return [
    makeSvg("line", { x1: place, x2: place, y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom }),
    ...lines.map(({ points }) =>
      makeSvg("circle", { cx: place, cy: y.toPlace(points[k].y), r: 3.5 })),
  ];
}

function readoutOf({ x, y, lines }, k) {
  const values = lines.map(({ name, points }) => `${name} ${valueText(points[k].y, y)}`);
  return `${x.name} ${formatNumber(lines[0].points[k].x)}: ${values.join(", ")}`;
}

function legendNodes({ lines, levels = [], y: axis }) {
  const entries = [
    ...lines.map(({ name, style }) => ["line", style, name]),
    ...levels.map(({ name, style, y }) => ["level", style, `${name} ${valueText(y, axis)}`]),
  ];
  return entries.map(([kind, style, text]) => {
    const swatch = makeSvg("svg", { width: 26, height: 10, "aria-hidden": "true" },
      makeSvg("line", { class: `${kind} ${style}`, x1: 1, x2: 25, y1: 5, y2: 5 }));
    return make("li", {}, swatch, text);
  });
}

/** Fill the table of numbers, which has many elements, only if it is open. */
function fillNumbers(numbers, drawing) {
  numbers.querySelector(".scroll")?.remove();
  if (!numbers.open || !drawing) return;
  const { x, y, lines } = drawing;
  const head = make("tr", {}, make("th", { scope: "col" }, x.name),
    ...lines.map(({ name }) => make("th", { scope: "col" }, name)));
  const rows = lines[0].points.map((point, k) =>
    make("tr", {}, make("th", { scope: "row" }, formatNumber(point.x)),
      ...lines.map(({ points }) => make("td", {}, valueText(points[k].y, y)))));
  const table = make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows));
  // No landmark, as a page may have several charts.
  const group = { class: "scroll", role: "group", tabindex: 0, "aria-label": "Numbers" };
  numbers.append(make("div", group, table));
}

function followPointer(svg, { onMove, onLeave, onClick }) {
  const placeOf = (event) => event.clientX - svg.getBoundingClientRect().left;
  svg.addEventListener("pointermove", (event) => onMove(placeOf(event)));
  svg.addEventListener("pointerleave", onLeave);
  svg.addEventListener("click", (event) => onClick(placeOf(event)));
}

function followKeys(range, { point, onEnter }) {
  const at = () => Number(range.value);
  range.addEventListener("focus", () => point(at()));
  range.addEventListener("input", () => point(at()));
  range.addEventListener("blur", () => point(-1));
  range.addEventListener("keydown", (event) => {
    if (event.key === "Enter") onEnter(at());
  });
}

function nearest({ lines }, value) {
  const distances = lines[0].points.map(({ x }) => Math.abs(x - value));
  return distances.indexOf(Math.min(...distances));
}

function xAt({ lines }, k) {
  return lines[0].points[k].x;
}
