/** Reads files as documents, and reports the files that cannot be read. */

import { RejectedError, readFile } from "./api.js";
import { formatBytes, formatCount } from "./formats.js";
import { showMessage } from "./messages.js";

const MAX_NAMED = 3;
const TABLE = /\.(csv|tsv)$/i;

/**
 * The documents of the files that can be read; a message lists the others.
 * @param {File[]} files
 * @param {{limits: {max_bytes: number, max_documents: number}, formats: string[]}} server
 * @returns {Promise<{text: string, name: string, blocks: object[]}[]>}
 */
export async function readFiles(files, { limits, formats }) {
  if (files.length > limits.max_documents) {
    showMessage("file", {
      text: `There are ${files.length} files.`,
      hint: `At most ${limits.max_documents} can be summarized together.`,
    });
    return [];
  }
  const documents = [];
  const failures = [];
  for (const file of files) {
    const failure = knownFailure(file, limits, formats);
    if (failure) failures.push(failure);
    else await readInto(documents, failures, file);
  }
  if (failures.length) showMessage("file", together(failures));
  return withDistinctNames(documents);
}

/** One message about all files that failed; only the first few are named. */
function together(failures) {
  const named = failures.slice(0, MAX_NAMED);
  const rest = failures.length - named.length;
  const others = rest ? [`${formatCount(rest, "other")} cannot be read.`] : [];
  return {
    text: [...named.map(({ text }) => text), ...others].join(" "),
    hint: [...new Set(named.map(({ hint }) => hint))].join(" "),
  };
}

async function readInto(documents, failures, file) {
  try {
    const found = await readFile(file);
    if (found.text.trim()) documents.push({ ...found, name: found.name || file.name });
    else failures.push(emptiness(file));
  } catch (error) {
    if (!(error instanceof RejectedError)) throw error;
    failures.push(refusal(file, error));
  }
}

function emptiness({ name }) {
  const isScan = name.toLowerCase().endsWith(".pdf");
  return { text: `${name} contains no text.`, hint: isScan ? "Scanned pages are images." : "" };
}

function refusal({ name }, { status, message, hint }) {
  if (status === 413) return { text: `${name} is too large.`, hint: message };
  const reason = message.replace(`${name}: `, "");
  const sentence = reason[0].toUpperCase() + reason.slice(1);
  return { text: `${name} cannot be read.`, hint: `${sentence} ${hint}`.trim() };
}

function knownFailure({ name, size, type }, { max_bytes: most }, formats) {
  if (size > most) {
    return {
      text: `${name} is too large.`,
      hint: `It has ${formatBytes(size)}; the limit is ${formatBytes(most)}.`,
    };
  }
  if (TABLE.test(name)) {
    return {
      text: `${name} is a table.`,
      hint: "A summary needs sentences. The Coverage page plans sites from tables.",
    };
  }
  const isKnown = formats.some((ending) => name.toLowerCase().endsWith(ending));
  if (formats.length && !isKnown && !type.startsWith("text/")) {
    return {
      text: `${name} has an unsupported file type.`,
      hint: formats.includes(".pdf")
        ? "Supported: text, Markdown, HTML, PDF, Word (.docx), EPUB, e-mail and subtitles."
        : "This server is a demo, which reads text and Markdown. Paste the text instead.",
    };
  }
  return null;
}

/** The server refers to documents by name, so names must be unique. */
function withDistinctNames(documents) {
  const numbers = new Map();
  return documents.map((document) => {
    const number = (numbers.get(document.name) ?? 0) + 1;
    numbers.set(document.name, number);
    return number === 1 ? document : { ...document, name: `${document.name} (${number})` };
  });
}
