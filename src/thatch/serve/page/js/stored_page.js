/** What a page showed last in this tab: neither a reload nor another page loses it. */

const KEY = `thatch ${location.pathname}`;

/**
 * @typedef {object} Stored
 * @property {string} fragment settings and sample, as in a link
 * @property {object[]} documents the user's own
 */

/**
 * Store what is shown in place of what was; without documents if they exceed the quota.
 * @param {Stored} stored with whatever else the page needs
 */
export function storePage(stored) {
  for (const each of [stored, { ...stored, documents: [] }]) {
    try {
      sessionStorage.setItem(KEY, JSON.stringify(each));
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
export function storedPage(fragment) {
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
