/** Coverage by budget as a chart, and alternatives to the plan. */

import { createChart } from "./chart.js";
import { stepsOf } from "./coverage_inputs.js";
import { nearest, wordsOf } from "./coverage_model.js";
import { keysOf } from "./coverage_session.js";
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

/** Points of the curve up to the first that covers all, and that of the plan. */
function pointsOf({ curve, plan, settings }) {
  const all = new Map(curve.answer.map((point) => [point.budget, point]));
  const isOf = plan && plan.data === curve.data && plan.isCounted === settings.isCounted
    && plan.decisions === curve.decisions;
  if (isOf) all.set(plan.answer.budget, plan.answer);
  const points = [...all.values()].toSorted((one, other) => one.budget - other.budget);
  const most = points.at(-1).value * (1 - 1e-9);
  const last = points.findIndex(({ value }) => value >= most);
  return points.slice(0, Math.max(last + 2, 2));
}

function drawing(now) {
  const { data, settings } = now;
  const { item } = wordsOf(data);
  const points = pointsOf(now);
  const share = (weight) => weight / (data.total || 1);
  const line = (field) => points.map((point) => ({ x: point.budget, y: share(point[field]) }));
  const isBoundSeen = points.some(({ value, upper_bound }) => upper_bound > 1.002 * value);
  const bound = { name: "at most", style: "bound", points: line("upper_bound") };
  const unit = settings.isCounted ? `${item}s` : data.columns?.cost || "cost";
  const markName = settings.isCounted
    ? formatCount(settings.budget, item) : `${unit} ${formatNumber(settings.budget)}`;
  const [first, last] = [points[0], points.at(-1)];
  const words = ({ value, budget }) =>
    `${formatShare(value / (data.total || 1))} within a budget of ${formatNumber(budget)}`;
  return {
    label: `Coverage against budget: from ${words(first)} to ${words(last)}. `
      + `The budget is ${formatNumber(settings.budget)}.`,
    x: { name: `budget (${unit})`, isLog: stepsOf(now).isLog },
    y: { name: `of ${wordsOf(data).whole}`, lowest: 0, isShare: true },
    lines: [
      { name: "covered", style: "first", points: line("value") },
      ...(isBoundSeen ? [bound] : []),
    ],
    hasBand: isBoundSeen,
    mark: settings.budget >= first.budget && settings.budget <= last.budget
      ? { name: markName, x: settings.budget } : null,
  };
}

function findings(now) {
  const { data, settings } = now;
  const points = pointsOf(now);
  const { item, whole } = wordsOf(data);
  const noun = (budget) => (settings.isCounted
    ? formatCount(budget, item) : `a budget of ${formatNumber(budget)}`);
  const share = ({ value }) => formatShare(value / (data.total || 1));
  const here = points.findLast(({ budget }) => budget <= settings.budget);
  const next = points.find(({ budget }) => budget > settings.budget);
  const most = points.find(({ value }) => value >= HIGH_SHARE * data.total);
  return {
    "curve-now": here ? `With ${noun(settings.budget)}: ${share(here)} of ${whole}.` : "",
    "curve-next": next
      ? `With ${noun(next.budget)}: ${share(next)}.` : "A larger budget covers no more.",
    "curve-most": most
      ? `${formatShare(HIGH_SHARE)} needs about ${noun(most.budget)}.`
      : `No budget covers ${formatShare(HIGH_SHARE)}.`,
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
