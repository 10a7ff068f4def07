/** The budget: a slider, a number and a unit that always agree. */

import { sliceByCodePoints } from "./code_points.js";
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
    if (isStudied) steps = stepsOf(study);
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
function budgetSteps(low, high) {
  const first = Math.max(1, Math.floor(low));
  const last = Math.max(first, Math.ceil(high));
  const ratio = (last / first) ** (1 / MOST_STEPS);
  const steps = new Set([first]);
  for (let k = 1; k < MOST_STEPS; k += 1) {
    steps.add(Math.round(Number((first * ratio ** k).toPrecision(3))));
  }
  steps.add(last);
  return [...steps].filter((step) => step <= last);
}

/**
 * The budgets between the shortest passage, or what is required, and the whole text.
 * @param {import("./state.js").Answered} study
 * @returns {number[]}
 */
export function stepsOf(study) {
  const { passages, cost } = study.answer;
  const choosable = passages.filter(({ reason }) => !reason);
  if (!choosable.length) return budgetSteps(1, 100);
  return budgetSteps(Math.max(leastCost(choosable), costOfRequired(study, choosable)), cost);
}

function leastCost(passages) {
  return passages.reduce((least, { cost }) => Math.min(least, cost), Infinity);
}

/** The cheapest passages that meet each requirement, with room for what separates them. */
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

function nearestStep(steps, budget) {
  const distances = steps.map((step) => Math.abs(step - budget));
  return distances.indexOf(Math.min(...distances));
}
