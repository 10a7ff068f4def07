/** Settings of a summary: one value per option of the page. */

import { PAGE_OPTIONS, TEXT_FIELDS, optionNamed } from "./options.js";

// How many units make a word, for budgets when the unit changes; 1 for other units.
const UNITS_PER_WORD = { sentences: 1 / 20, characters: 6, tokens: 1.5 };

/** Immutable settings; a change returns new ones. */
export class Settings {
  /** @param {Record<string, any>} [given] invalid values are replaced by defaults */
  constructor(given = {}) {
    for (const option of PAGE_OPTIONS) {
      this[option.name] = isValid(option, given[option.name])
        ? valueOf(option, given[option.name])
        : defaultOf(option, this.unit);
    }
    Object.freeze(this);
  }

  /**
   * The same settings with some values changed.
   * @param {Record<string, any>} change
   * @returns {Settings}
   */
  with(change) {
    return new Settings({ ...this, ...change });
  }

  /**
   * The same amount of text, counted in another unit.
   * @param {string} unit
   * @returns {Settings}
   */
  withUnit(unit) {
    return this.with({ unit, budget: converted(this.budget, this.unit, unit) });
  }

  /**
   * Whether passages, costs and terms are the same under the other settings.
   * @param {Settings} other
   * @returns {boolean}
   */
  hasSameText(other) {
    return TEXT_FIELDS.every((field) => isSame(this[field], other[field]));
  }

  /**
   * Whether terms weigh the same under the other settings, too: with a question, weights
   * depend on the budget.
   * @param {Settings} other
   * @returns {boolean}
   */
  hasSameWeights(other) {
    return this.hasSameText(other) && (!this.query || this.budget === other.budget);
  }

  /**
   * Whether texts are split into the same passages under the other settings.
   * @param {Settings} other
   * @returns {boolean}
   */
  hasSamePassages(other) {
    return this.by === other.by && this.language === other.language;
  }

  /**
   * The fields that all requests about a text share.
   * @param {readonly object[]} documents
   * @returns {object}
   */
  textRequest(documents) {
    const fields = Object.fromEntries(TEXT_FIELDS.map((field) => [field, this[field]]));
    return { documents, ...fields };
  }
}

/**
 * Whether two values of an option are equal.
 * @param {any} one
 * @param {any} other
 * @returns {boolean}
 */
export function isSame(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Whether costs add up to the cost of the summary: otherwise gaps refer to their sum. */
export const addsUp = ({ unit, by }) =>
  unit === "words" || unit === "characters" || (unit === "sentences" && by === "sentence");

function isValid({ name, kind, choices, minimum }, given) {
  if (given === undefined || given === null) return false;
  if (choices.length) return choices.some((choice) => choice.name === given);
  if (kind !== "integer" && kind !== "number") return true;
  const number = Number(given);
  const isInRange = number <= Number.MAX_SAFE_INTEGER && number >= (minimum ?? -Infinity);
  const isWhole = kind === "number" || Number.isInteger(number);
  return String(given) !== "" && isInRange && isWhole && (name !== "budget" || number > 0);
}

function valueOf({ kind }, given) {
  if (kind === "integer" || kind === "number") return Number(given);
  if (kind === "flag") return String(given) === "true";
  return kind === "texts" ? Object.freeze([...given]) : String(given);
}

function defaultOf({ name, kind, default: value }, unit) {
  if (name === "budget") return converted(value, optionNamed("unit").default, unit);
  return kind === "texts" ? Object.freeze([...value]) : value;
}

/**
 * A budget for about the same amount of text in another unit.
 * @param {number} budget
 * @param {string} from
 * @param {string} to
 * @returns {number}
 */
export function converted(budget, from, to) {
  const perWord = (unit) => UNITS_PER_WORD[unit] ?? 1;
  return Math.max(1, Number(((budget * perWord(to)) / perWord(from)).toPrecision(2)));
}

/** The settings of a fresh page. */
export const DEFAULTS = new Settings();
