/** Exports the summary as text, Markdown, JSON or a link. */

import { post, postForText } from "./api.js";
import { byId } from "./dom.js";
import { citedSummary } from "./citing.js";
import { fragmentOf, packedText } from "./link.js";
import { showMessage } from "./messages.js";
import { explainedMarkdown } from "./markdown.js";
import { copy, save } from "./saving.js";
import { isEmpty, summaryRequest } from "./session.js";

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
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
  document.addEventListener("click", ({ target }) => {
    if (!menu.contains(target)) menu.open = false;
  });

  startFormat(state);
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

/** Summaries with pages, or of several documents, are copied with sources by default. */
function startFormat(state) {
  const format = byId("copy-format");
  let isPicked = false;
  format.addEventListener("change", () => { isPicked = true; });
  state.onChange(({ summary, documents }, before) => {
    if (isPicked || !summary || summary === before.summary) return;
    const isPlaced = summary.answer.sentences.some(({ page, time }) => page || time);
    format.value = isPlaced || documents.length > 1 ? "numbers" : "plain";
  });
}
