/** The chart of covered weight against budget. */

import { post } from "./api.js";
import { stepsOf } from "./budget.js";
import { createChart } from "./chart.js";
import { byId, setText } from "./dom.js";
import { formatMeasure, formatNumber, formatShare, formatUnit } from "./formats.js";
import { debounced, latestOnly, PAUSES } from "./latest.js";
import { isEmpty, isOtherTask, isOtherText } from "./session.js";
import { coverageLine, coveredShare } from "./headline.js";
import { hasChoices } from "./state.js";

const NUM_BUDGETS = 25;
const NUM_ROUNDS = 4;
const MAX_SECONDS = 0.5;
const HIGH_SHARE = 0.9;

/**
 * @typedef {{budget: number, value: number, upper_bound: number, total: number}} Point
 *
 * @typedef {object} Curve
 * @property {import("./state.js").Answered} analysis text of the curve
 * @property {string} solver
 * @property {Point[]} points
 * @property {number[][]} missing budgets still to be requested, round by round
 */

/**
 * Draw covered weight against budget, and mark the current budget.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {import("./session.js").Session} session
 */
export function startCurve(state, session) {
  const panel = byId("curve");
  const chart = createChart(byId("curve-chart"), {
    onPick: (budget) => session.change({ budget: Math.max(1, Math.round(budget)) }),
  });
  let curve = null;

  let isLoading = false;
  const loadCurve = latestOnly(async () => {
    isLoading = true;
    await session.guarded("curve", async (signal) => {
      // Meanwhile the text may have been removed, or may not be analyzed yet.
      if (!isAnalyzed(state.get())) return;
      if (!isOf(curve, state.get())) curve = emptyCurve(state.get());
      const { missing, points } = curve;
      missing.push(...doubleOf(curve, state.get().settings));
      while (missing.length && isOf(curve, state.get())) {
        const answer = await post("curve", curveRequest(curve, missing[0]), signal);
        points.push(...answer.curve);
        missing.shift();
        show();
      }
    });
    isLoading = false;
    show();
  });

  function show() {
    const now = state.get();
    const isReady = isOf(curve, now) && curve.points.length > 0;
    panel.classList.toggle("is-stale", !isReady);
    if (isReady) chart.draw(drawing(curve, now));
    const texts = isReady ? findings(curve, now) : isLoading ? COMPUTING : NO_FINDINGS;
    for (const [id, text] of Object.entries(texts ?? {})) setText(byId(id), text);
  }

  // Two dozen summaries take time: they are loaded when the panel becomes visible.
  let isVisible = false;
  const loadIfVisible = () => {
    if (isVisible) loadCurve();
  };
  const loadDebounced = debounced(PAUSES.loading, loadIfVisible);
  new IntersectionObserver(
    ([entry]) => {
      isVisible = entry.isIntersecting;
      loadIfVisible();
    },
    { rootMargin: "150px" },
  ).observe(panel);

  state.onChange((now, before) => {
    panel.hidden = isEmpty(now.documents) && !now.isOpening;
    const isNew = now.analysis !== before.analysis || now.attempt !== before.attempt
      || now.settings.solver !== before.settings.solver;
    const isMoved = now.settings.budget !== before.settings.budget;
    if (isNew) loadIfVisible();
    if (isMoved) loadDebounced();
    const isOther = isMoved || isOtherText(now, before) || now.summary !== before.summary;
    if (isNew || isOther) show();
  });
}

function isAnalyzed(state) {
  return state.analysis !== null && !isOtherText(state, state.analysis);
}

function isOf(curve, state) {
  return curve !== null && isAnalyzed(state)
    && !isOtherText(state, curve.analysis) && curve.solver === state.settings.solver;
}

/** @returns {Curve} */
function emptyCurve({ analysis, settings }) {
  return { analysis, solver: settings.solver, points: [], missing: budgetsInRounds(analysis) };
}

/**
 * Budgets over the whole axis first, then those in between, so that a moving slider never
 * waits for all. Small budgets are closer together, as the curve bends there.
 */
function budgetsInRounds(analysis) {
  const steps = stepsOf(analysis);
  const count = Math.min(NUM_BUDGETS, steps.length);
  const budgets = Array.from({ length: count }, (_, k) =>
    steps[Math.round(((steps.length - 1) * k) / Math.max(count - 1, 1))]);
  const rounds = Array.from({ length: NUM_ROUNDS }, (_, round) =>
    budgets.filter((_budget, k) => k % NUM_ROUNDS === round));
  return rounds.filter((round) => round.length);
}

/** Twice the budget, as a separate round, unless it is known or exceeds the text. */
function doubleOf({ analysis, points, missing }, { budget }) {
  const isKnown = [...points.map((point) => point.budget), ...missing.flat()]
    .includes(2 * budget);
  return isKnown || 2 * budget >= stepsOf(analysis).at(-1) ? [] : [[2 * budget]];
}

function curveRequest({ analysis, solver }, budgets) {
  const { documents, settings } = analysis;
  return { ...settings.textRequest(documents), budgets, solver, max_seconds: MAX_SECONDS };
}

/** Points by ascending budget, including the summary that is shown. */
function line({ points }, state) {
  const all = new Map(points.map((point) => [point.budget, point]));
  // With choices by hand, a summary is not the best of its length.
  const isBest = isShown(state) && !hasChoices(state.choices);
  if (isBest) all.set(state.summary.answer.budget, state.summary.answer);
  return [...all.values()].toSorted((one, other) => one.budget - other.budget);
}

function isShown(state) {
  return state.summary !== null && !isOtherTask(state, state.summary);
}

const NO_FINDINGS = { "curve-now": "", "curve-double": "", "curve-most": "" };
const COMPUTING = { ...NO_FINDINGS, "curve-now": "Computing …" };

/**
 * The curve in words; null while the summary is loading.
 */
function findings(curve, state) {
  if (curve.missing.length) return COMPUTING;
  if (!isShown(state)) return null;
  const { analysis } = curve;
  const { unit } = analysis.answer;
  const { budget } = state.settings;
  const points = line(curve, state);
  const double = points.find((point) => point.budget === 2 * budget);
  const most = points.find((point) => coveredShare(point) >= HIGH_SHARE);
  return {
    "curve-now": hasChoices(state.choices) ? "The curve is without your choices."
      : `Within ${formatMeasure(budget, unit)}: `
        + `${coverageLine(coveredShare(state.summary.answer), analysis.settings)}.`,
    "curve-double": double ? `Twice the length: ${formatShare(coveredShare(double))}.` : "",
    "curve-most": most
      ? `${formatShare(HIGH_SHARE)} needs about ${formatMeasure(most.budget, unit)} of `
        + `${formatNumber(points.at(-1).budget)}.`
      : "",
  };
}

function drawing(curve, state) {
  const { analysis } = curve;
  const { unit } = analysis.answer;
  const { budget } = state.settings;
  const points = line(curve, state);
  const places = (field) => points.map((point) => ({
    x: point.budget, y: coveredShare({ value: point[field], total: point.total }),
  }));
  const isBoundSeen = points.some(({ value, upper_bound }) => upper_bound > 1.002 * value);
  const bound = { name: "upper bound", style: "bound", points: places("upper_bound") };
  const [first, last] = [points[0], points.at(-1)];
  const isOnLine = isShown(state) && !hasChoices(state.choices);
  const now = isOnLine ? `: ${formatShare(coveredShare(state.summary.answer))}` : "";
  return {
    label: `Coverage against length: from ${formatShare(coveredShare(first))} within `
      + `${formatMeasure(first.budget, unit)} to ${formatShare(coveredShare(last))} within `
      + `${formatMeasure(last.budget, unit)}. The length is ${formatMeasure(budget, unit)}.`,
    // The scale of the slider.
    x: { name: formatUnit("length", unit), isLog: true },
    y: { name: "of the content", lowest: 0, isShare: true },
    lines: [
      { name: "covered", style: "first", points: places("value") },
      ...(isBoundSeen ? [bound] : []),
    ],
    hasBand: isBoundSeen,
    mark: budget <= last.budget && budget >= first.budget
      ? { name: `${formatMeasure(budget, unit)}${now}`, x: budget }
      : null,
  };
}
