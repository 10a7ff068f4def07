/** Sample texts; the first is shown on a fresh page. */

import { pageFile } from "./api.js";

/** Titles of Python Enhancement Proposals in the public domain, by file name. */
export const SAMPLES = {
  "pep-0609": "Python Packaging Authority (PyPA) Governance",
  "pep-0407": "New release cycle and introducing long-term support versions",
  "pep-0545": "Python Documentation Translations",
};

/** The sample of a fresh page. */
export const FIRST_SAMPLE = Object.keys(SAMPLES)[0];

/**
 * A sample as a document.
 * @param {string} sample
 * @returns {Promise<{text: string, name: string, blocks: null}>}
 */
export async function sampleDocument(sample) {
  const text = await pageFile(`samples/${sample}.txt`);
  return { text, name: SAMPLES[sample], blocks: null };
}
