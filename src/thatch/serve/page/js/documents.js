/** The documents of the source: how much of each the summary covers, and links to them. */

import { byId, make, setText } from "./dom.js";
import { formatCount, formatNumber, formatShare } from "./formats.js";
import { chosenPassages } from "./source.js";
import { isWeighed } from "./state.js";

/**
 * Show one button per document if there are several.
 * @param {ReturnType<import("./state.js").createState>} state
 */
export function startDocuments(state) {
  const list = byId("documents");
  const view = byId("source-text");
  list.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-document]");
    const article = button && view.querySelector(`article[data-document="${button.dataset.document}"]`);
    if (!article) return;
    view.scrollTop += article.getBoundingClientRect().top - view.getBoundingClientRect().top;
    article.scrollIntoView({ block: "nearest" });
  });
  state.onChange((now, before) => {
    const isOther = now.documents !== before.documents;
    if (isOther) fill(list, now.documents);
    if (isOther || now.summary !== before.summary || now.analysis !== before.analysis) {
      showShares(list, view, now);
    }
  });
}

function fill(list, documents) {
  list.hidden = documents.length < 2;
  list.replaceChildren(...(documents.length < 2 ? [] : documents.map(({ name }, d) => make(
    "button",
    { type: "button", "data-document": d },
    make("span", { class: "document-name" }, name || `Document ${d + 1}`),
    make("span", { class: "soft share" }),
  ))));
}

function showShares(list, view, state) {
  const found = isWeighed(state) ? sharesOf(state) : [];
  for (const element of list.children) {
    const share = found[Number(element.dataset.document)];
    setText(element.querySelector(".share"), share ? chipLine(share) : "");
  }
  for (const line of view.querySelectorAll("article > .document-line")) {
    const share = found[Number(line.parentElement.dataset.document)];
    setText(line, share ? lineOf(share, state.analysis.answer.by) : "");
  }
}

function chipLine({ chosen, covered }) {
  return `${formatNumber(chosen)} chosen, ${formatShare(covered)}`;
}

function lineOf({ chosen, total, covered }, by) {
  return `${chosen} of ${formatCount(total, by)} chosen; the summary covers `
    + `${formatShare(covered)} of what it says`;
}

/** Per document: its passages, how many are chosen, and the covered share of its weight. */
function sharesOf(state) {
  const { passages, concepts } = state.analysis.answer;
  const chosen = [...chosenPassages(state).keys()];
  const covered = new Set(chosen.flatMap((p) => passages[p].concepts));
  const weight = (some) => some.reduce((sum, a) => sum + concepts[a].weight, 0);
  return contentsOf(state).map(({ total, own, weight: all }, d) => ({
    total,
    chosen: chosen.filter((p) => passages[p].document === d).length,
    covered: weight([...covered].filter((a) => own.has(a))) / (all || 1),
  }));
}

/** @type {WeakMap<object, {total: number, own: Set<number>, weight: number}[]>} */
const contents = new WeakMap();

/** Per document: the number of its passages, its concepts and their weight. */
function contentsOf({ analysis: { answer }, documents }) {
  const known = contents.get(answer);
  if (known) return known;
  const found = documents.map(() => ({ total: 0, own: new Set(), weight: 0 }));
  for (const { document, concepts } of answer.passages) {
    found[document].total += 1;
    for (const a of concepts) {
      if (!found[document].own.has(a)) found[document].weight += answer.concepts[a].weight;
      found[document].own.add(a);
    }
  }
  contents.set(answer, found);
  return found;
}
