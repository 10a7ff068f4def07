/** Options of every call, as the server declares them. */

import { UnreachableError, optionsOfCalls } from "./api.js";
import { byId } from "./dom.js";

const MILLISECONDS_BETWEEN_TRIES = 800;

/**
 * @typedef {object} Option
 * @property {string} name
 * @property {string} label
 * @property {"text" | "integer" | "number" | "flag" | "texts"} kind
 * @property {any} default
 * @property {string} description
 * @property {string} default_text what happens without a value
 * @property {{name: string, description: string}[]} choices empty if any value is accepted
 * @property {number | null} minimum
 * @property {boolean} has_escapes whether \n is a line break where one line is typed
 */

const calls = await load();

/**
 * The options of a call.
 * @param {string} call such as "pack"
 * @returns {Option[]}
 */
export function optionsOf(call) {
  return calls[call];
}

/** Options that decide the passages of a text, their costs and concepts. */
export const TEXT_OPTIONS = calls.analyze.filter(({ name }) => name !== "budget");

/** The names of these options. */
export const TEXT_FIELDS = TEXT_OPTIONS.map(({ name }) => name);

/** Options that the page has a place for: those of the text, the budget and the solver. */
export const PAGE_OPTIONS = calls.summarize.filter(({ name }) =>
  [...TEXT_FIELDS, "budget", "solver"].includes(name));

/**
 * The option of that name.
 * @param {string} name
 * @returns {Option}
 */
export function optionNamed(name) {
  const found = PAGE_OPTIONS.find((option) => option.name === name);
  if (!found) throw new Error(`The server has no option ${name}.`);
  return found;
}

/** The page cannot start without the options: wait for a server that is restarting. */
async function load() {
  for (;;) {
    try {
      const answer = await optionsOfCalls();
      byId("offline").hidden = true;
      return answer;
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      byId("offline").hidden = false;
      await new Promise((resolve) => { setTimeout(resolve, MILLISECONDS_BETWEEN_TRIES); });
    }
  }
}
