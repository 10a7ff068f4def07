/** Coverage by budget as a chart, and alternatives to the plan. */

import { createChart } from "./chart.js";
import { stepsOf } from "./coverage_inputs.js";
import { nearest, wordsOf } from "./coverage_model.js";
import { isCurrent, keysOf } from "./coverage_session.js";
import { byId, make, setText } from "./dom.js";
import { formatCount, formatNumber, formatShare } from "./formats.js";

const HIGH_SHARE = 0.9;
const MAX_NAMED = 3;

/**
 * Draw covered weight against budget.
 * @param {ReturnType<import("./state.js").createState>} state
 */
export function startCoverageCurve(state) {
  const panel = byId("curve");
  const chart = createChart(byId("curve-chart"), {
    onPick: (budget) => {
      const { values } = stepsOf(state.get());
      const { settings } = state.get();
      state.set({ settings: { ...settings, budget: values[nearest(values, budget)] } });
    },
  });
  state.onChange((now, before) => {
    const names = ["curve", "plan", "settings", "decisions", "data"];
    if (!names.some((name) => now[name] !== before[name])) return;
    const isReady = now.curve !== null && now.curve.key === keysOf(now).curve;
    panel.classList.toggle("is-stale", !isReady);
    panel.hidden = now.curve === null;
    if (!isReady || now.settings.budget === null) return;
    chart.draw(drawing(now));
    for (const [id, text] of Object.entries(findings(now))) setText(byId(id), text);
  });
}

/** Points of the curve at budgets of the slider, and that of the plan. */
function pointsOf(now) {
  const { curve, plan, settings } = now;
  const all = new Map(curve.answer.map((point) => [point.budget, point]));
  const isOf = plan && plan.data === curve.data && plan.isCounted === settings.isCounted
    && plan.decisions === curve.decisions;
  if (isOf) all.set(plan.answer.budget, plan.answer);
  const points = [...all.values()].toSorted((one, other) => one.budget - other.budget);
  const { values } = stepsOf(now);
  const [low, high] = [values[0], values.at(-1)];
  const inside = points.filter(({ budget }) => budget > low && budget < high);
  // What is covered within a budget stays so up to the next one.
  const at = (end) => {
    const point = points.findLast(({ budget }) => budget <= end);
    return point ? [{ ...point, budget: end }] : [];
  };
  return low < high ? [...at(low), ...inside, ...at(high)] : at(low);
}

function drawing(now) {
  const { data, settings } = now;
  const { item } = wordsOf(data);
  const points = pointsOf(now);
  const { values, isLog } = stepsOf(now);
  // Bounds may exceed the whole by rounding.
  const share = (weight) => Math.min(1, weight / (data.total || 1));
  const line = (field) => points.map((point) => ({ x: point.budget, y: share(point[field]) }));
  const isBoundSeen = points.some(({ value, upper_bound }) => upper_bound > 1.002 * value);
  const bound = { name: "at most", style: "bound", points: line("upper_bound") };
  const unit = settings.isCounted ? `${item}s` : data.columns?.cost || "cost";
  const [first, last] = [points[0], points.at(-1)];
  const words = ({ value, budget }) =>
    `${formatShare(value / (data.total || 1))} within a budget of ${formatNumber(budget)}`;
  return {
    label: `Coverage against budget: from ${words(first)} to ${words(last)}. `
      + `The budget is ${formatNumber(settings.budget)}.`,
    // The scale of the slider.
    x: { name: `budget (${unit})`, isLog },
    y: { name: `of ${wordsOf(data).whole}`, lowest: 0, highest: 1, isShare: true },
    lines: [
      { name: "covered", style: "first", points: line("value") },
      ...(isBoundSeen ? [bound] : []),
    ],
    hasBand: isBoundSeen,
    mark: {
      name: markName(now, unit),
      x: Math.max(values[0], Math.min(settings.budget, values.at(-1))),
    },
  };
}

/** The budget, with what the plan within it covers. */
function markName(now, unit) {
  const { data, plan, settings: { isCounted, budget } } = now;
  const name = isCounted
    ? formatCount(Math.floor(budget), wordsOf(data).item) : `${unit} ${formatNumber(budget)}`;
  const share = () => formatShare(plan.answer.value / (data.total || 1));
  return isCurrent(now) ? `${name}: ${share()}` : name;
}

function findings(now) {
  const { data, settings } = now;
  const points = pointsOf(now);
  const { item, whole } = wordsOf(data);
  const noun = (budget) => (settings.isCounted
    ? formatCount(budget, item) : `a budget of ${formatNumber(budget)}`);
  const share = ({ value }) => formatShare(value / (data.total || 1));
  const here = points.findLast(({ budget }) => budget <= settings.budget);
  const all = share(now.curve.answer.at(-1));
  const isFree = !data.problem.constraints && !Object.keys(now.decisions).length;
  const next = points.find(({ budget }) => budget > settings.budget);
  const most = points.find(({ value }) => value >= HIGH_SHARE * data.total);
  return {
    "curve-now": here ? `With ${noun(settings.budget)}: ${share(here)} of ${whole}.` : "",
    "curve-next": next
      ? `With ${noun(next.budget)}: ${share(next)}.` : "A larger budget covers no more.",
    "curve-most": most
      ? `${formatShare(HIGH_SHARE)} needs about ${noun(most.budget)}.`
      : isFree ? `All ${item}s together cover ${all}.` : `At most ${all} can be covered.`,
  };
}

/**
 * List alternatives; a click shows one in place of the plan.
 * @param {ReturnType<import("./state.js").createState>} state
 */
export function startAlternatives(state) {
  const list = byId("alternative-list");
  const panel = byId("alternatives");
  list.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (button) state.set({ shown: Number(button.dataset.shown) });
  });
  state.onChange((now, before) => {
    const names = ["alternatives", "plan", "settings", "decisions", "shown"];
    if (!names.some((name) => now[name] !== before[name])) return;
    const isReady = now.alternatives !== null && now.alternatives.key === keysOf(now).plan;
    panel.hidden = now.alternatives === null;
    panel.classList.toggle("is-stale", !isReady);
    for (const button of list.children) button.disabled = !isReady;
    if (!isReady) return;
    const { item } = wordsOf(now.data);
    setText(byId("alternatives-note"),
      `Good plans that differ in at least a fifth of their ${item}s. Select one to see it above.`);
    if (now.alternatives !== before.alternatives || now.plan !== before.plan) {
      list.replaceChildren(...buttonsOf(now));
    }
    [...list.children].forEach((button, k) =>
      button.setAttribute("aria-pressed", String(now.shown === k)));
  });
}

function buttonsOf({ alternatives: { answer, data }, plan }) {
  // The plan that is shown, and what differs from it.
  const plans = [plan.answer, ...answer.slice(1)];
  const { whole, item } = wordsOf(data);
  return plans.map((each, k) => {
    const loss = (plan.answer.value - each.value) / (data.total || 1);
    const share = formatShare(each.value / (data.total || 1));
    const less = loss > 0 ? `${formatShare(loss)} of ${whole} less` : "as good";
    const text = k === 0
      ? `the plan: ${formatCount(each.items.length, item)}`
      : `${less}: ${differenceOf(plan.answer, each, data)}`;
    return make("button", { type: "button", "data-shown": k, "aria-pressed": "false" },
      make("strong", {}, share), make("span", { class: "soft" }, text));
  });
}

function differenceOf(plan, other, data) {
  const without = (one, two) => one.items.filter((label) => !two.items.includes(label));
  const named = (labels) => {
    const names = labels.slice(0, MAX_NAMED)
      .map((label) => (data.problem.item_names ? label : data.items[label]));
    const rest = labels.length - names.length;
    return names.join(", ") + (rest > 0 ? ` and ${rest} more` : "");
  };
  const [added, dropped] = [without(other, plan), without(plan, other)];
  if (!added.length) return `without ${named(dropped)}`;
  return dropped.length ? `${named(added)} instead of ${named(dropped)}` : `also ${named(added)}`;
}
