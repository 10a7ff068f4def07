/** The panel of one passage: its cost, what only it covers, and its terms. */

import { byId, make, setText } from "./dom.js";
import { formatMeasure, formatNumber, formatShare } from "./formats.js";
import { announce } from "./messages.js";
import { bringIntoView, chosenPassages, elementOf, passagesWithTerm } from "./source.js";

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

  const pointTerm = (event) => {
    const button = event.target.closest("[data-term]");
    if (button) pointing.set({ term: Number(button.dataset.term), isKept: true });
  };
  for (const kind of ["pointerover", "focusin"]) terms.addEventListener(kind, pointTerm);
  terms.addEventListener("click", (event) => {
    pointTerm(event);
    scrollToNextPassage();
  });
  terms.addEventListener("pointerleave", () => pointing.set({ term: -1 }));
  byId("inspector-close").addEventListener("click", () => close(pointing));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && pointing.get().passage >= 0) leave(pointing);
  });

  function show(pointed) {
    const now = state.get();
    const view = pointed.passage < 0 ? null : passageView(now, pointed.passage);
    panel.classList.toggle("is-empty", !view);
    panel.classList.toggle("is-kept", pointed.isKept);
    if (view && (shown.passage !== pointed.passage || shown.summary !== now.summary)) {
      fill(view, terms);
    }
    const isOther = shown.passage !== pointed.passage;
    shown = { passage: pointed.passage, summary: now.summary };
    if (view && isOther) scrollPassageIntoView(panel, pointed.passage);
    setText(byId("inspector-where"), view ? termLine(now, pointed.term) : "");
  }

  pointing.onChange(show);
  state.onChange((now, before) => {
    if (now.summary !== before.summary) show(pointing.get());
  });
  return { enter: () => terms.querySelector("button")?.focus({ preventScroll: true }) };
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
  const terms = [...passage.concepts].sort((a, b) => concepts[b].weight - concepts[a].weight);
  const gain = terms
    .filter((a) => !counts.has(a))
    .reduce((sum, a) => sum + concepts[a].weight, 0);
  const shown = shownConcepts(terms, concepts);
  return {
    title: `${by[0].toUpperCase()}${by.slice(1)} ${passage.position + 1}`,
    isChosen,
    reason: passage.reason,
    cost: formatMeasure(passage.cost, unit),
    weight: isChosen ? chosen.get(p) : gain,
    total: value,
    heaviest: shown[0]?.weight ?? 1,
    terms: shown.map((each) => ({ ...each, coverage: coverage(isChosen, counts.get(each.a)) })),
  };
}

/** The concepts that explain something, once each: readability divides some into parts. */
function shownConcepts(terms, concepts) {
  const found = new Map();
  // Stop words have weight, but explain nothing.
  for (const a of terms.filter((each) => concepts[each].is_shown)) {
    const { name, weight } = concepts[a];
    const known = found.get(name);
    if (known) known.weight += weight;
    else found.set(name, { a, ...concepts[a] });
  }
  return [...found.values()].sort((one, other) => other.weight - one.weight);
}

/** How many chosen passages cover each concept. */
function coverCounts(passages, chosen) {
  const counts = new Map();
  for (const p of chosen) {
    for (const a of passages[p].concepts) counts.set(a, (counts.get(a) ?? 0) + 1);
  }
  return counts;
}

function coverage(isChosen, count = 0) {
  if (!count) return "missing";
  if (!isChosen) return "covered";
  return count === 1 ? "alone" : "shared";
}

function fill(view, list) {
  const state = view.reason ? "excluded" : view.isChosen ? "chosen" : "left out";
  const share = formatShare(view.weight / (view.total || 1));
  const weight = `${formatNumber(view.weight)} (${share} of total weight)`;
  const line = view.reason || `${view.isChosen ? "Uniquely covers" : "Would add"} ${weight}.`;
  setText(byId("inspector-title"), `${view.title}, ${state}`);
  setText(byId("inspector-cost"), view.cost);
  setText(byId("inspector-line"), line);
  list.replaceChildren(...view.terms.slice(0, MAX_TERMS).map((term) => termNode(term, view)));
  const rest = view.terms.length - MAX_TERMS;
  if (rest > 0) list.append(moreNode(view, list, rest));
  if (document.activeElement?.matches("[data-passage]:focus-visible")) {
    announce(`${state}. ${view.cost}. ${line} Press Enter for its ${view.terms.length} terms.`);
  }
}

function termNode({ a, name, weight, coverage: kind }, { heaviest }) {
  const [sign, meaning] = COVERAGE[kind];
  const bar = make("span", { class: "bar", "aria-hidden": "true" });
  bar.style.setProperty("--share", String(weight / heaviest));
  return make("li", {}, make(
    "button",
    { type: "button", class: "term", "data-term": a, title: meaning },
    make("span", { class: "coverage-sign", "aria-hidden": "true" }, sign),
    make("span", { class: "term-name" }, name),
    make("span", { class: "visually-hidden" }, `, ${meaning}, weight `),
    make("span", { class: "term-weight" }, formatNumber(weight)),
    bar,
  ));
}

function moreNode(view, list, rest) {
  const button = make("button", { type: "button", class: "quiet" }, `${rest} more terms`);
  button.addEventListener("click", () => {
    list.replaceChildren(...view.terms.map((term) => termNode(term, view)));
    list.querySelectorAll("button")[MAX_TERMS].focus();
  });
  return make("li", {}, button);
}

function termLine(state, term) {
  if (term < 0) return "Point at a term to see the other passages that contain it.";
  const { concepts, by } = state.analysis.answer;
  const holders = passagesWithTerm(state.analysis, term);
  const chosen = chosenPassages(state);
  const numChosen = holders.filter((p) => chosen.has(p)).length;
  const { name } = concepts[term];
  if (holders.length === 1) return `“${name}” is only in this ${by}.`;
  return `“${name}” is in ${holders.length} ${by}s, ${numChosen} of them chosen.`;
}
