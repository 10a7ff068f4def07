/** A summary as Markdown, with tables that explain it. */

import { formatNumber } from "./formats.js";
import { certificate } from "./headline.js";

const MAX_LEFT_OUT = 10;
const MAX_TERMS = 8;

/**
 * The summary, the chosen passages, and those that were left out.
 * @param {object} answer of /api/summarize with explain
 * @param {import("./settings.js").Settings} settings
 * @returns {string}
 */
export function explainedMarkdown(answer, settings) {
  const { summary, sentences, left_out: leftOut, unit, cost, budget } = answer;
  const wanted = leftOut.filter(({ gain }) => gain > 0).slice(0, MAX_LEFT_OUT);
  const total = sentences.length + leftOut.length;
  return [
    summary,
    "",
    "## Why",
    "",
    `${sentences.length} of ${total} ${settings.by}s, ${formatNumber(cost)} of `
      + `${formatNumber(budget)} ${unit}. ${certificate(answer, settings)}`,
    "",
    ...table(
      ["chosen", "where", unit, "covers alone", "what"],
      sentences.map((each) => [
        each.text, place(each, settings), formatNumber(each.cost),
        formatNumber(each.weight), each.concepts.slice(0, MAX_TERMS).join(", "),
      ]),
    ),
    "",
    ...table(
      ["left out", "where", unit, "would add", "because"],
      wanted.map((each) => [
        each.text, place(each, settings), formatNumber(each.cost),
        formatNumber(each.gain), each.reason,
      ]),
    ),
    "",
  ].join("\n");
}

function place({ document, position }, { by }) {
  const name = typeof document === "string" ? document : `document ${document + 1}`;
  return by === "file" ? name : `${name}, ${by} ${position + 1}`;
}

function table(names, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const cell = (text) => String(text).split(/\s+/).join(" ").trim().replaceAll("|", "\\|");
  const rule = `${"|---".repeat(names.length)}|`;
  return [line(names), rule, ...rows.map((row) => line(row.map(cell)))];
}
