/** The panel beside the source: the terms of a passage, or of the whole text. */

import { byId, make, setText } from "./dom.js";
import { coveredShare, isGap } from "./headline.js";
import { formatMeasure, formatNumber, formatShare } from "./formats.js";
import { announce } from "./messages.js";
import { bringIntoView, chosenPassages, elementOf } from "./source.js";
import { isWeighed } from "./state.js";
import { coverCounts, heaviestTerms, passagesWithTerm, termsOf } from "./terms.js";

const MAX_TERMS = 20;
const COVERAGE = {
  alone: ["●", "covered only by this passage"],
  shared: ["◐", "also covered by another chosen passage"],
  covered: ["◐", "covered by a chosen passage"],
  missing: ["○", "not covered by the summary"],
};

/**
 * Show the selected passage.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {ReturnType<import("./pointing.js").createPointing>} pointing
 * @returns {{enter: () => void}} moves the focus to the terms
 */
export function startInspector(state, pointing) {
  const panel = byId("inspector");
  const terms = byId("inspector-terms");
  let shown = { passage: -1, summary: null };

  startTerms(panel, pointing);
  byId("inspector-close").addEventListener("click", () => close(pointing));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && pointing.get().passage >= 0) leave(pointing);
  });

  function show(pointed) {
    const now = state.get();
    const view = pointed.passage < 0 ? null : passageView(now, pointed.passage);
    panel.classList.toggle("is-empty", !view);
    panel.classList.toggle("is-kept", pointed.isKept && Boolean(view));
    if (view && (shown.passage !== pointed.passage || shown.summary !== now.summary)) {
      fill(view, terms, now);
    }
    if (view) showButtons(pointed.passage, view, now.choices);
    const isOther = shown.passage !== pointed.passage;
    shown = { passage: pointed.passage, summary: now.summary };
    if (view && isOther) scrollPassageIntoView(panel, pointed.passage);
    setText(byId("inspector-where"), now.analysis ? termLine(now, pointed) : "");
  }

  pointing.onChange(show);
  state.onChange((now, before) => {
    const isOther = now.summary !== before.summary || now.analysis !== before.analysis;
    if (isOther) showOverview(now);
    if (isOther || now.choices !== before.choices) show(pointing.get());
  });
  return { enter: () => terms.querySelector("button")?.focus({ preventScroll: true }) };
}

/** Let the user point at terms, by pointer and keyboard. */
function startTerms(panel, pointing) {
  // A mouse that rests points at nothing new, even if the page moves under it.
  let rest = "";
  const placeOf = ({ screenX, screenY }) => `${screenX} ${screenY}`;
  const isResting = (event) => event.pointerType === "mouse" && placeOf(event) === rest;
  document.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse") rest = placeOf(event);
  });
  const pointTerm = (event) => {
    if (event.type === "pointerover" && isResting(event)) return;
    const button = event.target.closest("[data-term]");
    const { passage } = pointing.get();
    if (button) pointing.set({ term: Number(button.dataset.term), isKept: passage >= 0 });
    else pointing.set({ term: -1 });
  };
  for (const kind of ["pointerover", "focusin"]) panel.addEventListener(kind, pointTerm);
  panel.addEventListener("click", (event) => {
    if (!event.target.closest("[data-term]")) return;
    pointTerm(event);
    scrollToNextPassage();
  });
  panel.addEventListener("pointerleave", (event) => {
    if (!isResting(event)) pointing.set({ term: -1 });
  });
  panel.addEventListener("focusout", () => pointing.set({ term: -1 }));
}

function showButtons(passage, { reason }, { pinned, struck }) {
  const [isPinned, isStruck] = [pinned.includes(passage), struck.includes(passage)];
  for (const [id, isOn] of [["pin", isPinned], ["strike", isStruck]]) {
    byId(id).dataset[id] = String(passage);
    byId(id).setAttribute("aria-pressed", String(isOn));
    // What rules it out is not a choice by hand.
    byId(id).disabled = Boolean(reason) && !isOn;
  }
  setText(byId("pin"), isPinned ? "Pinned" : "Pin");
  setText(byId("strike"), isStruck ? "Struck out" : "Strike out");
}

/** On a small screen the panel covers part of the page: scroll the passage into view. */
function scrollPassageIntoView(panel, passage) {
  if (getComputedStyle(panel).position !== "fixed") return;
  const [outer, inner] = [panel, elementOf(passage)].map((each) => each.getBoundingClientRect());
  const hidden = inner.bottom - outer.top;
  if (hidden > 0) window.scrollBy({ top: hidden + 16 });
}

/** Each click on a term scrolls to the next passage that contains it. */
function scrollToNextPassage() {
  const holders = [...byId("source-text").querySelectorAll(".has-term:not(.pointed)")];
  const last = holders.findIndex((element) => element.classList.contains("looked-at"));
  holders[last]?.classList.remove("looked-at");
  const next = holders[(last + 1) % (holders.length || 1)];
  next?.classList.add("looked-at");
  if (next) bringIntoView(next);
}

/** Return from the terms to their passage; from there, close the panel. */
function leave(pointing) {
  if (!returnFocus(pointing.get().passage)) pointing.clear();
}

function close(pointing) {
  returnFocus(pointing.get().passage);
  pointing.clear();
}

/** Move the focus from the panel to the passage; false if it was elsewhere. */
function returnFocus(passage) {
  const isInside = byId("inspector").contains(document.activeElement);
  if (isInside) elementOf(passage)?.focus({ preventScroll: true });
  return isInside;
}

function passageView(state, p) {
  const { passages, concepts, by, unit, value } = state.analysis.answer;
  const passage = passages[p];
  const chosen = chosenPassages(state);
  const isChosen = chosen.has(p);
  const counts = coverCounts(passages, chosen.keys());
  const gain = passage.concepts
    .filter((a) => !counts.has(a))
    .reduce((sum, a) => sum + concepts[a].weight, 0);
  return {
    title: `${by[0].toUpperCase()}${by.slice(1)} ${passage.position + 1}`,
    isChosen,
    reason: passage.reason,
    cost: formatMeasure(passage.cost, unit),
    share: isChosen ? coveredShare({ value: chosen.get(p), total: state.summary.answer.total })
      : coveredShare({ value: gain, total: value }),
    isWeighed: isWeighed(state),
    terms: termsOf(state.analysis, passage.concepts, (a) => coverage(isChosen, counts.get(a))),
  };
}

function coverage(isChosen, count = 0) {
  if (!count) return "missing";
  if (!isChosen) return "covered";
  return count === 1 ? "alone" : "shared";
}

function fill(view, list, state) {
  const kind = view.reason ? "excluded" : view.isChosen ? "chosen" : "left out";
  const line = whyLine(view, state);
  setText(byId("inspector-title"), `${view.title}, ${kind}`);
  setText(byId("inspector-cost"), view.cost);
  setText(byId("inspector-line"), line);
  fillTerms(list, view.terms);
  if (document.activeElement?.matches("[data-passage]:focus-visible")) {
    announce(`${kind}. ${view.cost}. ${line} Press Enter for its ${view.terms.length} terms.`);
  }
}

/** Why a passage was chosen, or was not. */
function whyLine({ reason, isChosen, share, cost, isWeighed: isKnown }, { summary }) {
  if (reason) return reason[0].toUpperCase() + reason.slice(1);
  if (!isKnown) return "";
  const { gap, budget, cost: spent, unit } = summary.answer;
  if (isChosen) return `Only this one covers ${formatShare(share)} of the content.`;
  if (!(share > 0)) return "All that it says is covered already.";
  const left = Math.max(0, budget - spent);
  const exchange = isGap(gap) ? "no exchange was found that covers more"
    : "no exchange covers more";
  return `Would add ${formatShare(share)} of the content for ${cost}. `
    + `${formatMeasure(left, unit)} ${left === 1 ? "is" : "are"} left, and ${exchange}.`;
}

function fillTerms(list, terms) {
  const heaviest = terms[0]?.weight ?? 1;
  list.replaceChildren(...terms.slice(0, MAX_TERMS).map((term) => termNode(term, heaviest)));
  const rest = terms.length - MAX_TERMS;
  if (rest > 0) list.append(moreNode(list, terms, rest));
}

function termNode({ a, name, weight, coverage: kind }, heaviest) {
  const [sign, meaning] = COVERAGE[kind];
  const bar = make("span", { class: "bar", "aria-hidden": "true" });
  bar.style.setProperty("--share", String(weight / heaviest));
  return make("li", {}, make(
    "button",
    { type: "button", class: "term", "data-term": a, title: meaning },
    make("span", { class: "coverage-sign", "aria-hidden": "true" }, sign),
    make("span", { class: "term-name", dir: "auto" }, name),
    make("span", { class: "visually-hidden" }, `, ${meaning}, weight `),
    make("span", { class: "term-weight" }, formatNumber(weight)),
    bar,
  ));
}

function moreNode(list, terms, rest) {
  const button = make("button", { type: "button", class: "quiet" }, `${rest} more terms`);
  button.addEventListener("click", () => {
    list.replaceChildren(...terms.map((term) => termNode(term, terms[0].weight)));
    list.querySelectorAll("button")[MAX_TERMS].focus();
  });
  return make("li", {}, button);
}

function termLine(state, { term, passage }) {
  if (term < 0) return passage < 0 ? "" : "Point at a term to see where else it is.";
  const { concepts, by } = state.analysis.answer;
  const holders = passagesWithTerm(state.analysis, term);
  const chosen = chosenPassages(state);
  const numChosen = holders.filter((p) => chosen.has(p)).length;
  const { name } = concepts[term];
  if (holders.length === 1) return `“${name}” is in one ${by}${numChosen ? ", which is chosen" : ""}.`;
  return `“${name}” is in ${holders.length} ${by}s, ${numChosen} of them chosen.`;
}

/** Without a selected passage, the panel shows the heaviest terms of the text. */
function showOverview(state) {
  const { analysis } = state;
  const list = byId("overview-terms");
  if (!analysis) {
    list.replaceChildren();
    setText(byId("overview-line"), "");
    return;
  }
  const counts = coverCounts(analysis.answer.passages, chosenPassages(state).keys());
  const heaviest = heaviestTerms(analysis).map((term) => ({
    ...term, coverage: term.concepts.some((a) => counts.has(a)) ? "covered" : "missing",
  }));
  const numCovered = heaviest.filter(({ coverage: kind }) => kind === "covered").length;
  setText(
    byId("overview-line"),
    `The summary covers ${numCovered} of the ${heaviest.length} most important terms. Point at `
      + "one to see it in the text, or at a sentence to see its terms.",
  );
  list.replaceChildren(...heaviest.map((term) => termNode(term, heaviest[0].weight)));
}
