/** Settings of a summary: their names, defaults, and what of them a request holds. */

/** What the budget may count, with its default and how many make a word. */
export const UNITS = {
  words: { budget: 100, perWord: 1 },
  sentences: { budget: 5, perWord: 1 / 20 },
  characters: { budget: 600, perWord: 6 },
  tokens: { budget: 150, perWord: 1.4 },
};

/** The solvers that are set side by side, the best first. */
export const SOLVERS = {
  auto: "chooses by itself, and proves how near the best it is",
  exact: "searches until the best is proved",
  bp: "belief propagation, the paper's messages",
  "local-search": "exchanges sentences while that helps",
  ggreedy: "takes what adds most per cost, again and again",
  greedy: "takes what adds most, whatever it costs",
  static: "ranks once by weight per cost",
};

const CHOICES = {
  unit: Object.keys(UNITS),
  by: ["sentence", "paragraph", "file"],
  concepts: ["salience", "tf-idf", "tf-idf-content", "bigrams"],
  solver: Object.keys(SOLVERS),
};
const TEXT_FIELDS = ["unit", "by", "concepts", "query", "require", "exclude"];

/** Settings, frozen; a change makes others. */
export class Settings {
  /** @param {Partial<Settings>} [given] */
  constructor(given = {}) {
    this.unit = oneOf("unit", given.unit);
    this.budget = isBudget(Number(given.budget)) ? Number(given.budget) : UNITS[this.unit].budget;
    this.by = oneOf("by", given.by);
    this.concepts = oneOf("concepts", given.concepts);
    this.query = String(given.query ?? "");
    this.require = Object.freeze([...(given.require ?? [])]);
    this.exclude = Object.freeze([...(given.exclude ?? [])]);
    this.solver = oneOf("solver", given.solver);
    Object.freeze(this);
  }

  /**
   * The same settings but for a change.
   * @param {Partial<Settings>} change
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
    const budget = (this.budget * UNITS[unit].perWord) / UNITS[this.unit].perWord;
    return this.with({ unit, budget: Math.max(1, Number(budget.toPrecision(2))) });
  }

  /**
   * Whether passages, their costs and their terms are the same under the other settings.
   * @param {Settings} other
   * @returns {boolean}
   */
  hasSameText(other) {
    return TEXT_FIELDS.every((field) => String(this[field]) === String(other[field]));
  }

  /**
   * The fields that every request about a text shares.
   * @param {readonly object[]} documents
   * @returns {object}
   */
  textRequest(documents) {
    const fields = Object.fromEntries(TEXT_FIELDS.map((field) => [field, this[field]]));
    return { documents, ...fields };
  }
}

/** The settings of a fresh page. */
export const DEFAULTS = new Settings();

/** Whether the cost of a choice is the sum of its costs: else a gap is about that sum. */
export const addsUp = ({ unit, by }) =>
  unit === "words" || unit === "characters" || (unit === "sentences" && by === "sentence");

function isBudget(given) {
  return given > 0 && given <= Number.MAX_SAFE_INTEGER;
}

function oneOf(field, given) {
  return CHOICES[field].includes(given) ? given : CHOICES[field][0];
}
