/** A map without streets: demand as dots, sites as triangles, reach as circles. */

import { nameNodes } from "./coverage_labels.js";
import { makeSvg } from "./dom.js";
import { formatNumber } from "./formats.js";

const MARGIN = 26;
const MIN_HEIGHT = 260;
const MAX_HEIGHT = 640;
const MAX_DOTS = 4000;
const KILOMETERS_PER_DEGREE = 111.195;
const MAX_NAMED = 15;
// Of the extent: a larger reach is cut at the edge, as the points would become too small.
const MAX_SHARE_BESIDE = 0.3;
const SIZE_OF_DECIDED = 8.5;
const SIZE_OF_OTHER = 5;
const RADIANS = Math.PI / 180;

/**
 * @typedef {object} View
 * @property {import("./coverage_model.js").Data} data
 * @property {import("./coverage_model.js").Cover} cover
 * @property {(string | undefined)[]} decided decision on each item
 * @property {number} reach of each site, in kilometers or in the unit of x and y
 * @property {Set<number>} framed sites whose reach must fit into a map
 *
 * @typedef {object} Drawn
 * @property {Node[]} nodes
 * @property {number} height
 * @property {{x: number, y: number}[]} items places of the items
 * @property {{x: number, y: number}[]} elements places of the elements
 * @property {"map" | "graph" | "bars"} kind
 * @property {string} note what is not drawn, in a sentence, or ""
 * @property {number} [rest] number of rows that are not drawn
 */

/**
 * Draw a map.
 * @param {View} view
 * @param {number} width
 * @returns {Drawn}
 */
export function drawMap({ data, cover, decided, reach, framed }, width) {
  const { project, height, perUnit, stretch } = projectionOf(data, width, { reach, framed });
  const items = data.locations.items.map(project);
  const elements = data.locations.elements.map(project);
  const circles = cover.chosen.map((i) => makeSvg("ellipse", {
    class: "reach", cx: items[i].x, cy: items[i].y,
    rx: reach * perUnit * stretch(data.locations.items[i]), ry: reach * perUnit,
  }));
  const dots = dotsOf(data, elements, Math.min(1, Math.max(0.6, width / 700)));
  const size = (i) => (cover.chosenSet.has(i) || decided[i] ? SIZE_OF_DECIDED : SIZE_OF_OTHER);
  const marks = [...dots, ...items.map((place, i) => ({ ...place, r: size(i) }))];
  const names = cover.chosen.length > MAX_NAMED
    ? [] : cover.chosen.map((i) => ({ ...items[i], text: data.items[i] }));
  return {
    kind: "map",
    nodes: [
      ...circles,
      ...dots.map(({ a, x, y, r }) => makeSvg("circle", {
        class: cover.isCovered[a] ? "demand covered" : "demand",
        cx: x.toFixed(1), cy: y.toFixed(1), r: r.toFixed(1),
      })),
      ...siteNodes(items, cover, decided),
      ...nameNodes(names, marks, { width, height }),
      ...scaleBar(data, width, height, perUnit),
    ],
    height,
    items,
    elements,
    note: dots.length < elements.length
      ? `The ${formatNumber(dots.length)} heaviest of ${formatNumber(elements.length)} points `
        + "are drawn." : "",
  };
}

/**
 * Equal distances along meridians, and along the parallel in the middle.
 */
function projectionOf({ locations }, width, { reach, framed }) {
  const isGeographic = locations.metric === "haversine";
  const all = [...locations.items, ...locations.elements];
  const cut = isGeographic ? cutOf(all.map(([longitude]) => longitude)) : -Infinity;
  const middle = isGeographic ? mean(all.map(([, latitude]) => latitude)) : 0;
  const narrowed = isGeographic ? Math.cos(middle * RADIANS) : 1;
  const unit = isGeographic ? KILOMETERS_PER_DEGREE : 1;
  const plane = ([x, y]) => [unit * narrowed * (x < cut ? x + 360 : x), unit * y];
  const stretch = ([, latitude]) =>
    (isGeographic ? narrowed / Math.max(Math.cos(latitude * RADIANS), 0.05) : 1);
  const sites = [...framed].map((i) => locations.items[i]);
  const [lowX, highX] = withReach(all.map((point) => plane(point)[0]),
    sites.map((point) => [plane(point)[0], reach * stretch(point)]));
  const [lowY, highY] = withReach(all.map((point) => plane(point)[1]),
    sites.map((point) => [plane(point)[1], reach]));
  const spanX = highX - lowX || highY - lowY || 1;
  const spanY = highY - lowY || spanX / 2;
  const inner = width - 2 * MARGIN;
  const height = Math.max(MIN_HEIGHT,
    Math.min(MAX_HEIGHT, Math.max(width, 480), (inner * spanY) / spanX + 2 * MARGIN));
  const perUnit = Math.min(inner / spanX, (height - 2 * MARGIN) / spanY);
  const left = (width - perUnit * (highX - lowX)) / 2;
  const top = (height - perUnit * (highY - lowY)) / 2;
  return {
    height,
    perUnit,
    project: (point) => {
      const [x, y] = plane(point);
      return { x: left + perUnit * (x - lowX), y: top + perUnit * (highY - y) };
    },
    stretch,
  };
}

/** The ends of all values, with the reach of those that have one. */
function withReach(values, reaching) {
  const [low, high] = ends(values);
  const most = MAX_SHARE_BESIDE * (high - low);
  const [first] = ends(reaching.map(([value, reach]) => value - reach));
  const [, last] = ends(reaching.map(([value, reach]) => value + reach));
  return [Math.min(low, Math.max(first, low - most)), Math.max(high, Math.min(last, high + most))];
}

/**
 * The western end of a map that may cross the date line: after the widest gap.
 * @param {number[]} longitudes
 * @returns {number}
 */
export function cutOf(longitudes) {
  const sorted = [...new Set(longitudes)].sort((one, other) => one - other);
  const gaps = sorted.map((x, k) => (k ? x - sorted[k - 1] : x + 360 - sorted.at(-1)));
  return sorted[gaps.indexOf(Math.max(...gaps))];
}

/** The heaviest points, the light ones above the heavy ones. */
function dotsOf({ problem: { weights } }, places, scale) {
  const heaviest = weights.reduce((most, weight) => Math.max(most, weight), 0) || 1;
  const largest = scale * Math.min(10, Math.max(3.5, 140 / Math.sqrt(places.length)));
  const order = weights.map((_, a) => a)
    .toSorted((one, other) => weights[other] - weights[one]).slice(0, MAX_DOTS);
  return order.map((a) => ({
    a, ...places[a],
    r: Math.max(0.3 * largest, 1.5, largest * Math.sqrt(weights[a] / heaviest)),
  }));
}

function siteNodes(places, { chosenSet }, decided) {
  const rank = (i) => Number(chosenSet.has(i)) + Number(Boolean(decided[i]));
  return places.map((_, i) => i).toSorted((one, other) => rank(one) - rank(other))
    .map((i) => siteMark(places[i], decided[i], chosenSet.has(i)));
}

/**
 * The mark of a site: a triangle, a square if it is required, a cross if it is forbidden.
 * @param {{x: number, y: number}} place
 * @param {string | undefined} decision
 * @param {boolean} isChosen
 * @returns {SVGElement}
 */
export function siteMark({ x, y }, decision, isChosen) {
  const size = isChosen || decision ? SIZE_OF_DECIDED : SIZE_OF_OTHER;
  const shapes = {
    required: `M${-size} ${-size}H${size}V${size}H${-size}Z`,
    forbidden: `M${-6} ${-6}L6 6M6 ${-6}L${-6} 6`,
    free: `M0 ${-1.1 * size}L${size} ${0.8 * size}H${-size}Z`,
  };
  return makeSvg("path", {
    class: `site ${decision ?? "free"}${isChosen ? " chosen" : ""}`,
    d: shapes[decision ?? "free"],
    transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
  });
}

function scaleBar({ locations }, width, height, perUnit) {
  const rough = (0.2 * width) / perUnit;
  const power = 10 ** Math.floor(Math.log10(rough));
  const length = power * [5, 2, 1].find((factor) => factor * power <= rough);
  const end = MARGIN / 2 + perUnit * length;
  const unit = locations.metric === "haversine" ? " km" : "";
  const floor = height - 8;
  return [
    makeSvg("path",
      { class: "scale", d: `M${MARGIN / 2} ${floor - 4}V${floor}H${end}V${floor - 4}` }),
    makeSvg("text", { class: "scale-name", x: MARGIN / 2 + 4, y: floor - 7 },
      `${formatNumber(length)}${unit}`),
  ];
}

function ends(values) {
  return [
    values.reduce((least, value) => Math.min(least, value), Infinity),
    values.reduce((most, value) => Math.max(most, value), -Infinity),
  ];
}

function mean(values) {
  return values.reduce((total, value) => total + value, 0) / values.length;
}
