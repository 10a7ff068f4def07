/** The plan in one line, what the user's choice costs, and what is loading. */

import { headline, indicesOf, priceOf, proofOf, wordsOf } from "./coverage_model.js";
import { isCurrent, keysOf } from "./coverage_session.js";
import { byId, setText } from "./dom.js";
import { formatShare } from "./formats.js";
import { announce } from "./messages.js";

const MILLISECONDS_BEFORE_SHOWN = 700;
const LONGER_SECONDS = 20;
/** What the headline says when it is pointed at. */
const PROOF = "What is proved has a certificate. Save the problem as JSON, run thatch solve "
  + "with --certificate, and thatch verify checks every step in exact arithmetic.";
const MAX_NAMED = 12;
const DECIDING = { required: "Requiring", forbidden: "Forbidding", undefined: "Freeing" };

/**
 * The plan or alternative that is shown.
 * @param {import("./coverage_session.js").State} state
 * @returns {{data: object, answer: object | null, chosen: number[]}}
 */
export function shownPlan({ data, plan, alternatives, shown }) {
  if (!plan) return { data, answer: null, chosen: [] };
  const isOf = alternatives?.key === plan.key;
  const answer = isOf && shown > 0 ? alternatives.answer[shown] : plan.answer;
  return { data: plan.data, answer, chosen: indicesOf(plan.data, answer.items) };
}

/**
 * Show the plan in words.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {ReturnType<import("./coverage_session.js").createCoverageSession>} session
 */
export function startPlan(state, session) {
  byId("cancel").addEventListener("click", () => {
    if (state.get().isCancelled) session.update();
    else session.cancel();
  });
  byId("longer").addEventListener("click", () => session.searchLonger(LONGER_SECONDS));
  let said = "";

  function show(now) {
    const current = isCurrent(now);
    const { answer } = shownPlan(now);
    byId("plan").classList.toggle("is-stale", !current);
    byId("plan").setAttribute("aria-busy", String(now.work !== null));
    setText(byId("headline"), lineOf(now, answer));
    byId("headline").title = answer ? PROOF : "";
    const share = answer ? answer.value / (now.plan.data.total || 1) : 0;
    byId("meter").style.setProperty("--share", share);
    setText(byId("chosen-names"), namesOf(shownPlan(now)));
    byId("price").classList.toggle("soft", !Object.keys(now.decisions).length || !current);
    setText(byId("price"), current ? priceLine(now) : staleLine(now, answer));
    const isProved = !current || proofOf(now.plan.answer) === "proved best";
    byId("longer").hidden = isProved || now.work !== null;
    for (const id of ["save-sites", "save-demand", "save-json"]) byId(id).disabled = !current;
    if (current && said !== lineOf(now, answer)) {
      said = lineOf(now, answer);
      announce(said);
    }
  }

  state.onChange((now, before) => {
    if (now.pointed !== before.pointed) return;
    show(now);
    showWork(now);
  });
  setInterval(() => showWork(state.get()), 500);
  show(state.get());
}

function lineOf(now, answer) {
  if (!answer) return now.work || !now.source ? "Reading the data…" : "There is no plan yet.";
  const { isCounted } = now.plan;
  const { whole } = wordsOf(now.plan.data);
  const loss = (now.plan.answer.value - answer.value) / (now.plan.data.total || 1);
  const proof = now.shown > 0
    ? `alternative ${now.shown}, ${loss > 0 ? `${formatShare(loss)} of ${whole} less` : "as good"}`
    : proofOf(answer) + (Object.keys(now.plan.decisions).length ? " with your choice" : "");
  return headline(now.plan.data, answer, { isCounted, proof });
}

function namesOf({ data, chosen }) {
  const rest = chosen.length - MAX_NAMED;
  const names = chosen.slice(0, MAX_NAMED).map((i) => data.items[i]).join(", ");
  return rest > 0 ? `${names} and ${rest} more` : names;
}

function staleLine({ work, isCancelled }, answer) {
  if (!answer) return "";
  return work && !isCancelled
    ? "This plan is for the previous settings."
    : "This plan is for the previous settings; there is none for the new ones yet.";
}

function priceLine(now) {
  const { data, free, decisions, last, shown } = now;
  if (!Object.keys(decisions).length || free?.key !== keysOf(now).free) return "";
  const { answer } = shownPlan(now);
  const total = priceOf(data, free.answer, answer, { decisions, alternative: shown });
  const isFirst = Object.keys(decisions).length < 2;
  if (shown > 0 || !last || last.key !== keysOf(now).free || isFirst) return total;
  return `${total} ${changeOf(last, (last.value - answer.value) / (data.total || 1))}`;
}

/** What the last decision changed, in a sentence. */
function changeOf({ name, decision }, loss) {
  const who = `${DECIDING[decision]} ${name}`;
  if (loss < -1e-9) return `${who} gains ${formatShare(-loss)}.`;
  if (loss > 1e-9) return `${who} costs ${formatShare(loss)} more.`;
  return decision ? `${who} costs nothing more.` : `${who} gains nothing.`;
}

function showWork({ work, isCancelled }) {
  const seconds = work ? (Date.now() - work.since) / 1000 : 0;
  const isLong = 1000 * seconds >= MILLISECONDS_BEFORE_SHOWN;
  byId("working").hidden = !isLong && !isCancelled;
  byId("working").classList.toggle("is-cancelled", isCancelled);
  setText(byId("cancel"), isCancelled ? "Try again" : "Cancel");
  const elapsed = `${work?.what ?? ""}: ${Math.floor(seconds)} s`;
  setText(byId("working-line"), isCancelled ? "Cancelled." : elapsed);
}
