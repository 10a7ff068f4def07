/** The reader's own text, kept by the tab so that to reload does not lose it. */

const KEY = "thatch documents";

/**
 * Keep documents in place of those before; what is too long for the tab is not kept.
 * @param {readonly object[]} documents none, to keep nothing
 */
export function keepDocuments(documents) {
  try {
    sessionStorage.removeItem(KEY);
    if (documents.length) sessionStorage.setItem(KEY, JSON.stringify(documents));
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}

/**
 * The documents that were kept, if the page was reloaded.
 * @returns {{text: string, name: string, blocks: object[] | null}[]}
 */
export function keptDocuments() {
  const isReloaded = performance.getEntriesByType("navigation")[0]?.type === "reload";
  try {
    return (isReloaded && JSON.parse(sessionStorage.getItem(KEY))) || [];
  } catch {
    // The reader may have forbidden to keep anything.
    return [];
  }
}
