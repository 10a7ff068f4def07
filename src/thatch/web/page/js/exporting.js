/** Exports the summary as text, Markdown, JSON or a link. */

import { post, postForText } from "./api.js";
import { byId } from "./dom.js";
import { citedSummary } from "./citing.js";
import { fragmentOf, packedText } from "./link.js";
import { announce, showMessage } from "./messages.js";
import { explainedMarkdown } from "./markdown.js";
import { isEmpty, summaryRequest } from "./session.js";

const NOT_COPIED = {
  text: "The browser did not allow copying.",
  hint: "Select the text and copy it.",
};

/**
 * Let the user export the summary.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {import("./session.js").Session} session
 * @param {{onPacked: (packed: string) => void}} options called with the packed text of a link
 */
export function startExporting(state, session, { onPacked }) {
  const onClick = (id, run) =>
    byId(id).addEventListener("click", () => session.guarded("export", run));
  const explained = (signal) =>
    postForText("summarize", { ...summaryRequest(state.get()), explain: true }, signal);

  const menu = byId("copy").parentElement.querySelector(".menu");
  menu.addEventListener("click", ({ target }) => {
    if (target.closest("button")) menu.open = false;
  });
  document.addEventListener("click", ({ target }) => {
    if (!menu.contains(target)) menu.open = false;
  });

  onClick("copy", async () => {
    const { summary } = state.get();
    if (summary) await copy(citedSummary(summary.answer, byId("copy-format").value), byId("copy"));
  });
  onClick("save-text", async () => {
    const { summary } = state.get();
    if (summary) save("summary.txt", "text/plain", `${summary.answer.summary}\n`);
  });
  onClick("save-markdown", async (signal) => {
    const answer = JSON.parse(await explained(signal));
    const { settings } = state.get();
    save("summary.md", "text/markdown", explainedMarkdown(answer, settings));
  });
  onClick("save-html", async (signal) => {
    const { html } = await post("report", summaryRequest(state.get()), signal);
    save("summary.html", "text/html", html);
  });
  onClick("save-json", async (signal) => {
    save("summary.json", "application/json", await explained(signal));
  });
  onClick("copy-link", async () => {
    const { settings, sample, documents, choices } = state.get();
    const isOwn = !sample && !isEmpty(documents);
    const packed = isOwn ? await packedText(documents) : "";
    onPacked(packed);
    const link = new URL(location.href);
    link.hash = fragmentOf(settings, sample, packed, choices);
    const isCopied = await copy({ text: link.href, html: "" }, byId("copy-link"));
    if (isCopied && isOwn && !packed) {
      showMessage("link", {
        text: "The link contains the settings, but not the text.",
        hint: "The text is too long for a link.",
        kind: "notice",
      });
    }
  });
}

/**
 * Copy a text; on other machines, a page without TLS has no clipboard API.
 * @param {{text: string, html?: string}} copied
 * @param {HTMLElement} button shows a check mark
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
 * Let the browser save a file.
 * @param {string} name
 * @param {string} type such as "text/csv"
 * @param {string} text
 */
export function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
