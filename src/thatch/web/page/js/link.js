/** Links that restore the settings and, where it is short enough, the text. */

import { SAMPLES } from "./samples.js";
import { DEFAULTS, Settings } from "./settings.js";

const MOST_CHARACTERS_OF_TEXT = 8192;
const LISTS = ["require", "exclude"];

/**
 * The fragment that stands for settings, and for a sample or a packed text.
 * @param {Settings} settings
 * @param {string} sample
 * @param {string} [packed] from `packedText`
 * @returns {string} without the number sign
 */
export function fragmentOf(settings, sample, packed = "") {
  const fields = new URLSearchParams();
  const usual = { ...new Settings({ unit: settings.unit }), unit: DEFAULTS.unit };
  for (const [field, value] of Object.entries(settings)) {
    if (String(value) === String(usual[field])) continue;
    for (const one of LISTS.includes(field) ? value : [value]) fields.append(field, one);
  }
  if (sample) fields.set("sample", sample);
  if (packed) fields.set("text", packed);
  return fields.toString();
}

/**
 * What a fragment stands for; what it does not name has its default.
 * @param {string} fragment with or without the number sign
 * @returns {{settings: Settings, sample: string, packed: string}}
 */
export function readFragment(fragment) {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const given = Object.fromEntries(fields);
  for (const field of LISTS) given[field] = fields.getAll(field);
  const sample = Object.hasOwn(SAMPLES, given.sample ?? "") ? given.sample : "";
  const packed = given.text ?? "";
  return { settings: new Settings(given), sample, packed };
}

/**
 * Documents in few characters that may stand in a link, or "" if they are too long.
 * @param {readonly object[]} documents
 * @returns {Promise<string>}
 */
export async function packedText(documents) {
  const bytes = new TextEncoder().encode(JSON.stringify(documents));
  const packed = toBase64Url(await through(new CompressionStream("deflate-raw"), bytes));
  return packed.length <= MOST_CHARACTERS_OF_TEXT ? packed : "";
}

/**
 * The documents that `packedText` packed.
 * @param {string} packed
 * @returns {Promise<{text: string, name: string, blocks: object[] | null}[]>}
 * @throws {Error} if it was cut or changed
 */
export async function unpackedText(packed) {
  const stream = new DecompressionStream("deflate-raw");
  const bytes = await through(stream, fromBase64Url(packed));
  const documents = JSON.parse(new TextDecoder().decode(bytes));
  const isRight = Array.isArray(documents)
    && documents.length > 0
    && documents.every(({ text, name }) => [text, name].every(isString));
  if (!isRight) throw new Error("The text of a link must be a list of documents.");
  return documents.map(({ text, name, blocks = null }) => ({ text, name, blocks }));
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
