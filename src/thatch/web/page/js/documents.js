/** The documents of the source: how much of each the summary covers, and links to them. */

import { byId, make, setText } from "./dom.js";
import { formatCount, formatShare } from "./formats.js";
import { chosenPassages } from "./source.js";
import { isMatching } from "./state.js";

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
  const found = isMatching(state) ? sharesOf(state) : [];
  for (const element of list.children) {
    const share = found[Number(element.dataset.document)];
    setText(element.querySelector(".share"), share ? formatShare(share.covered) : "");
  }
  for (const line of view.querySelectorAll("article > .document-line")) {
    const share = found[Number(line.parentElement.dataset.document)];
    setText(line, share ? lineOf(share, state.analysis.answer.by) : "");
  }
}

function lineOf({ chosen, total, covered }, by) {
  return `${chosen} of ${formatCount(total, by)} chosen; the summary covers `
    + `${formatShare(covered)} of what it says`;
}

/** Per document: its passages, how many are chosen, and the covered share of its weight. */
function sharesOf(state) {
  const { passages, concepts } = state.analysis.answer;
  const chosen = chosenPassages(state);
  const covered = new Set([...chosen.keys()].flatMap((p) => passages[p].concepts));
  const found = state.documents.map(() => ({ chosen: 0, total: 0, own: new Set() }));
  for (const [p, { document, concepts: own }] of passages.entries()) {
    found[document].total += 1;
    found[document].chosen += chosen.has(p) ? 1 : 0;
    for (const a of own) found[document].own.add(a);
  }
  const weight = (all) => all.reduce((sum, a) => sum + concepts[a].weight, 0);
  return found.map(({ own, ...counts }) => {
    const all = [...own];
    return { ...counts, covered: weight(all.filter((a) => covered.has(a))) / (weight(all) || 1) };
  });
}
