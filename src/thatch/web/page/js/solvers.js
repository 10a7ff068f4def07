/** Compares solvers on the same text; one of them makes the summary of the page. */

import { RejectedError, post } from "./api.js";
import { byId, make, setText } from "./dom.js";
import { formatNumber, formatSeconds, formatShare } from "./formats.js";
import { messageOf } from "./messages.js";
import { optionNamed } from "./options.js";
import { latestOnly, debounced } from "./latest.js";
import { isEmpty, isOtherText, summaryRequest } from "./session.js";
import { isGap } from "./summary.js";

const DEBOUNCE_MILLISECONDS = 250;
// Exhaustive search is limited to texts of a few sentences.
const SOLVERS = optionNamed("solver").choices.filter(({ name }) => name !== "exhaustive");
const COLUMNS = {
  value: "covered",
  share: "of bound",
  cost: "cost",
  gap: "gap",
  seconds: "time",
  status: "status",
};

/**
 * Fill the table while its panel is open, and let the user select a solver.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {import("./session.js").Session} session
 */
export function startSolvers(state, session) {
  const panel = byId("solvers");
  const rows = byId("solver-rows");
  rows.replaceChildren(...SOLVERS.map(rowNode));
  rows.addEventListener("change", (event) => session.change({ solver: event.target.value }));

  const compare = latestOnly((task) =>
    session.guarded("solvers", (signal) => compareOneByOne(state, task, signal)));
  const compareQuietly = debounced(DEBOUNCE_MILLISECONDS, compare);
  const compareIfOpen = (isAtOnce) => {
    const { documents, settings } = state.get();
    if (!panel.open || isEmpty(documents)) return;
    markStale(rows);
    (isAtOnce ? compare : compareQuietly)({ documents, settings });
  };

  panel.addEventListener("toggle", () => compareIfOpen(true));
  state.onChange((now, before) => {
    panel.hidden = isEmpty(now.documents) && !now.isOpening;
    const isOther = isOtherTable(now, before) || now.attempt !== before.attempt;
    if (isOther) compareIfOpen(false);
    if (now.settings.solver !== before.settings.solver) showChosen(rows, now.settings.solver);
  });
  showChosen(rows, state.get().settings.solver);
}

function isOtherTable(now, before) {
  return isOtherText(now, before) || now.settings.budget !== before.settings.budget;
}

function rowNode({ name: solver, description }) {
  const id = `solver-${solver}`;
  const radio = make("input", { type: "radio", name: "solver", value: solver, id });
  const label = make("label", { for: id }, make("strong", {}, solver),
    make("span", { class: "soft" }, description));
  const choice = make("div", { class: "choice" }, radio, label);
  const head = make("th", { scope: "row", role: "rowheader" }, choice);
  const cells = Object.entries(COLUMNS).map(([column, title]) =>
    make("td", { role: "cell", "data-column": column, "data-name": title }, "–"));
  return make("tr", { role: "row", "data-solver": solver }, head, ...cells);
}

function showChosen(rows, solver) {
  for (const row of rows.children) {
    const isChosen = row.dataset.solver === solver;
    row.classList.toggle("is-chosen", isChosen);
    row.querySelector("input").checked = isChosen;
  }
}

function markStale(rows) {
  for (const row of rows.children) row.classList.add("is-stale");
}

async function compareOneByOne(state, task, signal) {
  const { documents, settings } = task;
  for (const { name: solver } of SOLVERS) {
    if (isOtherTable(state.get(), task)) return;
    const request = summaryRequest({ documents, settings: settings.with({ solver }) });
    await showRow(solver, request, signal);
  }
}

/** A solver may fail where others succeed, such as at meeting requirements. */
async function showRow(solver, request, signal) {
  try {
    showAnswer(solver, await post("summarize", request, signal));
  } catch (error) {
    if (!(error instanceof RejectedError) || error.isBusy) throw error;
    showTexts(solver, { status: messageOf(error).text });
  }
}

function showAnswer(solver, answer) {
  const { value, upper_bound, cost, gap, seconds, status } = answer;
  showTexts(solver, {
    value: formatNumber(value),
    share: upper_bound > 0 ? formatShare(Math.min(1, value / upper_bound)) : "–",
    cost: formatNumber(cost),
    gap: formatShare(isGap(gap) ? gap : 0),
    seconds: formatSeconds(seconds),
    status: status.replaceAll("_", " "),
  });
}

function showTexts(solver, texts) {
  const row = byId("solver-rows").querySelector(`[data-solver="${solver}"]`);
  for (const column of Object.keys(COLUMNS)) {
    setText(row.querySelector(`[data-column="${column}"]`), texts[column] ?? "–");
  }
  row.classList.remove("is-stale");
}
