/** Sentences that are pinned or struck out by hand, and what that costs. */

import { sliceByCodePoints } from "./code_points.js";
import { byId, make, setText } from "./dom.js";
import { formatCount, formatShare } from "./formats.js";
import { coveredShare } from "./headline.js";
import { isOtherTask } from "./session.js";
import { NO_CHOICES, hasChoices } from "./state.js";

const MAX_CHARACTERS = 60;

/**
 * Let the user pin passages and strike them out, by buttons with `data-pin` and
 * `data-strike`, and show what these choices cost.
 * @param {ReturnType<import("./state.js").createState>} state
 */
export function startChoices(state) {
  document.addEventListener("click", ({ target }) => {
    const button = target.closest?.("[data-pin], [data-strike]");
    if (!button) return;
    const { pin, strike } = button.dataset;
    if (pin !== undefined) change(state, "pinned", Number(pin));
    else change(state, "struck", Number(strike));
  });
  byId("choices-undo").addEventListener("click", () => {
    state.set({ choices: NO_CHOICES });
    byId("summary").focus();
  });
  state.onChange((now, before) => {
    const isOther = ["choices", "summary", "free", "analysis"]
      .some((field) => now[field] !== before[field]);
    if (isOther) show(now);
  });
}

/**
 * The buttons that pin a passage and strike it out.
 * @param {number} passage
 * @param {number} number of the sentence in the summary, for its name
 * @param {import("./state.js").Choices} choices
 * @returns {HTMLElement}
 */
export function choiceButtons(passage, number, { pinned }) {
  const isPinned = pinned.includes(passage);
  return make(
    "span",
    { class: "by-hand" },
    make("button", {
      type: "button", class: "quiet small", "data-pin": passage, "aria-pressed": isPinned,
      "aria-label": `Pin sentence ${number}`,
      title: isPinned ? "Pinned: click to unpin" : "Keep this sentence in any case",
    }, isPinned ? "Pinned" : "Pin"),
    make("button", {
      type: "button", class: "quiet small", "data-strike": passage,
      "aria-label": `Strike out sentence ${number}`,
      title: "Choose the rest without this sentence",
    }, "Strike"),
  );
}

/** Choose a passage, or let it go if it is chosen. */
function change(state, list, passage) {
  const { choices } = state.get();
  const other = list === "pinned" ? "struck" : "pinned";
  const isIn = choices[list].includes(passage);
  const rest = (passages) => passages.filter((p) => p !== passage);
  state.set({
    choices: Object.freeze({
      [list]: isIn ? rest(choices[list]) : [...choices[list], passage],
      [other]: rest(choices[other]),
    }),
  });
}

function show(state) {
  const { choices } = state;
  byId("choices").hidden = !hasChoices(choices);
  const line = hasChoices(choices) ? `${counted(choices)}${price(state)}.` : "";
  for (const id of ["choices-line", "inspector-price"]) setText(byId(id), line);
  byId("struck").replaceChildren(...struckNodes(state));
}

function counted({ pinned, struck }) {
  const parts = [
    ...(pinned.length ? [`${formatCount(pinned.length, "sentence")} pinned`] : []),
    ...(struck.length ? [`${struck.length} struck out`] : []),
  ];
  return parts.join(", ");
}

/** What the choices cost, once both summaries are known. */
function price(state) {
  const { summary, free } = state;
  const isKnown = summary && free
    && !isOtherTask(state, summary)
    && !isOtherTask({ ...state, choices: NO_CHOICES }, { ...free, choices: NO_CHOICES });
  if (!isKnown) return "";
  const [with_, without] = [summary, free].map(({ answer }) => coveredShare(answer));
  const loss = without - with_;
  if (loss <= 1e-9) return ": this costs nothing";
  return `: this costs ${formatShare(loss)} (${formatShare(with_)} instead of `
    + `${formatShare(without)})`;
}

/** What is struck out is not in the summary, so it is listed. */
function struckNodes({ analysis, documents, choices }) {
  if (!analysis) return [];
  const { passages } = analysis.answer;
  return choices.struck.filter((p) => p < passages.length).map((p) => {
    const { document, start, end } = passages[p];
    const text = sliceByCodePoints(documents[document].text)(start, end);
    const short = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
    return make("li", {}, make("s", { dir: "auto" }, short), make(
      "button",
      { type: "button", class: "quiet small", "data-strike": p, "aria-label": `Restore “${short}”` },
      "Restore",
    ));
  });
}
