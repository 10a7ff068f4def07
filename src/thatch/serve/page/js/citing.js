/** Summaries with their sources, for copying. */

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/**
 * The summary in a format, as plain text and, for pasting into documents, as HTML.
 * @param {object} answer of /api/summarize
 * @param {"plain" | "numbers" | "markdown" | "html"} format
 * @returns {{text: string, html: string}} no HTML for plain text and Markdown
 */
export function citedSummary(answer, format) {
  if (format === "plain") return { text: answer.summary, html: "" };
  const places = [...new Set(answer.sentences.map(({ place }) => place))];
  const numbered = answer.sentences.map(({ text, place }) => ({
    text, number: places.indexOf(place) + 1,
  }));
  if (format === "markdown") return { text: withFootnotes(numbered, places), html: "" };
  const html = asHtml(numbered, places);
  return { text: format === "html" ? html : withNumbers(numbered, places), html };
}

function withNumbers(sentences, places) {
  const text = sentences.map(({ text: sentence, number }) => `${sentence} [${number}]`).join(" ");
  const list = places.map((place, k) => `[${k + 1}] ${place}`).join("\n");
  return `${text}\n\n${list}`;
}

function withFootnotes(sentences, places) {
  const text = sentences.map(({ text: sentence, number }) => `${sentence}[^${number}]`).join(" ");
  const list = places.map((place, k) => `[^${k + 1}]: ${place}`).join("\n");
  return `${text}\n\n${list}\n`;
}

function asHtml(sentences, places) {
  const text = sentences
    .map(({ text: sentence, number }) => `${escaped(sentence)}<sup>[${number}]</sup>`)
    .join(" ");
  const list = places.map((place) => `<li>${escaped(place)}</li>`).join("");
  return `<p>${text}</p><ol>${list}</ol>`;
}

function escaped(text) {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character]);
}
