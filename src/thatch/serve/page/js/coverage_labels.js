/** Names beside marks, where they hide the least. */

import { makeSvg } from "./dom.js";

const WIDTH_OF_CHARACTER = 7.4;
const HEIGHT = 16;
const DISTANCE = 12;
const PENALTY_OF_EDGE = 1000;
const PENALTY_OF_NAME = 100;

// Where a name may be: direction from its mark, and how it is aligned; the best first.
const SIDES = [
  [1, 0, "start"], [-1, 0, "end"], [0, -1, "middle"], [0, 1, "middle"],
  [0.7, -0.8, "start"], [0.7, 0.8, "start"], [-0.7, -0.8, "end"], [-0.7, 0.8, "end"],
  [0, -1.6, "middle"], [0, 1.6, "middle"], [1.8, 0, "start"], [-1.8, 0, "end"],
  [1.2, -1.4, "start"], [1.2, 1.4, "start"], [-1.2, -1.4, "end"], [-1.2, 1.4, "end"],
];

/**
 * @typedef {{x: number, y: number, r: number}} Mark
 */

/**
 * Names of marks, each where it overlaps the fewest and smallest marks, and no other name.
 * @param {{x: number, y: number, text: string}[]} names with the places of their marks
 * @param {Mark[]} marks all that are drawn
 * @param {{width: number, height: number}} size of the picture
 * @returns {SVGElement[]}
 */
export function nameNodes(names, marks, size) {
  const boxes = [];
  return names.map((name) => {
    const choices = SIDES.map((side) => boxAt(name, side));
    const penalties = choices.map((box, k) => 0.1 * k + penaltyOf(box, marks, boxes, size));
    const best = choices[penalties.indexOf(Math.min(...penalties))];
    boxes.push(best);
    return makeSvg("text", {
      class: "site-name", x: best.x.toFixed(1), y: best.y.toFixed(1), "text-anchor": best.anchor,
    }, name.text);
  });
}

function boxAt({ x: markX, y: markY, text }, [right, down, anchor]) {
  const width = WIDTH_OF_CHARACTER * text.length;
  const x = markX + DISTANCE * right;
  const middle = markY + (DISTANCE + 4) * down;
  const left = x - width * { start: 0, middle: 0.5, end: 1 }[anchor];
  return {
    x, y: middle + 4, anchor,
    left, right: left + width, top: middle - HEIGHT / 2, bottom: middle + HEIGHT / 2,
  };
}

function penaltyOf(box, marks, boxes, { width, height }) {
  const isOutside = box.left < 2 || box.right > width - 2 || box.top < 2 || box.bottom > height - 2;
  const isOverlapping = (other) => box.left < other.right && other.left < box.right
    && box.top < other.bottom && other.top < box.bottom;
  const isHidden = ({ x, y, r }) => {
    const nearX = Math.max(box.left, Math.min(x, box.right));
    const nearY = Math.max(box.top, Math.min(y, box.bottom));
    return Math.hypot(nearX - x, nearY - y) < r;
  };
  return (isOutside ? PENALTY_OF_EDGE : 0)
    + PENALTY_OF_NAME * boxes.filter(isOverlapping).length
    + marks.filter(isHidden).reduce((total, { r }) => total + r, 0);
}
