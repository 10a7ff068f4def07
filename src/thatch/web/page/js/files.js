/** Files as documents: what can be known before they are sent, and what cannot. */

import { RefusedError, readFile } from "./api.js";
import { formatBytes, formatCount } from "./formats.js";
import { tell } from "./messages.js";

const MOST_NAMED = 3;

/**
 * The documents of the files that can be read; the others are told about.
 * @param {File[]} files
 * @param {{limits: {max_bytes: number, max_documents: number}, formats: string[]}} server
 * @returns {Promise<{text: string, name: string, blocks: object[]}[]>}
 */
export async function readFiles(files, { limits, formats }) {
  if (files.length > limits.max_documents) {
    tell("file", {
      text: `These are ${files.length} files.`,
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
  if (failures.length) tell("file", together(failures));
  return withDistinctNames(documents);
}

/** One message about every file that failed; of many, the first are told one by one. */
function together(failures) {
  const named = failures.slice(0, MOST_NAMED);
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
    if (!(error instanceof RefusedError)) throw error;
    failures.push(refusal(file, error));
  }
}

function emptiness({ name }) {
  return { text: `${name} holds no text.`, hint: "A scanned page is a picture." };
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
      hint: `It has ${formatBytes(size)}; at most ${formatBytes(most)} can be read.`,
    };
  }
  const isKnown = formats.some((ending) => name.toLowerCase().endsWith(ending));
  if (formats.length && !isKnown && !type.startsWith("text/")) {
    return {
      text: `${name} is not of a kind that can be read.`,
      hint: "Text, Markdown, HTML, PDF and Word (.docx) files can.",
    };
  }
  return null;
}

/** The server names documents in its answers, so no two may have one name. */
function withDistinctNames(documents) {
  const numbers = new Map();
  return documents.map((document) => {
    const number = (numbers.get(document.name) ?? 0) + 1;
    numbers.set(document.name, number);
    return number === 1 ? document : { ...document, name: `${document.name} (${number})` };
  });
}
