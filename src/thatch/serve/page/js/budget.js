/** The budget: a slider, a number and a unit, kept in step. */

import { sliceByCodePoints } from "./code_points.js";
import { byId, setText } from "./dom.js";
import { formatMeasure, formatNumber } from "./formats.js";
import { optionNamed } from "./options.js";
import { choiceNodes } from "./settings_form.js";

const MAX_STEPS = 160;

/**
 * Let the user set the budget.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {import("./session.js").Session} session
 */
export function startBudget(state, session) {
  const slider = byId("budget-slider");
  const number = byId("budget-number");
  const unit = byId("unit");
  let steps = budgetSteps(1, 10 * optionNamed("budget").default);
  unit.append(...choiceNodes(optionNamed("unit")));

  slider.addEventListener("input", () =>
    session.change({ budget: steps[Number(slider.value)] }));
  number.addEventListener("input", () => {
    if (isRightBudget("length")) session.change({ budget: Number(number.value) });
  });
  number.addEventListener("change", () => {
    if (isRightBudget("length")) show(state.get());
  });
  unit.addEventListener("change", () =>
    state.set({ settings: state.get().settings.withUnit(unit.value) }));

  function show({ settings, analysis }) {
    const isAnalyzed = analysis && analysis.settings.unit === settings.unit;
    if (isAnalyzed) steps = stepsOf(analysis);
    const printed = isAnalyzed ? analysis.answer.unit : settings.unit;
    slider.max = String(steps.length - 1);
    slider.value = String(nearestStep(steps, settings.budget));
    slider.setAttribute("aria-valuetext", formatMeasure(settings.budget, printed));
    if (document.activeElement !== number) {
      number.value = String(settings.budget);
      showBudgetError("");
    }
    unit.value = settings.unit;
    setText(byId("budget-low"), isAnalyzed ? formatNumber(steps[0]) : "");
    setText(byId("budget-high"), isAnalyzed ? `${formatNumber(steps.at(-1))}: full text` : "");
    setText(byId("unit-note"), isAnalyzed ? analysis.answer.note : "");
  }

  state.onChange((now, before) => {
    if (now.settings !== before.settings || now.analysis !== before.analysis) show(now);
  });
  show(state.get());
}

/**
 * Whether the typed budget is a positive number; if not, say what is wrong.
 * @param {string} name what the page calls a budget
 * @returns {boolean}
 */
export function isRightBudget(name) {
  const { value, validity } = byId("budget-number");
  const isMissing = validity.badInput || value === "";
  const isRight = !isMissing && Number(value) > 0;
  const error = isMissing ? "Enter a number." : `The ${name} is ${value}; it must be more than 0.`;
  showBudgetError(isRight ? "" : error);
  return isRight;
}

/**
 * Show what is wrong with the typed budget.
 * @param {string} error or ""
 */
export function showBudgetError(error) {
  setText(byId("budget-error"), error);
  if (error) byId("budget-number").setAttribute("aria-invalid", "true");
  else byId("budget-number").removeAttribute("aria-invalid");
}

/**
 * Budgets from low to high, each a few percent above the last: whole numbers, rounded
 * where they are large. Every key press changes the budget, and small budgets can be set
 * precisely even in a long text.
 * @param {number} low
 * @param {number} high
 * @returns {number[]} ascending
 */
export function budgetSteps(low, high) {
  const first = Math.max(1, Math.floor(low));
  const last = Math.max(first, Math.ceil(high));
  const ratio = (last / first) ** (1 / MAX_STEPS);
  const steps = new Set([first]);
  for (let k = 1; k < MAX_STEPS; k += 1) {
    steps.add(Math.round(Number((first * ratio ** k).toPrecision(3))));
  }
  steps.add(last);
  return [...steps].filter((step) => step <= last);
}

/**
 * Budgets from the cheapest possible summary to the full text.
 * @param {import("./state.js").Answered} analysis
 * @returns {number[]}
 */
export function stepsOf(analysis) {
  const { passages, cost } = analysis.answer;
  const choosable = passages.filter(({ reason }) => !reason);
  if (!choosable.length) return budgetSteps(1, 100);
  return budgetSteps(Math.max(leastCost(choosable), costOfRequired(analysis, choosable)), cost);
}

function leastCost(passages) {
  return passages.reduce((least, { cost }) => Math.min(least, cost), Infinity);
}

/** Cost of the cheapest passage per requirement, with room for separators. */
function costOfRequired({ documents, settings }, choosable) {
  if (!settings.require.length) return 0;
  const slices = documents.map(({ text }) => sliceByCodePoints(text));
  const texts = choosable.map(({ document, start, end }) => folded(slices[document](start, end)));
  const costs = settings.require.map((required) =>
    leastCost(choosable.filter((_, k) => texts[k].includes(folded(required)))));
  return costs.filter(Number.isFinite).reduce((sum, cost) => sum + cost + 2, 0);
}

function folded(text) {
  return text.normalize("NFC").toLowerCase().split(/\s+/).join(" ").trim();
}

/**
 * Position of the step that is nearest to a budget.
 * @param {number[]} steps
 * @param {number} budget
 * @returns {number}
 */
export function nearestStep(steps, budget) {
  const distances = steps.map((step) => Math.abs(step - budget));
  return distances.indexOf(Math.min(...distances));
}
