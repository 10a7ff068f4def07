/** Copies texts, and saves them as files. */

import { announce, showMessage } from "./messages.js";

const NOT_COPIED = {
  text: "The browser did not allow copying.",
  hint: "Select the text and copy it.",
};

/**
 * Copy a text. On other machines, a page without TLS has no clipboard API.
 * @param {{text: string, html?: string}} copied
 * @param {HTMLElement} button that confirms it
 * @returns {Promise<boolean>} whether it was copied
 */
export async function copy({ text, html }, button) {
  const isCopied = await (navigator.clipboard ? write(text, html) : Promise.reject())
    .then(() => true, () => copyBySelecting(text));
  if (isCopied) confirm(button);
  else showMessage("copy", NOT_COPIED);
  return isCopied;
}

function write(text, html) {
  if (!html) return navigator.clipboard.writeText(text);
  const blob = (content, type) => new Blob([content], { type });
  return navigator.clipboard.write([new ClipboardItem({
    "text/plain": blob(text, "text/plain"), "text/html": blob(html, "text/html"),
  })]);
}

function copyBySelecting(text) {
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  return isCopied;
}

function confirm(button) {
  button.dataset.done = "Copied";
  announce("Copied.");
  setTimeout(() => delete button.dataset.done, 1600);
}

/**
 * Let the browser save a text as a file.
 * @param {string} name
 * @param {string} type
 * @param {string} text
 */
export function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
