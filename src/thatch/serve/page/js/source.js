/** The source: the full text, with the chosen passages highlighted. */

import { sliceByCodePoints } from "./code_points.js";
import { byId, make, setText } from "./dom.js";
import { formatCount } from "./formats.js";
import { makeTabStop, makePointable } from "./pointing.js";
import { isMatching } from "./state.js";
import { canMarkTerms, markTerm } from "./term_marks.js";
import { passagesWithTerm, wordsOfTerm } from "./terms.js";

const NUM_LEVELS = 4;
// Lengths between which lines count as wrapped by hand.
const SHORTEST_WRAPPED_LINE = 50;
const WIDEST_WRAPPED_LINE = 100;
// Starts of lines that must stay on their own line: code and lists.
const OWN_LINE = /^(\s|[-*+\u2022]\s|\w{1,3}[.)]\s)/;
const BLANK_LINE = /\n[^\S\n]*\n\s*$/;
const RULE = /^\s*([=\-~^"'`#*+_.:])\1{2,}\s*$/;

/**
 * Show the documents, highlight the chosen passages, and make passages selectable.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {ReturnType<import("./pointing.js").createPointing>} pointing
 * @param {{onEnter: (passage: number) => void}} options
 */
export function startSource(state, pointing, { onEnter }) {
  const view = byId("source-text");
  makePointable(view, pointing, { onEnter });

  state.onChange((now, before) => {
    const isOther = now.documents !== before.documents
      || !isOfSameText(now.analysis, before.analysis);
    if (isOther) fill(view, now);
    const isMarkedAnew = isOther || now.analysis !== before.analysis
      || now.summary !== before.summary;
    if (isMarkedAnew) markChosen(view, now);
    if (isOther) pointing.clear();
  });
  pointing.onChange((pointed) => markPointed(state.get().analysis, pointed));
  view.classList.toggle("marks-terms", canMarkTerms);
}

/** Whether two analyses differ at most in the weights of terms. */
function isOfSameText(one, other) {
  return one === other || (one !== null && other !== null
    && one.documents === other.documents && one.settings.hasSameText(other.settings));
}

// The elements of the passages, by number: a long text has thousands.
let elements = [];
// Those that are marked now, so that only changes touch the page.
let marked = { pointed: -1, holders: new Set() };
// The chosen passages of the last summary.
let lastChosen = { summary: null, analysis: null, chosen: new Map() };

/**
 * Numbers of the chosen passages in the analysis, with the weight that only they cover.
 * @param {import("./state.js").State} state
 * @returns {Map<number, number>} empty while analysis and summary do not match
 */
export function chosenPassages(state) {
  const { summary, analysis } = state;
  if (lastChosen.summary !== summary || lastChosen.analysis !== analysis) {
    lastChosen = { summary, analysis, chosen: findChosen(state) };
  }
  return lastChosen.chosen;
}

function findChosen(state) {
  if (!isMatching(state)) return new Map();
  const { passages } = state.analysis.answer;
  const names = state.documents.map(({ name }, d) => name || d);
  const numbers = new Map(
    passages.map(({ document, position }, p) => [`${names[document]} ${position}`, p]),
  );
  return new Map(
    state.summary.answer.sentences.map(({ document, position, weight }) => [
      numbers.get(`${document} ${position}`), weight,
    ]),
  );
}

/**
 * The element of a passage in the source.
 * @param {number} passage
 * @returns {HTMLElement | null}
 */
export function elementOf(passage) {
  return elements[passage] ?? null;
}

/**
 * Scroll to a passage of the source.
 * @param {number} passage
 * @returns {HTMLElement | null} its element
 */
function scrollToPassage(passage) {
  const element = elementOf(passage);
  if (element) bringIntoView(element);
  return element;
}

/**
 * Scroll to a passage of the source, and let it flash.
 * @param {number} passage
 * @returns {HTMLElement | null} its element
 */
export function flashPassage(passage) {
  const element = scrollToPassage(passage);
  element?.classList.remove("flash");
  // A class that is removed and added at once starts no animation.
  requestAnimationFrame(() => element?.classList.add("flash"));
  return element;
}

/**
 * Scroll the source to an element, and the page only if necessary.
 * @param {HTMLElement} element
 */
export function bringIntoView(element) {
  const view = byId("source-text");
  const [outer, inner] = [view, element].map((each) => each.getBoundingClientRect());
  view.scrollTop += inner.top + inner.height / 2 - (outer.top + outer.height / 2);
  element.scrollIntoView({ block: "nearest" });
}

function fill(view, { documents, analysis }) {
  const passages = analysis?.answer.passages ?? [];
  const isNamed = documents.length > 1 || documents.some(({ name }) => name);
  view.lang = analysis?.answer.language ?? "";
  view.replaceChildren(
    ...documents.map((document, d) => {
      const own = passages
        .map((passage, p) => ({ ...passage, p }))
        .filter((passage) => passage.document === d);
      const name = document.name || `Document ${d + 1}`;
      const line = make("p", { class: "document-line soft" });
      const heading = isNamed ? [make("h3", { dir: "auto" }, name), line] : [];
      const text = textNode(document.text, own, analysis);
      return make("article", { "data-document": d }, ...heading, text);
    }),
  );
  byId("key-excluded").hidden = !passages.some(({ reason }) => reason);
  elements = [...view.querySelectorAll("[data-passage]")]
    .sort((one, other) => one.dataset.passage - other.dataset.passage);
  marked = { pointed: -1, holders: new Set() };
  makeTabStop(view, null);
}

function textNode(text, passages, analysis) {
  const slice = sliceByCodePoints(text);
  const isSentences = analysis?.answer.by === "sentence";
  const mayFlow = isSentences && !hasLongLine(text);
  const nodes = [];
  let end = 0;
  // The line so far; a passage may start in the middle of it.
  let line = "";
  for (const passage of passages) {
    const between = slice(end, passage.start);
    const said = slice(passage.start, passage.end);
    const isOneParagraph = mayFlow && isBrokenByHand(line + between + said.split("\n", 1)[0]);
    nodes.push(...betweenNodes(between, isOneParagraph));
    line = lastLine(line + between);
    nodes.push(passageNode(said, passage, mayFlow && isBrokenByHand(line + said)));
    line = lastLine(line + said);
    end = passage.end;
  }
  const rest = slice(end).trimEnd();
  nodes.push(...(analysis ? betweenNodes(rest, false) : [rest]));
  return make("div", { class: "text" }, ...paragraphs(nodes));
}

/** Nodes by paragraph, so that a change of one does not lay out a long text again. */
function paragraphs(nodes) {
  const found = [[]];
  for (const node of nodes) {
    const isEnd = typeof node === "string" && BLANK_LINE.test(node);
    // The end of an element is a line break, too.
    found.at(-1).push(isEnd ? node.replace("\n", "") : node);
    if (isEnd) found.push([]);
  }
  return found.filter((each) => each.length)
    .map((each) => make("div", { dir: "auto" }, ...each));
}

/** Whether most of its lines were wrapped by hand. */
function isBrokenByHand(text) {
  const lines = text.split("\n");
  const numLong = lines.slice(0, -1)
    .filter((line) => line.length > SHORTEST_WRAPPED_LINE).length;
  return 2 * numLong > lines.length - 1 && !lines.slice(1).some((line) => OWN_LINE.test(line));
}

function lastLine(text) {
  return text.slice(text.lastIndexOf("\n") + 1);
}

function hasLongLine(text) {
  return text.split("\n").some((line) => line.length > WIDEST_WRAPPED_LINE);
}

function passageNode(text, { p, reason }, isWrapped) {
  return make(
    "span",
    {
      class: `passage${isWrapped ? " wrapped" : ""}${reason ? " ruled-out" : ""}`,
      role: "button",
      tabindex: -1,
      "data-passage": p,
      "aria-describedby": reason ? "note-ruled-out" : null,
    },
    text,
  );
}

/** Text between passages: white space, headings, code. */
function betweenNodes(text, isOneParagraph) {
  if (!text.trim()) return [isOneParagraph ? " " : text];
  const lines = text.split(/(?<=\n)/);
  return lines.map((line, k) => {
    if (!line.trim()) return line;
    if (RULE.test(line)) return make("span", { class: "rule" }, line);
    const isHeading = RULE.test(lines[k + 1] ?? "") || /^#{1,6} /.test(line);
    return make("span", { class: isHeading ? "aside heading" : "aside" }, line);
  });
}

function markChosen(view, state) {
  const chosen = chosenPassages(state);
  const most = Math.max(...chosen.values(), 0) || 1;
  for (const element of view.querySelectorAll("[data-level]")) {
    if (chosen.has(Number(element.dataset.passage))) continue;
    delete element.dataset.level;
    element.removeAttribute("aria-describedby");
  }
  for (const [p, weight] of chosen) {
    const level = String(Math.max(1, Math.ceil((NUM_LEVELS * weight) / most)));
    if (elements[p].dataset.level === level) continue;
    elements[p].dataset.level = level;
    elements[p].setAttribute("aria-describedby", "note-chosen");
  }
  const passages = state.analysis?.answer.passages.length ?? 0;
  const by = state.analysis?.answer.by ?? "sentence";
  setText(byId("source-count"), passages ? `${formatCount(passages, by)}` : "");
}

function markPointed(analysis, { passage, term }) {
  const holders = new Set(term < 0 || !analysis ? [] : passagesWithTerm(analysis, term));
  elements[marked.pointed]?.classList.remove("pointed");
  elements[passage]?.classList.add("pointed");
  for (const p of marked.holders) {
    if (!holders.has(p)) elements[p].classList.remove("has-term", "looked-at");
  }
  for (const p of holders) elements[p].classList.add("has-term");
  if (holders.size || marked.holders.size) {
    markTerm([...holders].map(elementOf), holders.size ? wordsOfTerm(analysis, term) : []);
  }
  marked = { pointed: passage, holders };
}
