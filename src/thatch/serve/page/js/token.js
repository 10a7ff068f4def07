/** The token of the server, if it needs one; stored in the tab. */

import { byId } from "./dom.js";

const KEY = "thatch token";

let pending = null;
let current = stored();
takeFromFragment();

/**
 * The token, or "" if none is known.
 * @returns {string}
 */
export function token() {
  return current;
}

/**
 * Prompt for the token; concurrent failures share one prompt.
 * @returns {Promise<void>} settled when it is known
 */
export function promptForToken() {
  pending ??= showPrompt().finally(() => {
    pending = null;
  });
  return pending;
}

async function showPrompt() {
  const dialog = byId("token-dialog");
  const field = /** @type {HTMLInputElement} */ (byId("token"));
  byId("token-error").hidden = !current;
  field.value = "";
  dialog.showModal();
  // Nothing works without it, so that Escape must not close the dialog.
  const stay = (event) => event.preventDefault();
  dialog.addEventListener("cancel", stay);
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  dialog.removeEventListener("cancel", stay);
  store(field.value.trim());
}

function store(value) {
  current = value;
  try {
    sessionStorage.setItem(KEY, value);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}

function stored() {
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    return ""; // storage may be disabled
  }
}

/** A link may contain the token in its fragment, which browsers do not send. */
function takeFromFragment() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const given = fields.get("token");
  if (!given) return;
  fields.delete("token");
  const rest = fields.toString();
  history.replaceState(null, "", rest ? `#${rest}` : location.pathname + location.search);
  store(given);
}
