/** One line that says what was chosen, what it covers, and what is proved. */

import { byId, setText } from "./dom.js";
import { formatCount, formatMeasure, formatNumber, formatShare } from "./formats.js";
import { isEmpty } from "./session.js";
import { addsUp } from "./settings.js";
import { NO_CHOICES, hasChoices, isMatching } from "./state.js";

// Smaller gaps are rounding errors.
const SMALLEST_GAP = 1e-6;

/**
 * Show the line and the share of the text that is covered.
 * @param {import("./state.js").State} state
 */
export function showHeadline(state) {
  const share = state.summary ? coveredShare(state.summary.answer) : 0;
  setText(byId("headline"), headline(state, share));
  byId("coverage").style.setProperty("--share", String(share));
}

/**
 * What the summary covers of the text, in words.
 * @param {number} share
 * @param {{query: string}} settings
 * @returns {string}
 */
export function coverageLine(share, { query }) {
  return `${formatShare(share)} of what the text says${query ? " about your question" : ""}`;
}

/**
 * Whether a gap is more than a rounding error.
 * @param {number} gap
 * @returns {boolean}
 */
export function isGap(gap) {
  return gap >= SMALLEST_GAP;
}

/**
 * The proven gap, in a sentence.
 * @param {{value: number, upper_bound: number, gap: number}} answer
 * @param {{unit: string, by: string}} settings
 * @param {import("./state.js").Choices} [choices]
 * @returns {string}
 */
export function certificate({ value, upper_bound, gap }, settings, choices = NO_CHOICES) {
  const condition = addsUp(settings) ? "" : ", if costs are added up passage by passage";
  const others = hasChoices(choices) ? "with your choices within the budget" : "within the budget";
  if (!isGap(gap)) return `Proved: no selection ${others} covers more${condition}.`;
  if (!(value > 0)) return "";
  const more = formatShare(upper_bound / value - 1);
  return `Proved: no selection ${others} covers more than ${more} more${condition}.`;
}

/**
 * Covered share of the weight of the text.
 * @param {{value: number, total: number}} answer a summary, or a point of a curve
 * @returns {number} from 0 to 1
 */
export function coveredShare({ value, total }) {
  return total > 0 ? Math.min(1, value / total) : 0;
}

function headline(state, share) {
  const { summary, documents, isOpening, analysis } = state;
  if (!summary) {
    const isBlank = isEmpty(documents) && !isOpening;
    return isBlank ? "There is no text yet. Paste text, drop a file, or choose a sample." : "";
  }
  const { answer, settings } = summary;
  if (answer.warning) return answer.warning[0].toUpperCase() + answer.warning.slice(1);
  const total = isMatching(state) ? analysis.answer.passages.length : 0;
  const count = answer.sentences.length;
  const parts = [
    total
      ? `${formatNumber(count)} of ${formatCount(total, settings.by)}`
      : formatCount(count, settings.by),
    `${formatNumber(answer.cost)} of ${formatMeasure(answer.budget, answer.unit)}`,
    ...(share ? [coverageLine(share, settings)] : []),
  ];
  return `${parts.join(", ")}: ${proof(answer, settings, summary.choices)}.`;
}

function proof({ gap }, settings, choices) {
  const given = hasChoices(choices) ? " with your choices" : "";
  if (isGap(gap)) return `proved to be at most ${formatShare(gap)} below the best${given}`;
  return addsUp(settings) ? `proved best${given}` : `the best${given}, if costs add up`;
}
