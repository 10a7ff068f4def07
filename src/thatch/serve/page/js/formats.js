/** Formats numbers. */

const LOCALE = "en";
const whole = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 3 });

/**
 * A number with three significant digits, or as a whole number if it is large.
 * @param {number} value
 * @returns {string}
 */
export function formatNumber(value) {
  if (!Number.isFinite(value)) return "–";
  if (value !== 0 && Math.abs(value) < 1e-4) return value.toExponential(1);
  return Math.abs(value) >= 1000 || Number.isInteger(value)
    ? whole.format(value)
    : fine.format(value);
}

/**
 * A share as a percentage: 0.0312 is "3.1 %", with a non-breaking space.
 * @param {number} share
 * @returns {string}
 */
export function formatShare(share) {
  const percent = 100 * share;
  if (percent > 0 && percent < 0.01) return "less than 0.01\u00a0%";
  return `${Number(percent.toFixed(percent < 1 ? 2 : 1))}\u00a0%`;
}

/**
 * A share as a percentage with one decimal, for shares that are compared: 0.85 is "85.0 %".
 * @param {number} share
 * @returns {string}
 */
export function formatTenths(share) {
  const tenths = Math.round(1000 * share);
  if (tenths === 0 && share > 0) return "less than 0.1\u00a0%";
  return `${(tenths / 10).toFixed(tenths === 0 || share >= 1 ? 0 : 1)}\u00a0%`;
}

/**
 * A count with its noun: "1 sentence", "3 sentences".
 * @param {number} count
 * @param {string} noun in the singular
 * @returns {string}
 */
export function formatCount(count, noun) {
  return `${whole.format(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * A measure with its unit; units come in the plural.
 * @param {number} measure
 * @param {string} unit such as "words"
 * @returns {string}
 */
export function formatMeasure(measure, unit) {
  const name = measure === 1 ? unit.replace(/s\b/, "") : unit;
  return `${formatNumber(measure)} ${name}`;
}

/**
 * A quantity with the unit it is in, for the label of an axis: "budget (words)".
 * @param {string} quantity
 * @param {string} unit may contain brackets
 * @returns {string}
 */
export function formatUnit(quantity, unit) {
  return `${quantity} (${unit.replace(" (", ", ").replace(")", "")})`;
}

/**
 * A size of a file: "16 MB".
 * @param {number} bytes
 * @returns {string}
 */
export function formatBytes(bytes) {
  const [size, unit] = bytes >= 1e6 ? [bytes / 1e6, "MB"] : [bytes / 1e3, "kB"];
  return `${fine.format(size)} ${unit}`;
}

/**
 * How long something took: "12 ms", "1.4 s".
 * @param {number} seconds
 * @returns {string}
 */
export function formatSeconds(seconds) {
  return seconds < 1 ? `${fine.format(1000 * seconds)} ms` : `${fine.format(seconds)} s`;
}
