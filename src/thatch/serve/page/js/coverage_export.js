/** Exports the plan as CSV, JSON or a link. */

import { coverOf, wordsOf } from "./coverage_model.js";
import { fragmentOf } from "./coverage_inputs.js";
import { shownPlan } from "./coverage_plan.js";
import { decisionsOf } from "./coverage_sites.js";
import { byId, setText } from "./dom.js";
import { copy, save } from "./saving.js";
import { showMessage } from "./messages.js";

/**
 * Let the user export the plan.
 * @param {ReturnType<import("./state.js").createState>} state
 */
export function startCoverageExport(state) {
  const onClick = (id, run) => byId(id).addEventListener("click", () => run(state.get()));
  state.onChange(({ data }, before) => {
    if (!data || data === before.data) return;
    setText(byId("save-sites"), `Chosen ${wordsOf(data).item}s (CSV)`);
    setText(byId("save-demand"), data.locations ? "Demand (CSV)" : "Elements (CSV)");
  });
  onClick("save-sites", (now) => save("sites.csv", "text/csv", sitesTable(now)));
  onClick("save-demand", (now) => save("demand.csv", "text/csv", demandTable(now)));
  onClick("save-json", (now) => save("plan.json", "application/json", planJson(now)));
  onClick("copy-link", async (now) => {
    const link = new URL(location.href);
    link.hash = fragmentOf(now);
    const isCopied = await copy({ text: link.href }, byId("copy-link"));
    if (isCopied && !now.source?.sample) {
      showMessage("link", {
        text: "The link opens this page, but without your files.",
        hint: "Only samples and their settings are stored in a link.",
        kind: "notice",
      });
    }
  });
}

/** One row per chosen item. */
function sitesTable(now) {
  const { data, chosen } = shownPlan(now);
  const cover = coverOf(data, chosen);
  const decided = decisionsOf(data, now.decisions);
  return csvOf(
    ["name", ...axesOf(data), "cost", "covers", "covers_alone", "decision"],
    chosen.map((i) => [data.items[i], ...placeOf(data, "items", i), data.problem.costs[i],
      cover.reaches[i], cover.alone[i], decided[i] ?? ""]),
  );
}

/** One row per element, with the chosen items that cover it. */
function demandTable(now) {
  const { data, chosen } = shownPlan(now);
  const { isCovered, coveredBy } = coverOf(data, chosen);
  return csvOf(
    ["name", ...axesOf(data), "weight", "covered", "covered_by"],
    data.elements.map((name, a) => [name, ...placeOf(data, "elements", a),
      data.problem.weights[a], Number(isCovered[a]),
      coveredBy[a].map((i) => data.items[i]).join("; ")]),
  );
}

function planJson(now) {
  const { answer, data } = shownPlan(now);
  const { reach, isCounted } = now.settings;
  const settings = { reach, unit_costs: isCounted, decisions: now.decisions };
  return `${JSON.stringify({ ...answer, total_weight: data.total, settings }, null, 2)}\n`;
}

function axesOf({ locations }) {
  if (!locations) return [];
  return locations.metric === "haversine" ? ["longitude", "latitude"] : ["x", "y"];
}

function placeOf({ locations }, kind, k) {
  return locations ? locations[kind][k] : [];
}

function csvOf(header, rows) {
  const cell = (value) => {
    const text = String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [header, ...rows].map((row) => `${row.map(cell).join(",")}\n`).join("");
}
