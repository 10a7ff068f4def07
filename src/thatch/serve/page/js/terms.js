/** Terms: the concepts of a text under the names that readers know. */

/**
 * @typedef {object} Term
 * @property {number} a number of one of its concepts, by which it is pointed at
 * @property {string} name
 * @property {number} weight of its concepts together
 * @property {"alone" | "shared" | "covered" | "missing"} coverage
 *
 * @typedef {object} Index
 * @property {Map<string, number[]>} concepts by name
 * @property {Map<number, number[]>} passages by concept
 * @property {object[]} heaviest terms
 */

const MAX_TERMS = 20;
/** @type {WeakMap<object, Index>} */
const indices = new WeakMap();

/**
 * Numbers of the passages that contain a term.
 * @param {import("./state.js").Answered} analysis
 * @param {number} term
 * @returns {number[]}
 */
export function passagesWithTerm(analysis, term) {
  const { passages } = indexOf(analysis);
  const found = conceptsOf(analysis, term).flatMap((a) => passages.get(a) ?? []);
  return [...new Set(found)].sort((one, other) => one - other);
}

/**
 * The words of a term: per concept, the ways in which each of its words is written.
 * @param {import("./state.js").Answered} analysis
 * @param {number} term
 * @returns {string[][][]}
 */
export function wordsOfTerm(analysis, term) {
  const { concepts, terms } = analysis.answer;
  return conceptsOf(analysis, term)
    .map((a) => concepts[a].terms.map((t) => terms[t]))
    .filter((words) => words.length);
}

/**
 * The terms of some concepts by descending weight, each once.
 * @param {import("./state.js").Answered} analysis
 * @param {Iterable<number>} concepts numbers
 * @param {(a: number) => Term["coverage"]} coverageOf
 * @returns {Term[]}
 */
export function termsOf(analysis, concepts, coverageOf) {
  const all = analysis.answer.concepts;
  const found = new Map();
  for (const a of concepts) {
    // Stop words have weight, but explain nothing; some concepts are not words at all.
    if (!all[a].is_shown || !all[a].terms.length) continue;
    const { name, weight } = all[a];
    const known = found.get(name);
    if (!known) found.set(name, { a, name, weight, most: weight, coverage: coverageOf(a) });
    else {
      known.weight += weight;
      // The heaviest concept of that name says whether it is covered.
      if (weight > known.most) Object.assign(known, { most: weight, coverage: coverageOf(a) });
    }
  }
  return [...found.values()].sort((one, other) => other.weight - one.weight);
}

/**
 * The heaviest terms of the whole text, with the numbers of their concepts.
 * @param {import("./state.js").Answered} analysis
 * @returns {{a: number, name: string, weight: number, concepts: number[]}[]}
 */
export function heaviestTerms(analysis) {
  return indexOf(analysis).heaviest;
}

/**
 * How many chosen passages cover each concept.
 * @param {object[]} passages of the analysis
 * @param {Iterable<number>} chosen
 * @returns {Map<number, number>}
 */
export function coverCounts(passages, chosen) {
  const counts = new Map();
  for (const p of chosen) {
    for (const a of passages[p].concepts) counts.set(a, (counts.get(a) ?? 0) + 1);
  }
  return counts;
}

/** The concepts that have the name of this one. */
function conceptsOf(analysis, term) {
  return indexOf(analysis).concepts.get(analysis.answer.concepts[term].name) ?? [];
}

/** @returns {Index} */
function indexOf({ answer }) {
  const known = indices.get(answer);
  if (known) return known;
  const index = { concepts: new Map(), passages: new Map() };
  for (const [a, { name, is_shown: isShown }] of answer.concepts.entries()) {
    if (isShown) addTo(index.concepts, name, a);
  }
  for (const [p, { concepts }] of answer.passages.entries()) {
    for (const a of concepts) addTo(index.passages, a, p);
  }
  index.heaviest = withoutParts(namedTerms(index.concepts, answer.concepts)).slice(0, MAX_TERMS);
  indices.set(answer, index);
  return index;
}

function addTo(map, key, value) {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}

/** Terms by descending weight: twice as many as are shown, as some are parts of others. */
function namedTerms(byName, concepts) {
  const all = Array.from(byName, ([name, numbers]) => ({
    a: numbers[0],
    name,
    concepts: numbers,
    weight: numbers.reduce((sum, a) => sum + concepts[a].weight, 0),
  }));
  return all
    .filter(({ a }) => concepts[a].terms.length)
    .sort((one, other) => other.weight - one.weight)
    .slice(0, 2 * MAX_TERMS);
}

/** Terms that are not single words of longer ones: "Apollo 13" rather than "13". */
function withoutParts(terms) {
  const parts = new Set(terms.flatMap(({ name }) => {
    const words = name.split(" ");
    return words.length > 1 ? words : [];
  }));
  return terms.filter(({ name }) => !parts.has(name));
}
