/** The user's text, stored in the tab so that a reload does not lose it. */

const KEY = "thatch documents";

/**
 * Store documents in place of earlier ones; skipped if they exceed the quota.
 * @param {readonly object[]} documents empty, to store nothing
 */
export function storeDocuments(documents) {
  try {
    sessionStorage.removeItem(KEY);
    if (documents.length) sessionStorage.setItem(KEY, JSON.stringify(documents));
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}

/**
 * The stored documents, if the page was reloaded.
 * @returns {{text: string, name: string, blocks: object[] | null}[]}
 */
export function storedDocuments() {
  const isReloaded = performance.getEntriesByType("navigation")[0]?.type === "reload";
  try {
    return (isReloaded && JSON.parse(sessionStorage.getItem(KEY))) || [];
  } catch {
    // Storage may be disabled.
    return [];
  }
}
