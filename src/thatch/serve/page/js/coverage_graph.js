/** Problems without places: items and elements as a graph, or items as bars. */

import { makeSvg } from "./dom.js";
import { formatNumber, formatShare } from "./formats.js";
import { siteMark } from "./coverage_map.js";

const MAX_DRAWN = 60;
const ROW = 24;
const TOP = 20;

/**
 * Draw items on the left and the elements that they cover on the right; if there are
 * many, the items alone, ranked by what they cover.
 * @param {import("./coverage_map.js").View} view
 * @param {number} width
 * @param {number} maxRows of items alone
 * @returns {import("./coverage_map.js").Drawn}
 */
export function drawGraph(view, width, maxRows) {
  const { items, elements } = view.data;
  const isSmall = items.length <= MAX_DRAWN && elements.length <= MAX_DRAWN;
  return isSmall ? graph(view, width) : bars(view, width, maxRows);
}

function graph({ data, cover, decided }, width) {
  const { problem, items, elements } = data;
  const rows = Math.max(items.length, elements.length);
  const height = 2 * TOP + ROW * (rows - 1);
  const spread = (count, x) => (_, k) =>
    ({ x, y: TOP + (count > 1 ? ((rows - 1) * ROW * k) / (count - 1) : (height / 2 - TOP)) });
  const margin = Math.min(170, 0.33 * width);
  const left = items.map(spread(items.length, margin));
  const right = elements.map(spread(elements.length, width - margin));
  const heaviest = Math.max(...problem.weights, 0) || 1;
  const lines = problem.sets.flatMap((set, i) => set.map((a) => makeSvg("line", {
    class: cover.chosenSet.has(i) ? "edge chosen" : "edge",
    x1: left[i].x, y1: left[i].y, x2: right[a].x, y2: right[a].y,
  })));
  const radius = (a) => Math.max(2.5, 9 * Math.sqrt(problem.weights[a] / heaviest));
  return {
    kind: "graph",
    nodes: [
      ...lines.toSorted((one, other) => one.classList.length - other.classList.length),
      ...right.map(({ x, y }, a) => makeSvg("circle", {
        class: cover.isCovered[a] ? "demand covered" : "demand", cx: x, cy: y, r: radius(a),
      })),
      ...left.map((place, i) => siteMark(place, decided[i], cover.chosenSet.has(i))),
      ...left.map(({ x, y }, i) => nameNode(items[i], x - 15, y, "end", margin - 20)),
      ...right.map(({ x, y }, a) => nameNode(elements[a], x + 15, y, "start", margin - 20)),
    ],
    height,
    items: left,
    elements: right,
    note: "",
  };
}

function bars({ data, cover, decided }, width, maxRows) {
  const order = data.items.map((_, i) => i).toSorted((one, other) =>
    Number(cover.chosenSet.has(other)) - Number(cover.chosenSet.has(one))
    || cover.reaches[other] - cover.reaches[one]).slice(0, maxRows);
  const most = cover.reaches.reduce((high, weight) => Math.max(high, weight), 0) || 1;
  const margin = Math.min(190, 0.38 * width);
  const room = width - margin - 70;
  const items = data.items.map(() => ({ x: -1000, y: -1000 }));
  const nodes = order.flatMap((i, k) => {
    const y = TOP + ROW * k;
    const bar = (weight, style) => makeSvg("rect", {
      class: style, x: margin, y: y - 8, height: 16, rx: 3, width: (room * weight) / most,
    });
    items[i] = { x: margin - 14, y };
    return [
      bar(cover.reaches[i], "bar"),
      ...(cover.alone[i] > 0 ? [bar(cover.alone[i], "bar alone")] : []),
      siteMark(items[i], decided[i], cover.chosenSet.has(i)),
      nameNode(data.items[i], margin - 30, y, "end", margin - 34),
      makeSvg("text", { x: margin + (room * cover.reaches[i]) / most + 6, y: y + 4 },
        formatShare(cover.reaches[i] / (data.total || 1))),
    ];
  });
  const rest = data.items.length - order.length;
  return {
    kind: "bars",
    nodes,
    height: 2 * TOP + ROW * (order.length - 1),
    items,
    elements: [],
    note: rest > 0 ? `${formatNumber(order.length)} of ${formatNumber(data.items.length)} items, `
      + "chosen ones first." : "",
    rest,
  };
}

function nameNode(name, x, y, anchor, room) {
  const fitting = Math.max(4, Math.floor(room / 7.2));
  const text = name.length > fitting ? `${name.slice(0, fitting - 1)}…` : name;
  return makeSvg("text", { x, y: y + 4, "text-anchor": anchor }, text);
}
