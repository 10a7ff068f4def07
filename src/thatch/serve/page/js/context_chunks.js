/** The chunks that are in the prompt, those that are not and why, and the files. */

import { bareUnit, hasQuestion, shareOf } from "./context_headline.js";
import { isCurrent } from "./context_session.js";
import { byId, make, setText } from "./dom.js";
import { formatCount, formatMeasure, formatNumber, formatTenths } from "./formats.js";

const FIRST_SHOWN = 12;
const SHOWN_PER_CLICK = 50;
const MAX_FILES = 300;
const PREVIEW_CHARACTERS = 140;
// Smaller gains, as shares of the value, are those of chunks that fill the room.
const LEAST_GAIN = 1e-3;

/**
 * Show the chunks, and let the user pin and drop them.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {import("./context_session.js").ContextSession} session
 */
export function startChunks(state, session) {
  let more = 0;
  const show = ({ answered }) => {
    byId("lists").hidden = answered === null;
    byId("file-panel").hidden = answered === null;
    if (answered) showLists(answered, session, more);
    if (answered) showFiles(answered, state.get().skipped);
  };
  byId("show-more").addEventListener("click", () => {
    const count = byId("dropped").children.length;
    more += SHOWN_PER_CLICK;
    keepingScroll(() => show(state.get()));
    byId("dropped").children[count]?.querySelector("button").focus();
  });
  state.onChange((now, before) => {
    if (now.answered !== before.answered) {
      more = 0;
      keepingScroll(() => keepingFocus(() => show(now)));
    }
    const isStale = now.answered !== null && !isCurrent(now);
    for (const id of ["lists", "file-panel"]) byId(id).classList.toggle("is-stale", isStale);
  });
}

/** Rows are rebuilt: the button with the focus keeps it, wherever its chunk now is. */
function keepingFocus(show) {
  const { chunk, act } = document.activeElement?.dataset ?? {};
  show();
  if (chunk === undefined) return;
  const same = document.querySelector(`[data-chunk="${chunk}"][data-act="${act}"]`);
  const other = same ?? document.querySelector(`[data-chunk="${chunk}"]`);
  (other ?? byId("dropped-heading")).focus({ preventScroll: true });
}

function keepingScroll(show) {
  const list = byId("dropped");
  const { scrollTop } = list;
  show();
  list.scrollTop = scrollTop;
}

function showLists({ answer, given }, session, more) {
  const context = { answer, given, session, textOf: textsOf(given.documents) };
  const numbers = new Map(answer.chunks.map(({ index }, k) => [index, k + 1]));
  byId("kept").replaceChildren(...answer.chunks.map((part) =>
    keptRow(part, numbers.get(part.index), context)));
  const dropped = [...answer.dropped].sort(byInterest(given.excluded));
  // Both lists are about as long.
  const first = Math.max(FIRST_SHOWN, answer.chunks.length);
  const shown = dropped.slice(0, first + more);
  byId("dropped").replaceChildren(...shown.map((part) => droppedRow(part, numbers, context)));
  setText(byId("kept-count"), formatCount(answer.chunks.length, "chunk"));
  setText(byId("dropped-count"), formatCount(dropped.length, "chunk"));
  byId("kept-none").hidden = answer.chunks.length > 0;
  byId("dropped-none").hidden = dropped.length > 0;
  const rest = dropped.length - shown.length;
  byId("show-more").hidden = rest === 0;
  setText(byId("show-more"), rest > SHOWN_PER_CLICK
    ? `Show ${SHOWN_PER_CLICK} more of ${formatNumber(rest)}`
    : `Show the other ${formatNumber(rest)}`);
}

/** What the user dropped first, then by relevance. */
function byInterest(excluded) {
  const rank = ({ index, relevance }) => (excluded.includes(index) ? 2 : relevance);
  return (one, other) => rank(other) - rank(one) || one.index - other.index;
}

function keptRow(part, number, { answer, given, session, textOf }) {
  const isPinned = given.pinned.includes(part.index);
  return make(
    "li",
    { class: isPinned ? "part is-pinned" : "part", id: `chunk-${part.index}` },
    make("span", { class: "number", "aria-hidden": "true" }, String(number)),
    make("div", {}, placeLine(part), 
      factsLine(part, { answer, given }, keptReason(part, answer, isPinned)),
      preview(part, textOf)),
    make(
      "div",
      { class: "actions" },
      action(part, "pin", isPinned ? "Unpin" : "Pin", isPinned,
        () => session.decide(part.index, isPinned ? null : "pin")),
      action(part, "drop", "Drop", null, () => session.decide(part.index, "drop")),
    ),
  );
}

const isWorth = (gain, { value }) => gain >= LEAST_GAIN * value && gain > 0;

function keptReason({ gain, relevance }, answer, isPinned) {
  const added = isWorth(gain, answer) ? `alone adds ${formatTenths(shareOf(answer, gain))}` : "";
  if (isPinned) return added ? `pinned by you; ${added}` : "pinned by you; adds nothing new";
  if (added) return added;
  return relevance > 0 ? "fills the room that is left" : "accompanies another chunk";
}

function droppedRow(part, numbers, { answer, given, session, textOf }) {
  const isExcluded = given.excluded.includes(part.index);
  const decision = isExcluded ? null : "pin";
  return make(
    "li",
    { class: "part", id: `chunk-${part.index}` },
    make("div", {}, placeLine(part),
      factsLine(part, { answer, given }, ...droppedReason(part, numbers, answer, given)),
      preview(part, textOf)),
    make("div", { class: "actions" },
      action(part, "pin", isExcluded ? "Undo" : "Pin", null,
        () => session.decide(part.index, decision))),
  );
}

/** Why a chunk is not in the prompt, as text and links. */
function droppedReason(part, numbers, answer, given) {
  const { reason, redundant_with: other, relevance, tokens, gain } = part;
  if (given.excluded.includes(part.index)) return ["dropped by you"];
  if (other !== undefined) {
    const link = make("a", { href: `#chunk-${other}` }, `chunk ${numbers.get(other) ?? "?"}`);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      flash(byId(`chunk-${other}`));
    });
    return ["repeats ", link];
  }
  if (reason.startsWith("did not fit")) {
    const left = formatMeasure(answer.budget - answer.tokens, bareUnit(answer.unit));
    const added = isWorth(gain, answer)
      ? `; would add ${formatTenths(shareOf(answer, gain))}` : "";
    return [tokens > answer.budget - answer.tokens
      ? `no room: ${left} left${added}` : `${reason}${added}`];
  }
  if (relevance === 0 && hasQuestion(given) && reason.startsWith("less")) {
    return ["no match with the question"];
  }
  return [inWords(reason, given)];
}

/** Without a question, nothing is said about relevance. */
function inWords(reason, given) {
  return hasQuestion(given) ? reason
    : reason.replace("less relevant than the others", "not more important than the others");
}

function placeLine({ source, start_line: first, end_line: last, page, name }) {
  const lines = first === last ? `line ${first}` : `lines ${first}–${last}`;
  const place = page === undefined ? lines : `page ${page}`;
  const title = name ? `, ${name}` : "";
  return make("p", { class: "where" }, make("strong", {}, source),
    make("span", { class: "soft" }, ` ${place}${title}`));
}

function factsLine({ relevance, tokens }, { answer, given }, ...why) {
  const size = tokens === undefined ? ""
    : make("span", {}, formatMeasure(tokens, bareUnit(answer.unit)));
  return make("p", { class: "facts" },
    hasQuestion(given) ? relevanceOf(relevance) : "",
    size,
    make("span", { class: "why" }, ...why));
}

function relevanceOf(relevance) {
  const bar = make("span", { class: "bar", "aria-hidden": "true" }, make("i"));
  bar.style.setProperty("--share", String(relevance));
  return make("span", {}, bar, ` relevance ${relevance.toFixed(2)}`);
}

function preview(part, textOf) {
  const text = textOf(part);
  if (!text) return "";
  const start = text.replace(/\s+/g, " ").trim().slice(0, PREVIEW_CHARACTERS);
  const details = make("details", {}, make("summary", {}, start));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) {
      const label = `Text of the chunk of ${part.source}`;
      // It scrolls; a landmark for each text would be too many.
      details.append(make("pre", { tabindex: 0, role: "group", "aria-label": label }, text));
    }
  });
  return details;
}

/** The lines of chunks; notebooks are shown by their cells, which have other lines. */
function textsOf(documents) {
  const lines = new Map();
  const texts = new Map(documents.map(({ name, text }) => [name, text]));
  return ({ source, start_line: first, end_line: last }) => {
    if (source.endsWith(".ipynb") || !texts.has(source)) return "";
    if (!lines.has(source)) lines.set(source, texts.get(source).split("\n"));
    return lines.get(source).slice(first - 1, last).join("\n");
  };
}

function action({ index, source }, act, label, isPressed, run) {
  const button = make(
    "button",
    {
      type: "button", class: "quiet", "data-chunk": index, "data-act": act,
      "aria-pressed": isPressed === null ? null : String(isPressed),
    },
    label,
    make("span", { class: "visually-hidden" }, ` chunk of ${source}`),
  );
  button.addEventListener("click", run);
  return button;
}

function flash(row) {
  row.scrollIntoView({ block: "center" });
  row.classList.add("is-flashing");
  setTimeout(() => row.classList.remove("is-flashing"), 1500);
  row.querySelector("button").focus({ preventScroll: true });
}

function showFiles({ answer: { files, skipped, unit }, given }, ownSkipped) {
  const rows = files.map(({ source, num_selected: chosen, num_chunks: all, tokens, reason }) => [
    source,
    all ? `${formatNumber(chosen)} of ${formatNumber(all)}` : "",
    chosen ? formatNumber(tokens) : "",
    (chosen && reason ? "the rest: " : "") + inWords(reason, given),
  ]);
  const unread = [...skipped, ...ownSkipped].map(({ source, reason }) =>
    [source, "", "", `not read: ${reason}`]);
  const all = [...rows, ...unread];
  byId("file-rows").replaceChildren(...all.slice(0, MAX_FILES).map(([source, ...cells]) =>
    make("tr", {}, make("th", { scope: "row" }, source),
      ...cells.map((cell) => make("td", {}, cell)))));
  const chosen = files.filter(({ num_selected: count }) => count > 0).length;
  const rest = all.length > MAX_FILES ? `; the first ${MAX_FILES} are listed` : "";
  const missing = unread.length ? `, ${formatNumber(unread.length)} not read` : "";
  setText(byId("file-count"),
    `${formatNumber(chosen)} of ${formatCount(files.length, "file")} in the prompt, sizes in ${
      bareUnit(unit)}${missing}${rest}`);
}
