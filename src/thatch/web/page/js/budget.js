/** The budget: a slider, a number and a unit that always agree. */

import { byId, say } from "./dom.js";
import { formatMeasure, formatNumber } from "./formats.js";
import { UNITS } from "./settings.js";

const MOST_STEPS = 160;

/**
 * Let the reader set the budget.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {import("./session.js").Session} session
 */
export function startBudget(state, session) {
  const slider = byId("budget-slider");
  const number = byId("budget-number");
  const unit = byId("unit");
  let steps = budgetSteps(1, 10 * UNITS.words.budget);

  slider.addEventListener("input", () =>
    session.change({ budget: steps[Number(slider.value)] }));
  number.addEventListener("input", () => {
    if (Number(number.value) > 0) session.change({ budget: Number(number.value) });
  });
  number.addEventListener("change", () => show(state.get()));
  unit.addEventListener("change", () =>
    state.set({ settings: state.get().settings.withUnit(unit.value) }));

  function show({ settings, study }) {
    const isStudied = study && study.settings.unit === settings.unit;
    if (isStudied) steps = stepsOf(study.answer);
    const printed = isStudied ? study.answer.unit : settings.unit;
    slider.max = String(steps.length - 1);
    slider.value = String(nearestStep(steps, settings.budget));
    slider.setAttribute("aria-valuetext", formatMeasure(settings.budget, printed));
    if (document.activeElement !== number) number.value = String(settings.budget);
    unit.value = settings.unit;
    say(byId("budget-low"), formatNumber(steps[0]));
    say(byId("budget-high"), `${formatNumber(steps.at(-1))}: everything`);
    say(byId("unit-note"), isStudied ? study.answer.note : "");
  }

  state.onChange((now, before) => {
    if (now.settings !== before.settings || now.study !== before.study) show(now);
  });
  show(state.get());
}

/**
 * Budgets from low to high, each a few percent above the last: whole, and round where
 * they are large. So every key press changes the budget, and 20 words can be told from
 * 25 in a text of 10,000.
 * @param {number} low
 * @param {number} high
 * @returns {number[]} ascending
 */
export function budgetSteps(low, high) {
  const first = Math.max(1, Math.floor(low));
  const last = Math.max(first + 1, Math.ceil(high));
  const ratio = (last / first) ** (1 / MOST_STEPS);
  const steps = new Set([first]);
  for (let k = 1; k < MOST_STEPS; k += 1) {
    steps.add(Math.round(Number((first * ratio ** k).toPrecision(3))));
  }
  steps.add(last);
  return [...steps].filter((step) => step <= last);
}

/**
 * The budgets between the shortest passage and the whole text.
 * @param {{passages: {cost: number, reason: string}[], cost: number}} study
 * @returns {number[]}
 */
export function stepsOf({ passages, cost }) {
  const costs = passages.filter(({ reason }) => !reason).map((passage) => passage.cost);
  const least = costs.reduce((low, each) => Math.min(low, each), Infinity);
  return costs.length ? budgetSteps(least, cost) : budgetSteps(1, 100);
}

function nearestStep(steps, budget) {
  const distances = steps.map((step) => Math.abs(step - budget));
  return distances.indexOf(Math.min(...distances));
}
