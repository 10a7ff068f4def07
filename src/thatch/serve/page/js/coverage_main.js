/** Starts all parts of the coverage page. */

import { startAlternatives, startCoverageCurve } from "./coverage_curve.js";
import { startCoverageExport } from "./coverage_export.js";
import { fragmentOf, settingsOfFragment, startInputs } from "./coverage_inputs.js";
import { startPicture } from "./coverage_picture.js";
import { startPlan } from "./coverage_plan.js";
import { createCoverageSession } from "./coverage_session.js";
import { startSites } from "./coverage_sites.js";
import { sourceOfStored, storeCoverage } from "./coverage_stored.js";
import { FIRST_SAMPLE, SAMPLES, sampleSource } from "./coverage_data.js";
import { byId } from "./dom.js";
import { debounced, PAUSES } from "./latest.js";
import { removeAllMessages } from "./messages.js";
import { createState } from "./state.js";
import { storedPage } from "./stored_page.js";
import { startTheme } from "./theme.js";

const NOTHING = {
  data: null, free: null, plan: null, curve: null, alternatives: null, shown: 0,
  last: null, pointed: -1, work: null, isCancelled: false,
  former: null,
};

const state = createState({
  ...NOTHING, source: null, decisions: {}, settings: settingsOfFragment("", {}).settings,
});
const session = createCoverageSession(state);

/**
 * Load a source and show it with settings. Nothing of the former one stays, unless the
 * new one cannot be read.
 */
function bring(load, { settings, decisions }) {
  return session.bring(load, (source) => {
    removeAllMessages();
    const { data, former } = state.get();
    const shown = data ? state.get() : former;
    state.set({ ...NOTHING, source, settings, decisions, former: shown });
  });
}

startTheme(byId("theme"));
startInputs(state, bring);
startPlan(state, session);
startSites(state);
startPicture(state);
startCoverageCurve(state);
startAlternatives(state);
startCoverageExport(state);

function showSample(fragment) {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const wanted = fields.get("sample");
  const sample = Object.hasOwn(SAMPLES, wanted ?? "") ? wanted : FIRST_SAMPLE;
  const restored = settingsOfFragment(fragment, SAMPLES[sample].settings);
  bring(() => sampleSource(sample), restored);
}

const writeFragment = debounced(PAUSES.address, () => {
  const fragment = fragmentOf(state.get());
  const address = location.pathname + location.search;
  history.replaceState(null, "", fragment ? `#${fragment}` : address);
});
state.onChange((now, before) => {
  const isOther = now.source !== before.source || now.settings !== before.settings
    || now.decisions !== before.decisions;
  if (isOther && now.source) writeFragment();
});
window.addEventListener("hashchange", () => showSample(location.hash));
window.addEventListener("pagehide", () => storeCoverage(state.get()));
// Following this link would replace the settings in the address.
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("plan").focus();
});

const stored = storedPage(location.hash);
if (stored.documents.length) bring(() => sourceOfStored(stored), stored);
else showSample(stored.fragment);
