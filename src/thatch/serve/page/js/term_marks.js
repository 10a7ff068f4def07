/** Marks the words of a term in the source, without changing its elements. */

const NAME = "term";
// Words of these scripts have no spaces around them.
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Whether this browser can mark words; if not, whole passages are marked. */
export const canMarkTerms = typeof Highlight !== "undefined" && "highlights" in CSS;

/**
 * Mark the words of a term in some elements, each of which contains one text.
 * @param {Element[]} elements
 * @param {string[][][]} words of `wordsOfTerm`
 */
export function markTerm(elements, words) {
  if (!canMarkTerms) return;
  if (!elements.length || !words.length) {
    CSS.highlights.delete(NAME);
    return;
  }
  const pattern = patternOf(words);
  const ranges = elements.flatMap((element) => rangesIn(element.firstChild, pattern));
  CSS.highlights.set(NAME, new Highlight(...ranges));
}

/** A pattern for the words of any concept, one after another. */
function patternOf(words) {
  const sequences = words.map((sequence) => sequence
    .map((forms) => `(?:${forms.map(wordPattern).join("|")})`)
    .join("[^\\p{L}\\p{N}]*"));
  return new RegExp([...new Set(sequences)].join("|"), "giu");
}

function wordPattern(word) {
  const escaped = word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  if (UNSPACED.test(word)) return escaped;
  return `(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`;
}

function rangesIn(node, pattern) {
  if (!node) return [];
  return Array.from(node.data.matchAll(pattern), ({ index, 0: found }) => {
    const range = new Range();
    range.setStart(node, index);
    range.setEnd(node, index + found.length);
    return range;
  });
}
