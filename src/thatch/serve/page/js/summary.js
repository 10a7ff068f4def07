/** The summary: numbered sentences with their sources. */

import { choiceButtons } from "./choices.js";
import { byId, make, setText } from "./dom.js";
import { certificate, showHeadline } from "./headline.js";
import { announce } from "./messages.js";
import { debounced, PAUSES } from "./latest.js";
import { chipNodes } from "./places.js";
import { makeTabStop, makePointable } from "./pointing.js";
import { isOtherTask } from "./session.js";
import { chosenPassages } from "./source.js";

const EXPORTS = ["copy", "save-text", "save-markdown", "save-html", "save-json"];
const SHOWN = "summary shown";

/**
 * Show the summary.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {ReturnType<import("./pointing.js").createPointing>} pointing
 * @param {{onClick: (passage: number) => void, onEnter: (passage: number) => void}} options
 */
export function startSummary(state, pointing, options) {
  const text = byId("summary-text");
  // While the slider moves, nothing is announced.
  const announceQuietly = debounced(PAUSES.announcing, announce);
  makePointable(text, pointing, options);
  text.addEventListener("click", ({ target }) => {
    const chip = target.closest?.("[data-source]");
    if (chip) options.onClick(Number(chip.dataset.source));
  });

  state.onChange((now, before) => {
    const isOther = ["summary", "analysis", "documents", "isOpening"]
      .some((field) => now[field] !== before[field]);
    byId("summary").setAttribute("aria-busy", String(now.isWorking));
    showStaleness(now);
    if (!isOther) return;
    show(text, now);
    showHeadline(now);
    markPointed(pointing.get());
    if (now.summary !== before.summary) announceQuietly(byId("headline").textContent);
  });
  pointing.onChange(markPointed);
  function markPointed({ passage }) {
    for (const element of text.querySelectorAll("[data-passage]")) {
      element.classList.toggle("pointed", Number(element.dataset.passage) === passage);
    }
  }
}

/** Mark a summary of other settings as stale. */
function showStaleness(state) {
  const isOld = state.summary !== null && isOtherTask(state, state.summary);
  document.body.classList.toggle("has-old-summary", isOld);
  byId("summary-stale").hidden = !isOld || state.isWorking;
  for (const id of EXPORTS) byId(id).disabled = isOld;
}

function show(text, state) {
  const { answer, settings, choices } = state.summary ?? {};
  const isWaiting = !answer && (state.isWorking || state.isOpening || state.documents.length > 0);
  byId("summary").classList.toggle("is-waiting", isWaiting);
  byId("summary").classList.toggle("is-empty", !isWaiting && !answer?.summary);
  // The old nodes are hidden while another text loads, so that the page does not jump.
  if (isWaiting) return;
  text.replaceChildren(...(answer ? [sentenceList(answer, state)] : []));
  if (answer) markShown();
  makeTabStop(text, null);
  const isClaimed = answer && !answer.warning;
  setText(byId("summary-certificate"), isClaimed ? certificate(answer, settings, choices) : "");
}

/** Set a performance mark, by which benchmarks time the first summary. */
function markShown() {
  if (!performance.getEntriesByName(SHOWN).length) performance.mark(SHOWN);
}

/** Paragraphs and files keep their line breaks. */
function sentenceList({ sentences }, state) {
  const passages = [...chosenPassages(state).keys()];
  const { by } = state.summary.settings;
  const isNamed = state.documents.length > 1;
  return make("ol", {}, ...sentences.map((sentence, k) => {
    const p = passages[k];
    const attributes = p === undefined ? {} : { role: "button", tabindex: -1, "data-passage": p };
    const text = make(
      "span",
      { class: by === "sentence" ? "chosen" : "chosen whole", ...attributes },
      sentence.text,
    );
    const foot = make("div", { class: "foot" }, ...chipNodes(sentence, { isNamed, passage: p }));
    if (p !== undefined) foot.append(choiceButtons(p, k + 1, state.choices));
    // The number and the sources are on the side where the sentence starts.
    return make("li", { dir: "auto" }, make("div", {}, text), foot);
  }));
}
