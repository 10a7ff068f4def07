/** Starts all parts of the coverage page. */

import { startAlternatives, startCoverageCurve } from "./coverage_curve.js";
import { startCoverageExport } from "./coverage_export.js";
import { fragmentOf, settingsOfFragment, startInputs } from "./coverage_inputs.js";
import { startPicture } from "./coverage_picture.js";
import { startPlan } from "./coverage_plan.js";
import { createCoverageSession } from "./coverage_session.js";
import { startSites } from "./coverage_sites.js";
import { FIRST_SAMPLE, SAMPLES, sampleSource } from "./coverage_data.js";
import { byId } from "./dom.js";
import { debounced } from "./latest.js";
import { removeAllMessages } from "./messages.js";
import { createState } from "./state.js";
import { startTheme } from "./theme.js";

const DEBOUNCE_MILLISECONDS = 250;
const NOTHING = {
  data: null, free: null, plan: null, curve: null, alternatives: null, shown: 0,
  last: null, pointed: -1, work: null, isCancelled: false,
};

const state = createState({
  ...NOTHING, source: null, decisions: {}, settings: settingsOfFragment("", {}).settings,
});
const session = createCoverageSession(state);

/** Load a source and show it with settings; nothing of the old one stays. */
function bring(load, { settings, decisions }) {
  return session.bring(load, (source) => {
    removeAllMessages();
    state.set({ ...NOTHING, source, settings, decisions });
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

function restore() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const wanted = fields.get("sample");
  const sample = Object.hasOwn(SAMPLES, wanted ?? "") ? wanted : FIRST_SAMPLE;
  const restored = settingsOfFragment(location.hash, SAMPLES[sample].settings);
  bring(() => sampleSource(sample), restored);
}

const writeFragment = debounced(DEBOUNCE_MILLISECONDS, () => {
  const fragment = fragmentOf(state.get());
  const address = location.pathname + location.search;
  history.replaceState(null, "", fragment ? `#${fragment}` : address);
});
state.onChange((now, before) => {
  const isOther = now.source !== before.source || now.settings !== before.settings
    || now.decisions !== before.decisions;
  if (isOther && now.source) writeFragment();
});
window.addEventListener("hashchange", restore);
// Following this link would replace the settings in the address.
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("plan").focus();
});
restore();
