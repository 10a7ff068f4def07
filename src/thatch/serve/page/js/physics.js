/** Belief propagation on the text: sweeps of the price at any temperature. */

import { post } from "./api.js";
import { createChart } from "./chart.js";
import { byId, setText } from "./dom.js";
import { formatMeasure, formatNumber, formatShare, formatUnit } from "./formats.js";
import { debounced, latestOnly, PAUSES } from "./latest.js";
import { isEmpty, isOtherText } from "./session.js";
import { certificate } from "./headline.js";
import { hasChoices } from "./state.js";

// The slider covers 1/30 to 30 times the default inverse temperature.
const FURTHEST_RATIO = 30;
// Deviation of the expected cost from the budget, as a share of the budget.
const LARGEST_DEVIATION = 0.02;
// Relative to the largest change of all iterations.
const SMALL_CHANGE = 0.001;

/**
 * Draw covered weight and expected cost against price while the panel is open.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {import("./session.js").Session} session
 */
export function startPhysics(state, session) {
  const panel = byId("physics");
  const slider = byId("temperature");
  const charts = {
    value: createChart(byId("price-value")),
    cost: createChart(byId("price-cost")),
    messages: createChart(byId("messages-chart")),
  };
  let defaultInverse = null;

  const loadSweep = latestOnly(async () => {
    if (!panel.open || isEmpty(state.get().documents)) return;
    panel.setAttribute("aria-busy", "true");
    await session.guarded("physics", async (signal) => {
      // The default of a new text is known after the first answer.
      const isDefault = Number(slider.value) === 0;
      if (!isDefault && defaultInverse === null) await sweep(null, signal);
      if (isDefault || defaultInverse !== null) {
        show(await sweep(isDefault ? null : defaultInverse * ratioOf(slider), signal));
      }
    });
    panel.setAttribute("aria-busy", "false");
  });

  /** The answer, or null if another text is shown by now. */
  async function sweep(inverseTemperature, signal) {
    const before = state.get();
    const answer = await post("sweep", sweepRequest(before, inverseTemperature), signal);
    if (isOtherText(state.get(), before)) return null;
    defaultInverse = answer.default_inverse_temperature;
    return { ...answer, settings: before.settings };
  }

  function show(answer) {
    if (!answer) return;
    panel.classList.remove("is-stale");
    showTemperature(slider, answer.inverse_temperature, defaultInverse);
    draw(answer, charts);
  }

  // While the budget changes, the summary has priority.
  const loadDebounced = debounced(PAUSES.loading, loadSweep);

  panel.addEventListener("toggle", () => loadSweep());
  slider.addEventListener("input", () => {
    if (defaultInverse) showTemperature(slider, defaultInverse * ratioOf(slider), defaultInverse);
    loadSweep();
  });
  state.onChange((now, before) => {
    panel.hidden = isEmpty(now.documents) && !now.isOpening;
    setText(byId("physics-note"), hasChoices(now.choices) ? "This is without your choices." : "");
    if (isOtherText(now, before)) defaultInverse = null;
    const isOther = isOtherText(now, before)
      || now.settings.budget !== before.settings.budget;
    if (isOther) panel.classList.add("is-stale");
    if (isOther || now.attempt !== before.attempt) loadDebounced();
  });
}

function sweepRequest({ documents, settings }, inverseTemperature) {
  return {
    ...settings.textRequest(documents),
    budget: settings.budget,
    inverse_temperature: inverseTemperature,
  };
}

function ratioOf(slider) {
  return FURTHEST_RATIO ** Number(slider.value);
}

function showTemperature(slider, inverseTemperature, defaultInverse) {
  const ratio = inverseTemperature / defaultInverse;
  const ratioText = ratio < 1 ? `1/${formatNumber(1 / ratio)} of` : `${formatNumber(ratio)} times`;
  const comparison = Math.abs(ratio - 1) < 0.01
    ? "default for these weights"
    : `${ratioText} the default for these weights`;
  const text = `${formatNumber(inverseTemperature)}: ${comparison}`;
  slider.setAttribute("aria-valuetext", text);
  setText(byId("temperature-line"), text);
}

function draw(answer, charts) {
  const { points, spending, unit, budget, settings } = answer;
  const price = { name: formatUnit("price", `weight per ${unit.replace(/s\b/, "")}`) };
  const mark = {
    name: spendsBudget(spending, budget) ? "spends the budget" : "closest to the budget",
    x: spending.price,
  };
  charts.value.draw(valueDrawing(answer, price, mark));
  charts.cost.draw({
    label: `Expected cost against price. It falls as the price grows; at price `
      + `${formatNumber(spending.price)} it is `
      + `${formatMeasure(spending.expected_cost, unit)}, and the budget is `
      + `${formatNumber(budget)}.`,
    x: price,
    y: { name: formatUnit("expected cost", unit), lowest: 0 },
    lines: [line("expected cost", "first", points, "expected_cost")],
    levels: [{ name: "budget", y: budget, style: "budget" }],
    mark,
  });
  charts.messages.draw(messagesDrawing(spending));
  setText(byId("spending-line"), spendingLine(answer));
  setText(byId("messages-line"), messagesLine(spending));
  setText(byId("gap-line"), gapLine(answer, settings));
}

function valueDrawing({ points, levels }, price, mark) {
  const best = points.reduce((most, point) => (point.value > most.value ? point : most));
  const names = { auto: "auto", ggreedy: "g-greedy", static: "static order" };
  return {
    label: `Covered weight against price. At most ${formatNumber(best.value)} at price `
      + `${formatNumber(best.price)}; auto covers ${formatNumber(levels.auto)}, g-greedy `
      + `${formatNumber(levels.ggreedy)}, the static order ${formatNumber(levels.static)}.`,
    x: price,
    y: { name: "covered weight" },
    lines: [line("selection ranked by messages", "first", points, "value")],
    levels: Object.entries(levels).map(([solver, y]) => ({
      name: names[solver] ?? solver, y, style: solver,
    })),
    mark,
  };
}

function messagesDrawing({ largest_changes: changes, has_converged: isConverged }) {
  const points = changes.map((y, t) => ({ x: t + 1, y: Math.max(y, Number.MIN_VALUE) }));
  return {
    label: `Largest change of any message, iteration by iteration, on a logarithmic scale: `
      + `from ${formatNumber(changes[0])} to ${formatNumber(changes.at(-1))}. `
      + `${isConverged ? "The messages converged." : "The messages did not converge."}`,
    x: { name: "iteration" },
    y: { name: "largest change", isLog: true },
    lines: [{ name: "largest change of a message", style: "first", points }],
  };
}

function line(name, style, points, field) {
  return { name, style, points: points.map((point) => ({ x: point.price, y: point[field] })) };
}

/** Whether the expected cost is the budget, up to what cannot be seen in the chart. */
function spendsBudget({ expected_cost: cost }, budget) {
  return Math.abs(cost - budget) <= LARGEST_DEVIATION * budget;
}

function spendingLine({ spending, levels, unit, budget }) {
  const share = spending.value / (levels.auto || 1);
  const comparison = share >= 1 - 1e-9
    ? "as much as auto"
    : `${formatShare(share)} of what auto covers`;
  const note = spendsBudget(spending, budget) ? "" : ", which is not the budget: no price was "
    + "found that spends it";
  return `At price ${formatNumber(spending.price)} the expected cost is `
    + `${formatMeasure(spending.expected_cost, unit)} of ${formatNumber(budget)}${note}. The `
    + `selection at that price covers ${formatNumber(spending.value)}, ${comparison}.`;
}

function messagesLine({ largest_changes: changes, has_converged: isConverged }) {
  const after = `after ${changes.length} iterations (last change `
    + `${formatNumber(changes.at(-1) ?? 0)})`;
  if (isConverged) return `The messages converged ${after}.`;
  if (isStill(changes)) return `The messages barely changed any more ${after}.`;
  return isCalming(changes)
    ? `The messages were still converging ${after}.`
    : `The messages still changed ${after}: a higher temperature (further left) lets them converge.`;
}

/** Whether the last changes are far below the largest one. */
function isStill(changes) {
  const last = Math.max(...changes.slice(-Math.ceil(changes.length / 10)), 0);
  return last < SMALL_CHANGE * Math.max(...changes, 0);
}

/** Whether the largest change of the last quarter is far below that of the quarter before. */
function isCalming(changes) {
  const quarter = Math.ceil(changes.length / 4);
  const most = (quarterOfChanges) => Math.max(...quarterOfChanges, 0);
  return most(changes.slice(-quarter)) < 0.5 * most(changes.slice(-2 * quarter, -quarter));
}

function gapLine({ levels, upper_bound, gap }, settings) {
  return `${certificate({ value: levels.auto, upper_bound, gap }, settings)} This is about the `
    + "selection of auto.";
}
