/** Compares solvers on the same text; one of them makes the summary of the page. */

import { RejectedError, post } from "./api.js";
import { byId, make, setText } from "./dom.js";
import { formatNumber, formatSeconds, formatShare } from "./formats.js";
import { messageOf } from "./messages.js";
import { optionNamed } from "./options.js";
import { debounced, latestOnly, PAUSES } from "./latest.js";
import { isEmpty, isOtherText, summaryRequest } from "./session.js";
import { isGap } from "./headline.js";

// Exhaustive search is limited to texts of a few sentences.
const SOLVERS = optionNamed("solver").choices.filter(({ name }) => name !== "exhaustive");
const COLUMNS = {
  value: "covered",
  share: "of the bound",
  cost: "cost",
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
  const compareQuietly = debounced(PAUSES.loading, compare);
  const compareIfOpen = (isAtOnce) => {
    const { documents, settings, choices } = state.get();
    if (!panel.open || isEmpty(documents)) return;
    markStale(rows);
    (isAtOnce ? compare : compareQuietly)({ documents, settings, choices });
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
  return isOtherText(now, before)
    || now.settings.budget !== before.settings.budget
    || now.choices !== before.choices;
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

/** Nothing of the last answer is shown while a solver runs. */
function markRunning(solver) {
  const row = rowOf(solver);
  row.classList.add("is-running");
  setText(row.querySelector('[data-column="status"]'), "running …");
}

function markStale(rows) {
  for (const row of rows.children) row.classList.add("is-stale");
}

/** Every solver proves a bound; the lowest is shared, as all are valid. */
async function compareOneByOne(state, task, signal) {
  const answers = new Map();
  for (const { name: solver } of SOLVERS) {
    const settings = task.settings.with({ solver });
    markRunning(solver);
    const answer = await answerOf(solver, summaryRequest({ ...task, settings }), signal);
    // The budget may have changed meanwhile: an old answer would look like a new one.
    if (isOtherTable(state.get(), task)) return;
    if (answer) answers.set(solver, answer);
    showAnswers(answers);
  }
}

/** A solver may fail where others succeed, such as at meeting requirements. */
async function answerOf(solver, request, signal) {
  try {
    return await post("summarize", request, signal);
  } catch (error) {
    if (!(error instanceof RejectedError) || error.isBusy) throw error;
    showTexts(solver, { status: messageOf(error).text });
    return null;
  }
}

function showAnswers(answers) {
  const bound = Math.min(...[...answers.values()].map((answer) => answer.upper_bound));
  setText(
    byId("solver-bound"),
    answers.size ? `The lowest upper bound that one of them proves is ${formatNumber(bound)}.` : "",
  );
  for (const [solver, { value, cost, gap, seconds, status }] of answers) {
    const share = bound > 0 ? Math.min(1, value / bound) : 0;
    showTexts(solver, {
      value: formatNumber(value),
      share: bound > 0 ? shareText(share) : "–",
      cost: formatNumber(cost),
      seconds: formatSeconds(seconds),
      status: isGap(gap) ? status.replaceAll("_", " ") : "proved best",
    });
    rowOf(solver).style.setProperty("--share", String(share));
  }
}

/** Shares close to 1 need more digits. */
function shareText(share) {
  return share < 1 - 1e-6 && share > 0.999 ? `${(100 * share).toFixed(3)}\u00a0%` : formatShare(share);
}

function rowOf(solver) {
  return byId("solver-rows").querySelector(`[data-solver="${solver}"]`);
}

function showTexts(solver, texts) {
  const row = rowOf(solver);
  for (const column of Object.keys(COLUMNS)) {
    setText(row.querySelector(`[data-column="${column}"]`), texts[column] ?? "–");
  }
  row.classList.remove("is-stale", "is-running");
}
