/** Links that contain the settings and, if it is short enough, the text. */

import { PAGE_OPTIONS } from "./options.js";
import { SAMPLES } from "./samples.js";
import { DEFAULTS, Settings, isSame } from "./settings.js";
import { NO_CHOICES } from "./state.js";

const MAX_CHARACTERS_OF_TEXT = 8192;
const LISTS = PAGE_OPTIONS.filter(({ kind }) => kind === "texts").map(({ name }) => name);

/**
 * The fragment that encodes settings, and a sample or a packed text.
 * @param {Settings} settings
 * @param {string} sample
 * @param {string} [packed] from `packedText`
 * @param {import("./state.js").Choices} [choices]
 * @returns {string} without the number sign
 */
export function fragmentOf(settings, sample, packed = "", { pinned, struck } = NO_CHOICES) {
  const fields = new URLSearchParams();
  // The default of the budget depends on the unit.
  const usual = { ...new Settings({ unit: settings.unit }), unit: DEFAULTS.unit };
  for (const [field, value] of Object.entries(settings)) {
    if (isSame(value, usual[field])) continue;
    for (const one of LISTS.includes(field) ? value : [value]) fields.append(field, one);
  }
  if (sample) fields.set("sample", sample);
  if (pinned.length) fields.set("pin", pinned.join("."));
  if (struck.length) fields.set("strike", struck.join("."));
  if (packed) fields.set("text", packed);
  return fields.toString();
}

/**
 * Decode a fragment; settings that it does not name have their defaults.
 * @param {string} fragment with or without the number sign
 * @returns {{
 *   settings: Settings, sample: string, packed: string,
 *   choices: import("./state.js").Choices,
 * }}
 */
export function readFragment(fragment) {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const given = Object.fromEntries(fields);
  for (const field of LISTS) given[field] = fields.getAll(field);
  const sample = Object.hasOwn(SAMPLES, given.sample ?? "") ? given.sample : "";
  const packed = given.text ?? "";
  const choices = { pinned: numbersIn(given.pin), struck: numbersIn(given.strike) };
  return { settings: new Settings(given), sample, packed, choices };
}

/** Passage numbers, such as those in "3.17". */
function numbersIn(text = "") {
  return text.split(".").filter((number) => /^\d{1,7}$/.test(number)).map(Number);
}

/**
 * Documents compressed for a link, or "" if they are too long.
 * @param {readonly object[]} documents
 * @returns {Promise<string>}
 */
export async function packedText(documents) {
  const bytes = new TextEncoder().encode(JSON.stringify(documents));
  const packed = toBase64Url(await through(new CompressionStream("deflate-raw"), bytes));
  return packed.length <= MAX_CHARACTERS_OF_TEXT ? packed : "";
}

/**
 * The documents that `packedText` packed.
 * @param {string} packed
 * @returns {Promise<{text: string, name: string, blocks: object[] | null}[]>}
 * @throws {Error} if it was truncated or changed
 */
export async function unpackedText(packed) {
  const stream = new DecompressionStream("deflate-raw");
  const bytes = await through(stream, fromBase64Url(packed));
  const documents = JSON.parse(new TextDecoder().decode(bytes));
  const isRight = Array.isArray(documents)
    && documents.length > 0
    && documents.every(({ text, name }) => [text, name].every(isString));
  if (!isRight) throw new Error("The text of a link is not a list of documents.");
  return documents.map(({ blocks = null, ...rest }) => ({ ...rest, blocks }));
}

const isString = (value) => typeof value === "string";

async function through(stream, bytes) {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

function toBase64Url(bytes) {
  const characters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(characters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function fromBase64Url(text) {
  const characters = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  return Uint8Array.from(characters, (character) => character.charCodeAt(0));
}
