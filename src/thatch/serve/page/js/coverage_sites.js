/** The list of sites: each can be required, forbidden or free. */

import { coverOf, labelOf, wordsOf } from "./coverage_model.js";
import { shownPlan } from "./coverage_plan.js";
import { isCurrent, keysOf } from "./coverage_session.js";
import { byId, make, setText } from "./dom.js";
import { formatCount, formatNumber, formatShare } from "./formats.js";

const MAX_ROWS = 200;
const KINDS = [["required", "Require"], ["forbidden", "Forbid"]];
const NEXT = { undefined: "required", required: "forbidden", forbidden: undefined };

/**
 * Require, forbid or free an item, and keep what was covered before.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {number} item
 * @param {import("./coverage_model.js").Decision | undefined} decision undefined: free
 */
function decide(state, item, decision) {
  const now = state.get();
  if (fixedOf(now.data)[item]) return;
  const label = labelOf(now.data, item);
  const { [label]: _, ...others } = now.decisions;
  const decisions = decision ? { ...others, [label]: decision } : others;
  const last = isCurrent(now)
    ? {
      name: now.data.items[item],
      decision,
      value: now.plan.answer.value,
      key: keysOf(now).free,
    }
    : null;
  state.set({ decisions, last, shown: 0 });
}

/**
 * Change from free to required to forbidden to free.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {number} item
 */
export function decideNext(state, item) {
  const { data, decisions } = state.get();
  decide(state, item, NEXT[decisions[labelOf(data, item)]]);
}

/**
 * The decision on each item: the user's, or that of the problem file.
 * @param {import("./coverage_model.js").Data} data
 * @param {Record<string, string>} decisions
 * @returns {(string | undefined)[]}
 */
export function decisionsOf(data, decisions) {
  const fixed = fixedOf(data);
  return data.items.map((_, i) => fixed[i] ?? decisions[labelOf(data, i)]);
}

/**
 * The decisions of the problem file, by item.
 * @param {import("./coverage_model.js").Data} data
 * @returns {Record<number, string>}
 */
export function fixedOf({ problem }) {
  const { required = [], forbidden = [] } = problem.constraints ?? {};
  return Object.fromEntries([
    ...required.map((i) => [i, "required"]), ...forbidden.map((i) => [i, "forbidden"]),
  ]);
}

/**
 * Facts about an item in a few words.
 * @param {import("./coverage_model.js").Data} data
 * @param {import("./coverage_model.js").Cover} cover
 * @param {number} item
 * @returns {string}
 */
export function factsOf(data, cover, item) {
  const share = (weight) => formatShare(weight / (data.total || 1));
  const cost = formatNumber(data.problem.costs[item]);
  const facts = [`cost ${cost}`, `reaches ${share(cover.reaches[item])}`];
  if (cover.chosenSet.has(item)) facts.push(`${share(cover.alone[item])} only here`);
  return facts.join(", ");
}

/**
 * Show the list.
 * @param {ReturnType<import("./state.js").createState>} state
 */
export function startSites(state) {
  const list = byId("site-list");
  byId("search").addEventListener("input", () => show(state.get()));
  byId("show").addEventListener("change", () => show(state.get()));
  byId("free-all").addEventListener("click", () => {
    state.set({ decisions: {}, last: null });
    // The button with the focus is hidden now.
    byId("sites-heading").focus({ preventScroll: true });
  });
  list.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (!button) return;
    const isPressed = button.getAttribute("aria-pressed") === "true";
    const item = Number(button.closest("li").dataset.item);
    decide(state, item, isPressed ? undefined : button.dataset.kind);
  });
  const point = ({ target }) => {
    const row = target.closest?.("li");
    state.set({ pointed: row ? Number(row.dataset.item) : -1 });
  };
  for (const kind of ["pointerover", "focusin"]) list.addEventListener(kind, point);
  for (const kind of ["pointerleave", "focusout"]) {
    list.addEventListener(kind, () => state.set({ pointed: -1 }));
  }

  function show(now) {
    if (!now.data) {
      list.replaceChildren();
      for (const id of ["sites-count", "site-more"]) setText(byId(id), "");
      byId("free-all").hidden = true;
      return;
    }
    const { chosen } = shownPlan(now);
    const { item } = wordsOf(now.data);
    const cover = coverOf(now.data, chosen.filter((i) => i < now.data.items.length));
    const decided = decisionsOf(now.data, now.decisions);
    const matching = matches(now.data, cover, decided);
    fillRows(list, now.data, matching.slice(0, MAX_ROWS), { cover, decided });
    setText(byId("sites-heading").firstChild, `${item[0].toUpperCase()}${item.slice(1)}s `);
    setText(byId("sites-count"),
      `${formatNumber(cover.chosen.length)} of ${formatNumber(now.data.items.length)} chosen`);
    const rest = matching.length - MAX_ROWS;
    setText(byId("site-more"), rest > 0
      ? `${formatCount(rest, "other")} not shown: search by name.`
      : matching.length ? "" : `No ${item} matches.`);
    byId("free-all").hidden = !Object.keys(now.decisions).length;
  }

  state.onChange((now, before) => {
    const names = ["data", "plan", "shown", "decisions", "alternatives"];
    if (names.some((name) => now[name] !== before[name])) show(now);
    if (now.pointed !== before.pointed) markPointed(list, now.pointed);
  });
}

function matches({ items }, { chosenSet }, decided) {
  const wanted = byId("search").value.trim().toLowerCase();
  const kind = byId("show").value;
  return items.map((_, i) => i).filter((i) =>
    items[i].toLowerCase().includes(wanted)
    && (kind === "all" || (kind === "chosen" ? chosenSet.has(i) : decided[i])));
}

/** Rows are updated in place, so that the focus stays where it is. */
function fillRows(list, data, shown, { cover, decided }) {
  const rows = new Map([...list.children].map((row) => [Number(row.dataset.item), row]));
  const fixed = fixedOf(data);
  const filled = shown.map((i) => {
    const row = rows.get(i) ?? newRow(i);
    const [mark, text, ...buttons] = row.children;
    const name = data.items[i];
    const isChosen = cover.chosenSet.has(i);
    row.classList.toggle("is-chosen", isChosen);
    mark.dataset.kind = decided[i] ?? (isChosen ? "chosen" : "free");
    setText(text.firstChild, name);
    setText(text.lastChild, (fixed[i] ? `${fixed[i]} by the file, ` : "")
      + `${isChosen ? "chosen, " : ""}${factsOf(data, cover, i)}`);
    buttons.forEach((button, k) => {
      const [kind, verb] = KINDS[k];
      button.setAttribute("aria-pressed", String(decided[i] === kind));
      button.setAttribute("aria-label", `${verb} ${name}`);
      button.disabled = Boolean(fixed[i]);
    });
    return row;
  });
  // Moving an element would take the focus from it.
  const isSame = filled.length === list.children.length
    && filled.every((row, k) => list.children[k] === row);
  if (!isSame) list.replaceChildren(...filled);
}

function newRow(item) {
  return make("li", { "data-item": item },
    make("span", { class: "mark-of", "aria-hidden": "true" }),
    make("span", { class: "site-text" },
      make("span", { class: "site-name" }), make("span", { class: "soft" })),
    ...KINDS.map(([kind, verb]) =>
      make("button", { type: "button", "data-kind": kind, "aria-pressed": "false" }, verb)));
}

function markPointed(list, pointed) {
  list.querySelector(".is-pointed")?.classList.remove("is-pointed");
  list.querySelector(`[data-item="${pointed}"]`)?.classList.add("is-pointed");
}
