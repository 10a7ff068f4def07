/** What the tab showed last, so that neither a reload nor a look at another page loses it. */

const KEY = "thatch summary";

/**
 * @typedef {object} Stored
 * @property {string} fragment settings, sample and choices, as in a link
 * @property {{text: string, name: string, blocks: object[] | null}[]} documents the user's own
 */

/**
 * Store what is shown in place of what was; without documents if they exceed the quota.
 * @param {Stored} stored
 */
export function storeDocuments({ fragment, documents }) {
  for (const kept of [documents, []]) {
    try {
      sessionStorage.setItem(KEY, JSON.stringify({ fragment, documents: kept }));
      return;
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
    }
  }
}

/**
 * What was stored, if the page was reloaded or its address names nothing else.
 * @param {string} fragment of the address
 * @returns {Stored}
 */
export function storedDocuments(fragment) {
  const isReloaded = performance.getEntriesByType("navigation")[0]?.type === "reload";
  const nothing = { fragment, documents: [] };
  try {
    const stored = JSON.parse(sessionStorage.getItem(KEY)) ?? nothing;
    // The address may lack the last changes.
    return isReloaded || !fragment ? stored : nothing;
  } catch {
    // Storage may be disabled.
    return nothing;
  }
}
