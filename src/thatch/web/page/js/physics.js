/** The paper's figure on the reader's own text: price, temperature, messages. */

import { ask } from "./api.js";
import { createChart } from "./chart.js";
import { byId, say } from "./dom.js";
import { formatMeasure, formatNumber, formatShare, formatUnit } from "./formats.js";
import { newestOnly, whenQuiet } from "./newest.js";
import { isEmpty, isOtherText } from "./session.js";
import { certificate } from "./summary.js";

// The slider goes from a thirtieth of what suits the weights to thirty times that.
const FURTHEST_RATIO = 30;
const QUIET_MILLISECONDS = 250;

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
  let suitable = null;

  const askSweep = newestOnly(async () => {
    if (!panel.open || isEmpty(state.get().documents)) return;
    panel.setAttribute("aria-busy", "true");
    await session.guarded("physics", async (signal) => {
      // What suits another text is not known until the server chose once.
      const isSuitable = Number(slider.value) === 0;
      if (!isSuitable && suitable === null) await sweep(null, signal);
      if (isSuitable || suitable !== null) {
        show(await sweep(isSuitable ? null : suitable * ratioOf(slider), signal));
      }
    });
    panel.setAttribute("aria-busy", "false");
  });

  /** The answer, or null if the text it is about is no longer shown. */
  async function sweep(inverseTemperature, signal) {
    const asked = state.get();
    const answer = await ask("sweep", sweepRequest(asked, inverseTemperature), signal);
    if (isOtherText(state.get(), asked)) return null;
    suitable = answer.suitable_inverse_temperature;
    return { ...answer, settings: asked.settings };
  }

  function show(answer) {
    if (!answer) return;
    panel.classList.remove("is-old");
    showTemperature(slider, answer.inverse_temperature, suitable);
    draw(answer, charts);
  }

  // While the budget moves, the summary comes first.
  const askQuietly = whenQuiet(QUIET_MILLISECONDS, askSweep);

  panel.addEventListener("toggle", () => askSweep());
  slider.addEventListener("input", () => {
    if (suitable) showTemperature(slider, suitable * ratioOf(slider), suitable);
    askSweep();
  });
  state.onChange((now, before) => {
    panel.hidden = isEmpty(now.documents) && !now.isOpening;
    if (isOtherText(now, before)) suitable = null;
    const isOther = isOtherText(now, before)
      || now.settings.budget !== before.settings.budget;
    if (isOther) panel.classList.add("is-old");
    if (isOther || now.attempt !== before.attempt) askQuietly();
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

function showTemperature(slider, inverseTemperature, suitable) {
  const ratio = inverseTemperature / suitable;
  const part = ratio < 1 ? `1/${formatNumber(1 / ratio)} of` : `${formatNumber(ratio)} times`;
  const comparison = Math.abs(ratio - 1) < 0.01
    ? "suits these weights"
    : `${part} what suits these weights`;
  const text = `${formatNumber(inverseTemperature)}: ${comparison}`;
  slider.setAttribute("aria-valuetext", text);
  say(byId("temperature-line"), text);
}

function draw(answer, charts) {
  const { points, spending, unit, budget, settings } = answer;
  const price = { name: formatUnit("price", `weight per ${unit.replace(/s\b/, "")}`) };
  const mark = { name: "spends the budget", x: spending.price };
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
  say(byId("spending-line"), spendingLine(answer));
  say(byId("messages-line"), messagesLine(spending));
  say(byId("gap-line"), gapLine(answer, settings));
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
    lines: [line("filled by the ranking of messages", "first", points, "value")],
    levels: Object.entries(levels).map(([solver, y]) => ({
      name: names[solver] ?? solver, y, style: solver,
    })),
    mark,
  };
}

function messagesDrawing({ largest_changes: changes, is_settled: isSettled }) {
  const points = changes.map((y, t) => ({ x: t + 1, y: Math.max(y, Number.MIN_VALUE) }));
  return {
    label: `Largest change of any message, iteration by iteration, on a logarithmic scale: `
      + `from ${formatNumber(changes[0])} to ${formatNumber(changes.at(-1))}. `
      + `${isSettled ? "The messages settled." : "The messages did not settle."}`,
    x: { name: "iteration" },
    y: { name: "largest change", isLog: true },
    lines: [{ name: "largest change of a message", style: "first", points }],
  };
}

function line(name, style, points, field) {
  return { name, style, points: points.map((point) => ({ x: point.price, y: point[field] })) };
}

function spendingLine({ spending, levels, unit, budget }) {
  const share = spending.value / (levels.auto || 1);
  const comparison = share >= 1 - 1e-9
    ? "as much as auto"
    : `${formatShare(share)} of what auto covers`;
  return `At price ${formatNumber(spending.price)} the expected cost is `
    + `${formatMeasure(spending.expected_cost, unit)} of ${formatNumber(budget)}; the ranking `
    + `of that price covers ${formatNumber(spending.value)}, ${comparison}.`;
}

function messagesLine({ largest_changes: changes, is_settled: isSettled }) {
  const after = `after ${changes.length} iterations (last change `
    + `${formatNumber(changes.at(-1) ?? 0)})`;
  if (isSettled) return `The messages settled ${after}.`;
  return isCalming(changes)
    ? `The messages were still settling ${after}.`
    : `The messages went to and fro ${after}: a higher temperature (further left) calms them.`;
}

/** Whether the largest change of the last quarter is far below that of the quarter before. */
function isCalming(changes) {
  const quarter = Math.ceil(changes.length / 4);
  const most = (part) => Math.max(...part, 0);
  return most(changes.slice(-quarter)) < 0.5 * most(changes.slice(-2 * quarter, -quarter));
}

function gapLine({ levels, upper_bound, gap }, settings) {
  return certificate({ value: levels.auto, upper_bound, gap }, settings);
}
