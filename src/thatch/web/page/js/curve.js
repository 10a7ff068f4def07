/** The chart of covered weight against budget. */

import { ask } from "./api.js";
import { stepsOf } from "./budget.js";
import { createChart } from "./chart.js";
import { byId, say } from "./dom.js";
import { formatMeasure, formatNumber, formatShare } from "./formats.js";
import { newestOnly } from "./newest.js";
import { isEmpty } from "./session.js";

const NUM_BUDGETS = 25;
const NUM_PARTS = 4;
const MAX_SECONDS = 0.5;
const MOST_SHARE = 0.9;

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
  let drawn = null;

  const askCurve = newestOnly((study) =>
    session.guarded("curve", async (signal) => {
      const found = [];
      for (const budgets of budgetsInParts(study)) {
        if (state.get().study !== study) return;
        const answer = await ask("curve", curveRequest(study, budgets), signal);
        found.push(...answer.curve);
        drawn = { curve: found.toSorted((a, b) => a.budget - b.budget), study };
        show();
      }
    }));

  function show() {
    const { study, settings } = state.get();
    const isReady = drawn !== null && drawn.study === study && drawn.curve.length > 1;
    panel.classList.toggle("is-old", !isReady);
    if (!isReady) return;
    chart.draw(drawing(drawn, settings));
    for (const [id, text] of Object.entries(findings(drawn, settings))) say(byId(id), text);
  }

  // Two dozen summaries are work: they wait until somebody is about to see them.
  let isSeen = false;
  const askIfSeen = () => {
    const { study } = state.get();
    if (isSeen && study && drawn?.study !== study) askCurve(study);
  };
  new IntersectionObserver(
    ([entry]) => {
      isSeen = entry.isIntersecting;
      askIfSeen();
    },
    { rootMargin: "150px" },
  ).observe(panel);

  state.onChange((now, before) => {
    panel.hidden = isEmpty(now.documents) && !now.isOpening;
    const isNew = now.study !== before.study || now.attempt !== before.attempt;
    if (isNew) askIfSeen();
    if (isNew || now.settings.budget !== before.settings.budget) show();
  });
}

/** Budgets over the whole axis, and then those between: a slider never waits for all. */
function budgetsInParts(study) {
  const steps = stepsOf(study);
  const [low, high] = [steps[0], steps.at(-1)];
  const count = Math.min(NUM_BUDGETS, steps.length);
  const budgets = new Set(Array.from({ length: count }, (_, k) =>
    Math.round(low + ((high - low) * k) / Math.max(count - 1, 1))));
  const parts = Array.from({ length: NUM_PARTS }, (_, part) =>
    [...budgets].filter((_budget, k) => k % NUM_PARTS === part));
  return parts.filter((part) => part.length);
}

function curveRequest({ documents, settings }, budgets) {
  return { ...settings.textRequest(documents), budgets, max_seconds: MAX_SECONDS };
}

/** What the curve says to somebody who does not read charts. */
function findings({ curve, study }, { budget }) {
  const { unit } = study.answer;
  const total = study.answer.value || 1;
  const share = (measure) => formatShare(valueAt(curve, measure) / total);
  const last = curve.at(-1).budget;
  const most = curve.find(({ value }) => value >= MOST_SHARE * total);
  const isSaid = 2 * budget < last;
  return {
    "curve-now": `Within ${formatMeasure(budget, unit)}: about ${share(budget)} of what `
      + "the text says.",
    "curve-double": isSaid ? `Twice as much would say ${share(2 * budget)}.` : "",
    "curve-most": most
      ? `${formatShare(MOST_SHARE)} takes about ${formatMeasure(most.budget, unit)} of `
        + `${formatNumber(last)}.`
      : "",
  };
}

/** Covered weight within a budget, on the line between the two next to it. */
function valueAt(curve, budget) {
  const next = curve.findIndex((each) => each.budget >= budget);
  if (next < 0) return curve.at(-1).value;
  if (next === 0) return curve[0].budget === budget ? curve[0].value : 0;
  const [low, high] = [curve[next - 1], curve[next]];
  const part = (budget - low.budget) / (high.budget - low.budget);
  return low.value + part * (high.value - low.value);
}

function drawing({ curve, study }, { budget }) {
  const { unit } = study.answer;
  const line = (field) => curve.map((each) => ({ x: each.budget, y: each[field] }));
  const isBoundSeen = curve.some(({ value, upper_bound }) => upper_bound > 1.002 * value);
  const bound = { name: "upper bound", style: "bound", points: line("upper_bound") };
  const last = curve.at(-1);
  return {
    label: `Covered weight against budget: from ${formatNumber(curve[0].value)} within `
      + `${formatMeasure(curve[0].budget, unit)} to ${formatNumber(last.value)}, which is `
      + `${formatShare(last.value / (study.answer.value || 1))} of all, within `
      + `${formatMeasure(last.budget, unit)}. The budget is ${formatMeasure(budget, unit)}.`,
    x: { name: `budget (${unit})` },
    y: { name: "covered weight", lowest: 0 },
    lines: [
      { name: "covered weight", style: "first", points: line("value") },
      ...(isBoundSeen ? [bound] : []),
    ],
    mark: budget <= last.budget ? { name: formatMeasure(budget, unit), x: budget } : null,
  };
}
