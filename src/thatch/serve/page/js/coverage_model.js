/** What a plan covers, and how that is said; nothing here touches the document. */

import { formatCount, formatNumber, formatShare } from "./formats.js";

const MAX_STEPS = 160;
// Of the largest budget to the smallest, from which on the scale is logarithmic.
const LEAST_RATIO = 20;
// Names of columns that say nothing about what is counted.
const VAGUE = new Set(["", "weight", "weights", "demand"]);

/**
 * @typedef {object} Data a problem that was read, with indices for its names
 * @property {string} key what it was read from
 * @property {object} problem as in files
 * @property {{metric: string, items: number[][], elements: number[][]} | undefined} locations
 * @property {{cost: string, weight: string} | undefined} columns
 * @property {string[]} items names
 * @property {string[]} elements names
 * @property {number} total weight
 * @property {string} reach such as "8 km", or ""
 *
 * @typedef {"required" | "forbidden"} Decision
 */

/**
 * A problem of the server's answer.
 * @param {object} answer
 * @param {string} key
 * @param {string} reach
 * @returns {Data}
 */
export function dataOf(answer, key, reach) {
  const { problem } = answer;
  const isMap = Boolean(answer.locations);
  const named = (names, count, noun) =>
    names ?? Array.from({ length: count }, (_, k) => `${noun} ${k}`);
  return Object.freeze({
    ...answer,
    key,
    reach,
    items: named(problem.item_names, problem.costs.length, isMap ? "site" : "item"),
    elements: named(problem.element_names, problem.weights.length, isMap ? "point" : "element"),
    total: sum(problem.weights),
  });
}

/**
 * How the page names what is chosen and what is covered.
 * @param {Data} data
 * @returns {{item: string, whole: string, unit: string}}
 */
export function wordsOf({ locations, columns }) {
  const unit = columns && !VAGUE.has(columns.weight.toLowerCase()) ? columns.weight : "";
  return locations
    ? { item: "site", whole: "the demand", unit }
    : { item: "item", whole: "the weight", unit };
}

/**
 * Name of an item in requests.
 * @param {Data} data
 * @param {number} item
 * @returns {string}
 */
export function labelOf({ problem, items }, item) {
  return problem.item_names ? items[item] : String(item);
}

/**
 * Items that an answer names.
 * @param {Data} data
 * @param {(string | number)[]} labels
 * @returns {number[]} indices
 */
export function indicesOf({ problem }, labels) {
  if (!problem.item_names) return labels.map(Number);
  const index = new Map(problem.item_names.map((name, i) => [name, i]));
  return labels.map((label) => index.get(label));
}

/**
 * @typedef {object} Cover
 * @property {number[]} chosen items
 * @property {Set<number>} chosenSet
 * @property {number[][]} coveredBy chosen items that cover each element
 * @property {boolean[]} isCovered
 * @property {number[]} reaches weight that each item covers
 * @property {number[]} alone weight that is lost without each item, if it is chosen
 */

/**
 * What the chosen items cover.
 * @param {Data} data
 * @param {number[]} chosen
 * @returns {Cover}
 */
export function coverOf({ problem }, chosen) {
  const { sets, weights, constraints } = problem;
  const demands = constraints?.demands;
  const coveredBy = weights.map(() => []);
  for (const i of chosen) for (const a of sets[i]) coveredBy[a].push(i);
  const needed = (a) => demands?.[a] ?? 1;
  const weightOf = (elements) => sum(elements.map((a) => weights[a]));
  const isTight = (a) => coveredBy[a].length === needed(a);
  const chosenSet = new Set(chosen);
  return {
    chosen,
    chosenSet,
    coveredBy,
    isCovered: coveredBy.map((items, a) => items.length >= needed(a)),
    reaches: sets.map(weightOf),
    alone: sets.map((elements, i) => (chosenSet.has(i) ? weightOf(elements.filter(isTight)) : 0)),
  };
}

/**
 * Costs of the items in the unit of the budget.
 * @param {Data} data
 * @param {boolean} isCounted whether the budget is a number of items
 * @returns {number[]}
 */
export function costsOf({ problem }, isCounted) {
  return isCounted ? problem.costs.map(() => 1) : problem.costs;
}

/**
 * Budgets from the cheapest item to the largest budget of use, for slider and chart.
 * Up to 160 whole numbers are in equal steps, wide ranges in equal ratios.
 * @param {number[]} costs
 * @param {number} most
 * @returns {{values: number[], isLog: boolean}}
 */
export function budgetSteps(costs, most) {
  const low = costs.reduce((least, cost) => (cost > 0 ? Math.min(least, cost) : least), Infinity);
  const first = Number.isFinite(low) ? Math.min(low, most) : 1;
  const isWhole = costs.every(Number.isInteger);
  const last = Math.max(most, first);
  if (isWhole && last <= MAX_STEPS) {
    const values = Array.from({ length: last - first + 1 }, (_, k) => first + k);
    return { values, isLog: false };
  }
  const isLog = last > LEAST_RATIO * first;
  const at = (share) => (isLog ? first * (last / first) ** share : first + (last - first) * share);
  const values = new Set([first]);
  for (let k = 1; k < MAX_STEPS; k += 1) {
    const value = Number(at(k / MAX_STEPS).toPrecision(3));
    values.add(isWhole ? Math.round(value) : value);
  }
  values.add(last);
  const ascending = [...values].filter((value) => value >= first && value <= last);
  return { values: ascending.toSorted((one, other) => one - other), isLog };
}

/**
 * What the required items cost: no plan is cheaper.
 * @param {{data: Data, decisions: Record<string, Decision>}} state
 * @param {number[]} costs
 * @returns {number}
 */
export function leastBudget({ data, decisions }, costs) {
  const required = new Set(data.problem.constraints?.required ?? []);
  return sum(costs.filter((_, i) =>
    required.has(i) || decisions[labelOf(data, i)] === "required"));
}

/**
 * Position of the number that is nearest.
 * @param {number[]} values
 * @param {number} wanted
 * @returns {number}
 */
export function nearest(values, wanted) {
  return values.reduce((best, value, k) =>
    (Math.abs(value - wanted) < Math.abs(values[best] - wanted) ? k : best), 0);
}

/**
 * The plan in one line, with what is proved about it.
 * @param {Data} data
 * @param {object} plan the server's answer
 * @param {{isCounted: boolean, proof: string}} said
 * @returns {string}
 */
export function headline(data, plan, { isCounted, proof }) {
  const { item, whole } = wordsOf(data);
  const count = `${formatNumber(plan.items.length)} of ${formatCount(data.items.length, item)}`;
  const spent = isCounted
    ? unspentOf(plan) : `, cost ${formatNumber(plan.cost)} of ${formatNumber(plan.budget)}`;
  const within = data.reach ? ` within ${data.reach}` : "";
  const share = formatShare(plan.value / (data.total || 1));
  return `${count}${spent}, ${share} of ${whole}${within}: ${proof}.`;
}

/** A budget of items, unless the plan spends it. */
function unspentOf({ items, budget }) {
  const most = Math.floor(budget);
  return items.length < most ? `, at most ${formatNumber(most)}` : "";
}

/**
 * What is proved about a plan, from its status and gap alone.
 * @param {{status: string, gap: number}} plan
 * @returns {string}
 */
export function proofOf({ status, gap }) {
  if (status === "optimal" || gap === 0) return "proved best";
  return `at most ${formatShare(gap)} below the best possible`;
}

/**
 * What the required and forbidden items cost, in a sentence.
 * @param {Data} data
 * @param {object} free plan without them
 * @param {object} plan plan with them, or an alternative to it
 * @param {{decisions: Record<string, Decision>, alternative: number}} chosen the number of the
 *   alternative, or 0
 * @returns {string}
 */
export function priceOf(data, free, plan, { decisions, alternative }) {
  const { whole, unit } = wordsOf(data);
  const all = Object.values(decisions);
  const counts = ["required", "forbidden"]
    .map((kind) => [all.filter((each) => each === kind).length, kind])
    .filter(([count]) => count > 0)
    .map(([count, kind]) => `${count} ${kind}`);
  const who = `Your choice (${counts.join(", ")})`
    + `${alternative ? ` and alternative ${alternative} cost` : " costs"}`;
  // What an alternative covers is known, whether or not it is the best.
  const isProved = [free, ...(alternative ? [] : [plan])]
    .every((each) => proofOf(each) === "proved best");
  const loss = free.value - plan.value;
  if (loss <= 1e-9 * data.total) {
    return isProved ? `${who} nothing.` : `${who} nothing that was found.`;
  }
  const amount = unit ? `, ${formatNumber(loss)} ${unit}` : "";
  const about = isProved ? "" : "about ";
  return `${who} ${about}${formatShare(loss / data.total)} of ${whole}${amount}.`;
}

/**
 * @param {number[]} numbers
 * @returns {number}
 */
export function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
