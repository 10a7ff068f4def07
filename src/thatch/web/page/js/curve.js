/** The chart of covered weight against budget. */

import { ask } from "./api.js";
import { stepsOf } from "./budget.js";
import { createChart } from "./chart.js";
import { byId, say } from "./dom.js";
import { formatMeasure, formatNumber, formatShare, formatUnit } from "./formats.js";
import { newestOnly, whenQuiet } from "./newest.js";
import { isEmpty, isOtherTask, isOtherText } from "./session.js";
import { coverageLine } from "./summary.js";

const NUM_BUDGETS = 25;
const NUM_PARTS = 4;
const MAX_SECONDS = 0.5;
const MOST_SHARE = 0.9;
const QUIET_MILLISECONDS = 250;

/**
 * @typedef {{budget: number, value: number, upper_bound: number}} Point
 *
 * @typedef {object} Curve
 * @property {import("./state.js").Answered} study what it is the curve of
 * @property {string} solver
 * @property {Point[]} points
 * @property {number[][]} missing the budgets still to be asked for, part by part
 */

/**
 * Draw the curve of the documents, and mark the budget on it.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {import("./session.js").Session} session
 */
export function startCurve(state, session) {
  const panel = byId("curve");
  const chart = createChart(byId("curve-chart"), {
    onPick: (budget) => session.change({ budget: Math.max(1, Math.round(budget)) }),
  });
  let curve = null;

  const askCurve = newestOnly(() =>
    session.guarded("curve", async (signal) => {
      // What waited for its turn may find the text gone, or not yet studied.
      if (!isStudied(state.get())) return;
      if (!isOf(curve, state.get())) curve = emptyCurve(state.get());
      const { missing, points } = curve;
      missing.push(...doubleOf(curve, state.get().settings));
      while (missing.length && isOf(curve, state.get())) {
        const answer = await ask("curve", curveRequest(curve, missing[0]), signal);
        points.push(...answer.curve);
        missing.shift();
        show();
      }
    }));

  function show() {
    const now = state.get();
    const isReady = isOf(curve, now) && curve.points.length > 0;
    panel.classList.toggle("is-old", !isReady);
    if (isReady) chart.draw(drawing(curve, now));
    const texts = isReady ? findings(curve, now) : NO_FINDINGS;
    for (const [id, text] of Object.entries(texts ?? {})) say(byId(id), text);
  }

  // Two dozen summaries are work: they wait until somebody is about to see them.
  let isSeen = false;
  const askIfSeen = () => {
    if (isSeen) askCurve();
  };
  const askQuietly = whenQuiet(QUIET_MILLISECONDS, askIfSeen);
  new IntersectionObserver(
    ([entry]) => {
      isSeen = entry.isIntersecting;
      askIfSeen();
    },
    { rootMargin: "150px" },
  ).observe(panel);

  state.onChange((now, before) => {
    panel.hidden = isEmpty(now.documents) && !now.isOpening;
    const isNew = now.study !== before.study || now.attempt !== before.attempt
      || now.settings.solver !== before.settings.solver;
    const isMoved = now.settings.budget !== before.settings.budget;
    if (isNew) askIfSeen();
    if (isMoved) askQuietly();
    const isOther = isMoved || isOtherText(now, before) || now.summary !== before.summary;
    if (isNew || isOther) show();
  });
}

function isStudied(state) {
  return state.study !== null && !isOtherText(state, state.study);
}

function isOf(curve, state) {
  return curve !== null && isStudied(state)
    && curve.study === state.study && curve.solver === state.settings.solver;
}

/** @returns {Curve} */
function emptyCurve({ study, settings }) {
  return { study, solver: settings.solver, points: [], missing: budgetsInParts(study) };
}

/**
 * Budgets over the whole axis, and then those between: a slider never waits for all.
 * They are close where they are small, for there the curve bends.
 */
function budgetsInParts(study) {
  const steps = stepsOf(study);
  const count = Math.min(NUM_BUDGETS, steps.length);
  const budgets = Array.from({ length: count }, (_, k) =>
    steps[Math.round(((steps.length - 1) * k) / Math.max(count - 1, 1))]);
  const parts = Array.from({ length: NUM_PARTS }, (_, part) =>
    budgets.filter((_budget, k) => k % NUM_PARTS === part));
  return parts.filter((part) => part.length);
}

/** Twice the budget, as a part of its own, if that is neither known nor too much. */
function doubleOf({ study, points, missing }, { budget }) {
  const isKnown = [...points.map((point) => point.budget), ...missing.flat()]
    .includes(2 * budget);
  return isKnown || 2 * budget >= stepsOf(study).at(-1) ? [] : [[2 * budget]];
}

function curveRequest({ study, solver }, budgets) {
  const { documents, settings } = study;
  return { ...settings.textRequest(documents), budgets, solver, max_seconds: MAX_SECONDS };
}

/** The points by budget; the summary that is shown is one of them. */
function line({ points }, state) {
  const all = new Map(points.map((point) => [point.budget, point]));
  if (isShown(state)) all.set(state.summary.answer.budget, state.summary.answer);
  return [...all.values()].toSorted((one, other) => one.budget - other.budget);
}

function isShown(state) {
  return state.summary !== null && !isOtherTask(state, state.summary);
}

const NO_FINDINGS = { "curve-now": "", "curve-double": "", "curve-most": "" };

/**
 * What the curve says to somebody who does not read charts, and only what is known; null
 * while the summary is on its way.
 */
function findings(curve, state) {
  if (curve.missing.length) return NO_FINDINGS;
  if (!isShown(state)) return null;
  const { study } = curve;
  const { unit, value: total } = study.answer;
  const { budget } = state.settings;
  const points = line(curve, state);
  const share = ({ value }) => formatShare(value / (total || 1));
  const double = points.find((point) => point.budget === 2 * budget);
  const most = points.find(({ value }) => value >= MOST_SHARE * total);
  return {
    "curve-now": `Within ${formatMeasure(budget, unit)}: `
      + `${coverageLine(state.summary.answer.value / (total || 1), study.settings)}.`,
    "curve-double": double ? `Twice as much would say ${share(double)}.` : "",
    "curve-most": most
      ? `${formatShare(MOST_SHARE)} takes about ${formatMeasure(most.budget, unit)} of `
        + `${formatNumber(points.at(-1).budget)}.`
      : "",
  };
}

function drawing(curve, state) {
  const { study } = curve;
  const { unit } = study.answer;
  const { budget } = state.settings;
  const points = line(curve, state);
  const places = (field) => points.map((point) => ({ x: point.budget, y: point[field] }));
  const isBoundSeen = points.some(({ value, upper_bound }) => upper_bound > 1.002 * value);
  const bound = { name: "upper bound", style: "bound", points: places("upper_bound") };
  const [first, last] = [points[0], points.at(-1)];
  return {
    label: `Covered weight against budget: from ${formatNumber(first.value)} within `
      + `${formatMeasure(first.budget, unit)} to ${formatNumber(last.value)}, which is `
      + `${formatShare(last.value / (study.answer.value || 1))} of all, within `
      + `${formatMeasure(last.budget, unit)}. The budget is ${formatMeasure(budget, unit)}.`,
    x: { name: formatUnit("budget", unit) },
    y: { name: "covered weight", lowest: 0 },
    lines: [
      { name: "covered weight", style: "first", points: places("value") },
      ...(isBoundSeen ? [bound] : []),
    ],
    mark: budget <= last.budget ? { name: formatMeasure(budget, unit), x: budget } : null,
  };
}
