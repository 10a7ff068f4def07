/** The settings that few change: what is chosen, what counts, what must be in. */

import { byId } from "./dom.js";
import { whenQuiet } from "./newest.js";
import { DEFAULTS } from "./settings.js";

const QUIET_MILLISECONDS = 350;
const CHOICES = ["by", "concepts"];
const LISTS = ["require", "exclude"];

/**
 * Keep the form and the settings in step.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {import("./session.js").Session} session
 */
export function startSettingsForm(state, session) {
  const changeQuietly = whenQuiet(QUIET_MILLISECONDS, (change) => session.change(change()));
  for (const field of CHOICES) {
    byId(field).addEventListener("change", () => session.change({ [field]: byId(field).value }));
  }
  byId("query").addEventListener("input", () =>
    changeQuietly(() => ({ query: byId("query").value.trim() })));
  for (const field of LISTS) {
    byId(field).addEventListener("input", () =>
      changeQuietly(() => ({ [field]: linesOf(byId(field).value) })));
  }
  byId("reset").addEventListener("click", () => state.set({ settings: DEFAULTS }));

  const show = ({ settings }) => {
    for (const field of CHOICES) byId(field).value = settings[field];
    showText("query", settings.query);
    for (const field of LISTS) showText(field, settings[field].join("\n"));
  };
  state.onChange((now, before) => {
    if (now.settings !== before.settings) show(now);
  });
  show(state.get());
}

/** Whoever is typing must not have the field changed under the hands. */
function showText(id, text) {
  const field = byId(id);
  if (document.activeElement !== field) field.value = text;
}

function linesOf(text) {
  return text.split("\n").map((line) => line.trim()).filter(Boolean);
}
