/** The question, the budget and the settings of a prompt. */

import { budgetSteps, isRightBudget, nearestStep, showBudgetError } from "./budget.js";
import { byId, make, setText } from "./dom.js";
import { formatMeasure, formatNumber } from "./formats.js";
import { debounced, PAUSES } from "./latest.js";
import { optionsOf } from "./options.js";
import { converted, isSame } from "./settings.js";
import { choiceNodes, fieldOf, isTyped, read, write } from "./settings_form.js";

const LEAST_BUDGET = { tokens: 50, words: 30, characters: 200 };
// Rather too many, so that the whole text is within reach of the slider.
const UNITS_PER_CHARACTER = { tokens: 0.35, words: 0.2, characters: 1.1 };
const OPTIONS = optionsOf("pack");
// These have places of their own.
const PLACED = ["query", "budget", "unit", "format"];

/** The settings of a fresh page. */
export const DEFAULTS = Object.freeze(
  Object.fromEntries(OPTIONS.map(({ name, default: value }) => [name, value])));

/**
 * Settings from the fields of a link; those that it does not name have their defaults.
 * @param {URLSearchParams} fields
 * @returns {Readonly<Record<string, any>>}
 */
export function settingsOf(fields) {
  const given = OPTIONS.filter(({ name }) => fields.has(name)).map((option) => {
    const text = fields.get(option.name);
    if (option.kind === "texts") return [option.name, fields.getAll(option.name)];
    const isNumber = option.kind === "integer" || option.kind === "number";
    if (!isNumber) return [option.name, text];
    return [option.name, text !== "" && Number(text) >= 0 ? Number(text) : option.default];
  });
  return Object.freeze({ ...DEFAULTS, ...Object.fromEntries(given) });
}

/**
 * Keep the fields and the settings in step.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {import("./context_session.js").ContextSession} session
 */
export function startForm(state, session) {
  const named = (name) => OPTIONS.find((option) => option.name === name);
  const others = OPTIONS.filter(({ name }) => !PLACED.includes(name));
  byId("reset").before(...others.flatMap((option) => [
    make("label", { for: option.name }, option.label),
    fieldOf(option),
  ]));
  for (const name of ["include", "exclude"]) {
    byId(name).placeholder = "one pattern per line, such as *.py or docs/";
  }
  for (const name of ["unit", "format"]) byId(name).append(...choiceNodes(named(name)));
  const shown = [...others, named("query"), named("format")];
  // Fields that somebody types in.
  const unread = new Set();
  for (const option of shown) {
    const field = byId(option.name);
    const change = () => {
      unread.delete(field);
      const value = read(option, field);
      const isOther = !isSame(value, state.get().settings[option.name]);
      if (isOther) session.change({ [option.name]: value });
    };
    const changeSoon = debounced(PAUSES.typing, change);
    if (isTyped(field)) {
      field.addEventListener("input", () => {
        unread.add(field);
        changeSoon();
      });
    }
    field.addEventListener("change", isTyped(field) ? changeSoon.flush : change);
  }
  byId("query").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    event.target.dispatchEvent(new Event("change"));
  });
  byId("unit").addEventListener("change", ({ target: { value: unit } }) => {
    const { budget, unit: before } = state.get().settings;
    session.change({ unit, budget: converted(budget, before, unit) });
  });
  byId("reset").addEventListener("click", () => {
    const { query, budget, unit } = state.get().settings;
    session.change({ ...DEFAULTS, query, budget, unit });
  });
  const showBudget = startBudget(state, session);
  const show = (settings) => {
    for (const option of shown) {
      const field = byId(option.name);
      const value = settings[option.name];
      // A field must not be tidied up while somebody types.
      const isKept = unread.has(field) || isSame(read(option, field), value);
      if (!isKept) write(option, field, value);
    }
    byId("unit").value = settings.unit;
  };
  state.onChange((now, before) => {
    if (now.settings !== before.settings) show(now.settings);
    if (now.settings !== before.settings || now.documents !== before.documents) showBudget(now);
  });
  show(state.get().settings);
  showBudget(state.get());
}

/** Slider and number; the slider is logarithmic, up to about the whole text. */
function startBudget(state, session) {
  const slider = byId("budget-slider");
  const number = byId("budget-number");
  let steps = [1];
  slider.addEventListener("input", () =>
    session.change({ budget: steps[Number(slider.value)] }));
  const changeSoon = debounced(PAUSES.typing, (budget) => session.change({ budget }));
  number.addEventListener("input", () => {
    if (isRightBudget("budget")) changeSoon(Number(number.value));
  });
  number.addEventListener("change", changeSoon.flush);
  return ({ settings: { budget, unit }, documents }) => {
    const size = documents.reduce((sum, { text }) => sum + text.length, 0);
    const most = Math.max(size * (UNITS_PER_CHARACTER[unit] ?? 0.01), 10);
    const least = Math.min(LEAST_BUDGET[unit] ?? 1, most / 2);
    steps = budgetSteps(least, Number(most.toPrecision(2)));
    slider.disabled = size === 0;
    slider.max = String(steps.length - 1);
    slider.value = String(nearestStep(steps, budget));
    slider.setAttribute("aria-valuetext", formatMeasure(budget, unit));
    if (document.activeElement !== number) {
      number.value = String(budget);
      showBudgetError("");
    }
    setText(byId("budget-low"), size ? formatNumber(steps[0]) : "");
    setText(byId("budget-high"), size ? `${formatNumber(steps.at(-1))}: about all of it` : "");
  };
}
