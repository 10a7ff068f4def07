/** Starts all parts of the Context page. */

import { startChunks } from "./context_chunks.js";
import { startExports } from "./context_exporting.js";
import { DEFAULTS, settingsOf, startForm } from "./context_form.js";
import { startHeadline } from "./context_headline.js";
import { FIRST_SAMPLE, SAMPLES, startContextInput } from "./context_input.js";
import { createContextSession } from "./context_session.js";
import { byId } from "./dom.js";
import { debounced, PAUSES } from "./latest.js";
import { showMessage } from "./messages.js";
import { copy } from "./saving.js";
import { createState } from "./state.js";
import { storePage, storedPage } from "./stored_page.js";
import { startTheme } from "./theme.js";

const stored = storedPage(location.hash);
const fields = new URLSearchParams(stored.fragment.replace(/^#/, ""));
const state = createState({
  documents: [],
  sample: "",
  isFolder: false,
  skipped: [],
  settings: settingsOf(fields),
  pinned: [],
  excluded: [],
  answered: null,
  working: null,
  attempt: 0,
});
const session = createContextSession(state);

startTheme(byId("theme"));
startForm(state, session);
startHeadline(state, session);
startChunks(state, session);
startExports(state, session);
const input = startContextInput(state, session);

function presentFragment() {
  const { settings, sample } = state.get();
  const written = new URLSearchParams();
  for (const [name, value] of Object.entries(settings)) {
    if (JSON.stringify(value) === JSON.stringify(DEFAULTS[name])) continue;
    for (const one of Array.isArray(value) ? value : [value]) written.append(name, one ?? "");
  }
  if (sample) written.set("sample", sample);
  return `#${written}`;
}

const writeFragment = debounced(PAUSES.address, () =>
  history.replaceState(null, "", presentFragment()));
state.onChange((now, before) => {
  if (now.settings !== before.settings || now.sample !== before.sample) writeFragment();
});
window.addEventListener("pagehide", () => {
  const { sample, documents, isFolder, skipped, pinned, excluded } = state.get();
  const fragment = presentFragment();
  storePage(sample ? { fragment, documents: [] }
    : { fragment, documents, isFolder, skipped, pinned, excluded });
});

byId("copy-link").addEventListener("click", async () => {
  writeFragment.flush();
  const { sample, documents } = state.get();
  const isCopied = await copy({ text: location.href }, byId("copy-link"));
  if (isCopied && !sample && documents.length) {
    showMessage("link", {
      text: "The link contains the settings, but not the files.", kind: "notice",
    });
  }
});
window.addEventListener("hashchange", () => location.reload());
// Following this link would replace the settings in the address.
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("result").focus();
});

const named = fields.get("sample") ?? "";
if (stored.documents.length) {
  const { documents, pinned, excluded, ...rest } = stored;
  session.show(documents, rest);
  state.set({ pinned, excluded });
} else {
  input.showSample(Object.hasOwn(SAMPLES, named) ? named : FIRST_SAMPLE, {
    // A link has its own question.
    isKept: fields.has("query") || fields.has("budget"),
  });
}
