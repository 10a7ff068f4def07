/** Sample texts; the first is shown on a fresh page. */

import { pageFile } from "./api.js";

/**
 * Samples by name: a title, and the names of their documents by file.
 *
 * The reports are our own, in the public domain; so are Python Enhancement Proposals.
 * @type {Record<string, {title: string, files: Record<string, string>}>}
 */
export const SAMPLES = {
  "apollo-13": {
    title: "Apollo 13: five reports",
    files: {
      "apollo-13-1-launch": "April 11, launch",
      "apollo-13-2-explosion": "April 13, explosion",
      "apollo-13-3-around-the-moon": "April 14, around the Moon",
      "apollo-13-4-carbon-dioxide": "April 15, carbon dioxide",
      "apollo-13-5-splashdown": "April 17, splashdown",
    },
  },
  "pep-0609": {
    title: "Governance of the Python Packaging Authority",
    files: { "pep-0609": "Python Packaging Authority (PyPA) Governance" },
  },
  "pep-0407": {
    title: "Release cycle of Python",
    files: { "pep-0407": "New release cycle and introducing long-term support versions" },
  },
  "pep-0545": {
    title: "Translations of Python's documentation",
    files: { "pep-0545": "Python Documentation Translations" },
  },
  "de-flood": {
    title: "Deutsch: nach dem Hochwasser", files: { "de-flood": "Nach dem Hochwasser" },
  },
  "ar-observatory": {
    title: "العربية: مرصد جديد", files: { "ar-observatory": "مرصد جديد" },
  },
  "ja-bridge": { title: "日本語:木の橋", files: { "ja-bridge": "木の橋" } },
  "vi-rice": {
    title: "Tiếng Việt: giống lúa chịu mặn", files: { "vi-rice": "Giống lúa chịu mặn" },
  },
};

/** The sample of a fresh page. */
export const FIRST_SAMPLE = Object.keys(SAMPLES)[0];

/**
 * The documents of a sample.
 * @param {string} sample
 * @returns {Promise<{text: string, name: string, blocks: null}[]>}
 */
export async function sampleDocuments(sample) {
  return Promise.all(Object.entries(SAMPLES[sample].files).map(async ([file, name]) => ({
    text: await pageFile(`samples/${file}.txt`), name, blocks: null,
  })));
}
