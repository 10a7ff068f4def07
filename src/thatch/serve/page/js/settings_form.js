/** The form of settings: one field per option of the text, built from the options. */

import { byId, make } from "./dom.js";
import { debounced, PAUSES } from "./latest.js";
import { TEXT_OPTIONS } from "./options.js";
import { DEFAULTS, isSame } from "./settings.js";

// The unit is next to the budget.
const OPTIONS = TEXT_OPTIONS.filter(({ name }) => name !== "unit");
// The page has a field for the question in plain sight.
const BUILT = OPTIONS.filter(({ name }) => name !== "query");

/**
 * Build the form, and keep it and the settings in step.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {import("./session.js").Session} session
 */
export function startSettingsForm(state, session) {
  byId("reset").before(...BUILT.flatMap((option) => [
    make("label", { for: option.name }, option.label),
    fieldOf(option),
  ]));
  for (const option of OPTIONS) {
    const field = byId(option.name);
    const change = () => session.change({ [option.name]: read(option, field) });
    // Each field has its own timer, so that moving on to the next field loses nothing.
    const changeSoon = debounced(PAUSES.typing, change);
    if (isTyped(field)) field.addEventListener("input", changeSoon);
    field.addEventListener("change", isTyped(field) ? changeSoon.flush : change);
  }
  byId("reset").addEventListener("click", () => state.set({ settings: DEFAULTS }));

  state.onChange((now, before) => {
    // Opening a link replaces what is being typed.
    const isNewPage = now.isOpening && !before.isOpening;
    if (now.settings !== before.settings) show(now.settings, isNewPage ? {} : before.settings);
  });
  show(state.get().settings, {});
}

/**
 * The field of an option; its id is the name of the option.
 * @param {import("./options.js").Option} option
 * @returns {HTMLElement}
 */
export function fieldOf(option) {
  const attributes = { id: option.name, title: option.description };
  if (option.choices.length) {
    return make("select", attributes, ...choiceNodes(option));
  }
  if (option.kind === "flag") return make("input", { ...attributes, type: "checkbox" });
  if (option.kind === "texts") {
    return make("textarea", { ...attributes, rows: 2, placeholder: "one text per line" });
  }
  const isNumber = option.kind === "integer" || option.kind === "number";
  return make("input", {
    ...attributes,
    type: isNumber ? "number" : "text",
    min: isNumber ? option.minimum : null,
    step: option.kind === "number" ? "any" : null,
    autocomplete: "off",
    placeholder: option.default_text || (isNumber ? option.default : null),
    value: isNumber ? option.default : null,
  });
}

/**
 * One element per choice of an option.
 * @param {import("./options.js").Option} option
 * @returns {HTMLElement[]}
 */
export function choiceNodes({ choices, default: value, default_text: text }) {
  const none = value === null ? [make("option", { value: "" }, text || "default")] : [];
  return [...none, ...choices.map(({ name, description }) =>
    make("option", { value: name }, description))];
}

/**
 * Whether a value is typed into a field.
 * @param {HTMLElement} field
 * @returns {boolean}
 */
export function isTyped(field) {
  return field.matches("textarea, input:not([type=checkbox])");
}

/** A field whose setting did not change may contain what is still being typed. */
function show(settings, before) {
  for (const option of OPTIONS) {
    const field = byId(option.name);
    const value = settings[option.name];
    const isOther = !isSame(value, before[option.name]);
    // Nor may it be tidied up while somebody types.
    if (isOther && !isSame(read(option, field), value)) write(option, field, value);
  }
}

/**
 * The value of a field; an empty one has the default.
 * @param {import("./options.js").Option} option
 * @param {HTMLElement} field
 * @returns {any}
 */
export function read({ kind, default: value, has_escapes: hasEscapes }, field) {
  if (kind === "flag") return field.checked;
  if (kind === "texts") return linesOf(field.value);
  const text = field.value.trim();
  if (text === "") return value;
  if (kind === "integer" || kind === "number") return Number(text);
  return hasEscapes ? field.value.replaceAll("\\n", "\n").replaceAll("\\t", "\t") : text;
}

/**
 * Show a value in a field.
 * @param {import("./options.js").Option} option
 * @param {HTMLElement} field
 * @param {any} value
 */
export function write({ kind, has_escapes: hasEscapes }, field, value) {
  if (kind === "flag") field.checked = value;
  else if (kind === "texts") field.value = value.join("\n");
  else if (hasEscapes) field.value = escaped(value ?? "");
  else field.value = String(value ?? "");
}

function escaped(text) {
  return text.replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

function linesOf(text) {
  return text.split("\n").map((line) => line.trim()).filter(Boolean);
}
