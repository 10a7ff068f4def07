/** Starts all parts of the page. */

import { startBudget } from "./budget.js";
import { startChoices } from "./choices.js";
import { startCurve } from "./curve.js";
import { startDocuments } from "./documents.js";
import { byId } from "./dom.js";
import { startExporting } from "./exporting.js";
import { startHint } from "./hint.js";
import { startInput } from "./input.js";
import { startInspector } from "./inspector.js";
import { storePage, storedPage } from "./stored_page.js";
import { fragmentOf, readFragment, unpackedText } from "./link.js";
import { showMessage, removeAllMessages } from "./messages.js";
import { debounced, PAUSES } from "./latest.js";
import { startMinimap } from "./minimap.js";
import { startPhysics } from "./physics.js";
import { createPointing } from "./pointing.js";
import { FIRST_SAMPLE } from "./samples.js";
import { createSession } from "./session.js";
import { startSettingsForm } from "./settings_form.js";
import { startSolvers } from "./solvers.js";
import { flashPassage, startSource } from "./source.js";
import { NO_CHOICES, createState, hasChoices } from "./state.js";
import { startStepping } from "./stepping.js";
import { startSummary } from "./summary.js";
import { startTheme } from "./theme.js";
import { startWorking } from "./working.js";

const NOTHING = {
  documents: [], sample: "", analysis: null, summary: null, free: null, choices: NO_CHOICES,
};

const state = createState({
  ...NOTHING,
  settings: readFragment(location.hash).settings,
  isWorking: false,
  isOpening: true,
  attempt: 0,
});
const session = createSession(state);
const pointing = createPointing();

startTheme(byId("theme"));
startBudget(state, session);
startSettingsForm(state, session);
startSource(state, pointing, { onEnter: () => inspector.enter() });
const inspector = startInspector(state, pointing);
startSummary(state, pointing, {
  onClick: (passage) => flashPassage(passage),
  onEnter: (passage) => flashPassage(passage)?.focus(),
});
startDocuments(state);
startChoices(state);
startStepping(state, pointing);
startMinimap(state, pointing);
startWorking(state, session);
startHint(state);
startCurve(state, session);
startSolvers(state, session);
startPhysics(state, session);
const input = startInput(state, session);

// The packed text of the last link that was opened or copied, while its text is shown.
let linked = { packed: "", documents: null };
startExporting(state, session, {
  onPacked: (packed) => {
    linked = { packed, documents: state.get().documents };
  },
});

/** Restore settings and text from a fragment, or a text that was stored. */
async function restore({ fragment, documents: stored = [] }) {
  const { settings, sample, packed, choices } = readFragment(fragment);
  removeAllMessages();
  input.reset();
  state.set({ ...NOTHING, settings, isOpening: true });
  const isRestored = packed !== "" && (await restoreText(packed));
  if (!isRestored && stored.length) session.show(stored, "");
  else if (!isRestored) await input.showSample(sample || FIRST_SAMPLE);
  state.set(hasChoices(choices) ? { isOpening: false, choices } : { isOpening: false });
}

async function restoreText(packed) {
  try {
    const documents = await unpackedText(packed);
    linked = { packed, documents };
    session.show(documents, "");
    return true;
  } catch {
    showMessage("link", {
      text: "The text in this link cannot be read.",
      hint: "The link may be truncated; a sample is shown instead.",
    });
    return false;
  }
}

function presentFragment() {
  const { settings, sample, documents, choices } = state.get();
  const packed = linked.documents === documents ? linked.packed : "";
  return fragmentOf(settings, sample === FIRST_SAMPLE ? "" : sample, packed, choices);
}

const writeFragment = debounced(PAUSES.address, () => {
  const fragment = presentFragment();
  const address = location.pathname + location.search;
  history.replaceState(null, "", fragment ? `#${fragment}` : address);
});

state.onChange((now, before) => {
  const isOther = ["settings", "documents", "choices"].some((field) => now[field] !== before[field]);
  if (isOther) writeFragment();
});
// Settings that were just changed may have been written over the address meanwhile.
window.addEventListener("hashchange", ({ newURL }) => restore({ fragment: new URL(newURL).hash }));
window.addEventListener("pagehide", () => {
  const { sample, documents } = state.get();
  storePage({ fragment: presentFragment(), documents: sample ? [] : documents });
});
// Following this link would replace the settings in the address.
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("summary").focus();
});
restore(storedPage(location.hash));
