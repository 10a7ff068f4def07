/** Solvers side by side on the same text; one of them is the page's. */

import { RefusedError, ask } from "./api.js";
import { byId, make, say } from "./dom.js";
import { formatNumber, formatSeconds, formatShare } from "./formats.js";
import { inWordsOfPage } from "./messages.js";
import { newestOnly, whenQuiet } from "./newest.js";
import { isEmpty, isOtherText, summaryRequest } from "./session.js";
import { SOLVERS } from "./settings.js";
import { isGap } from "./summary.js";

const QUIET_MILLISECONDS = 250;
const COLUMNS = {
  value: "covers",
  share: "of the bound",
  cost: "cost",
  gap: "gap",
  seconds: "time",
  status: "status",
};

/**
 * Fill the table while its panel is open, and let a row be chosen.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {import("./session.js").Session} session
 */
export function startSolvers(state, session) {
  const panel = byId("solvers");
  const rows = byId("solver-rows");
  rows.replaceChildren(...Object.entries(SOLVERS).map(rowNode));
  rows.addEventListener("change", (event) => session.change({ solver: event.target.value }));

  const compare = newestOnly((task) =>
    session.guarded("solvers", (signal) => askOneByOne(state, task, signal)));
  const compareQuietly = whenQuiet(QUIET_MILLISECONDS, compare);
  const compareIfOpen = (isAtOnce) => {
    const { documents, settings } = state.get();
    if (!panel.open || isEmpty(documents)) return;
    forget(rows);
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

function rowNode([solver, description]) {
  const id = `solver-${solver}`;
  const radio = make("input", { type: "radio", name: "solver", value: solver, id });
  const label = make("label", { for: id }, make("strong", {}, solver),
    make("span", { class: "soft" }, description));
  const choice = make("div", { class: "choice" }, radio, label);
  const head = make("th", { scope: "row", role: "rowheader" }, choice);
  const cells = Object.entries(COLUMNS).map(([column, name]) =>
    make("td", { role: "cell", "data-column": column, "data-name": name }, "–"));
  return make("tr", { role: "row", "data-solver": solver }, head, ...cells);
}

function showChosen(rows, solver) {
  for (const row of rows.children) {
    const isChosen = row.dataset.solver === solver;
    row.classList.toggle("is-chosen", isChosen);
    row.querySelector("input").checked = isChosen;
  }
}

function forget(rows) {
  for (const row of rows.children) row.classList.add("is-old");
}

async function askOneByOne(state, task, signal) {
  const { documents, settings } = task;
  for (const solver of Object.keys(SOLVERS)) {
    if (isOtherTable(state.get(), task)) return;
    const request = summaryRequest({ documents, settings: settings.with({ solver }) });
    await showRow(solver, request, signal);
  }
}

/** A solver may fail where others do not, such as to meet what is required. */
async function showRow(solver, request, signal) {
  try {
    showAnswer(solver, await ask("summarize", request, signal));
  } catch (error) {
    if (!(error instanceof RefusedError) || error.isBusy) throw error;
    showTexts(solver, { status: inWordsOfPage(error).text });
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
    say(row.querySelector(`[data-column="${column}"]`), texts[column] ?? "–");
  }
  row.classList.remove("is-old");
}
