/** What the page showed last in this tab: the user's files, settings and decisions. */

import { sourceOf } from "./coverage_data.js";
import { fragmentOf } from "./coverage_inputs.js";
import { storePage } from "./stored_page.js";

/**
 * Store what is shown.
 * @param {import("./coverage_session.js").State} state
 */
export function storeCoverage(state) {
  const { source, settings, decisions } = state;
  if (!source) return;
  const fragment = fragmentOf(state);
  if (source.sample) {
    storePage({ fragment, documents: [] });
    return;
  }
  const { sites, demand, tables, file, content } = source;
  const documents = file ? [{ name: file.name, base64: encoded(content) }] : tables;
  storePage({ fragment, documents, sites, demand, settings, decisions });
}

/**
 * The user's files as they were stored.
 * @param {import("./stored_page.js").Stored & {sites: number, demand: number}} stored
 * @returns {import("./coverage_data.js").Source}
 */
export function sourceOfStored({ documents, sites, demand }) {
  const [{ name, base64 }] = documents;
  if (base64 === undefined) return sourceOf({ tables: documents, sites, demand });
  const content = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return sourceOf({ file: new File([content], name), content });
}

/** Problem files may be binary. */
function encoded(content) {
  let characters = "";
  for (const byte of content) characters += String.fromCharCode(byte);
  return btoa(characters);
}
