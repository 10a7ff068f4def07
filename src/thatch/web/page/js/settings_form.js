/** The settings that few change: what is chosen, what counts, what must be in. */

import { byId } from "./dom.js";
import { whenQuiet } from "./newest.js";
import { DEFAULTS } from "./settings.js";

const QUIET_MILLISECONDS = 350;
const CHOICES = ["by", "concepts"];
// How a written field is read, and written.
const LINES = { read: linesOf, write: (lines) => lines.join("\n") };
const WRITTEN = {
  query: { read: (text) => text.trim(), write: (text) => text },
  require: LINES,
  exclude: LINES,
};

/**
 * Keep the form and the settings in step.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {import("./session.js").Session} session
 */
export function startSettingsForm(state, session) {
  for (const field of CHOICES) {
    byId(field).addEventListener("change", () => session.change({ [field]: byId(field).value }));
  }
  for (const [field, { read }] of Object.entries(WRITTEN)) {
    // Each waits by itself: who goes on to the next field has not taken back the last.
    const change = whenQuiet(QUIET_MILLISECONDS, () =>
      session.change({ [field]: read(byId(field).value) }));
    byId(field).addEventListener("input", change);
    byId(field).addEventListener("change", change.atOnce);
  }
  byId("reset").addEventListener("click", () => state.set({ settings: DEFAULTS }));

  state.onChange((now, before) => {
    // A link that is followed takes the place of whatever was being written.
    const isAnew = now.isOpening && !before.isOpening;
    if (now.settings !== before.settings) show(now.settings, isAnew ? {} : before.settings);
  });
  show(state.get().settings, {});
}

/** A field whose setting did not change may hold what is still being written. */
function show(settings, before) {
  for (const field of CHOICES) byId(field).value = settings[field];
  for (const [id, { read, write }] of Object.entries(WRITTEN)) {
    const [field, setting] = [byId(id), settings[id]];
    const isOther = String(setting) !== String(before[id]);
    // Nor must it be tidied up under the hands of whoever writes.
    const isWritten = String(read(field.value)) === String(setting);
    if (isOther && !isWritten) field.value = write(setting);
  }
}

function linesOf(text) {
  return text.split("\n").map((line) => line.trim()).filter(Boolean);
}
