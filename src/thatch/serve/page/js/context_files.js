/** Reads files and folders as documents, and lists what cannot be read. */

import { RejectedError, readFile } from "./api.js";
import { formatBytes, formatNumber } from "./formats.js";

// The server leaves these out, too; not to send them saves minutes.
const SKIPPED_FOLDERS = new Set([
  ".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".tox", ".nox",
  ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".gradle", ".next", ".idea",
]);
const EXTRACTED = /\.(pdf|docx|epub|x?html?|eml|mbox)$/i;
const MAX_BYTES_IN_FOLDER = 2 ** 20;
const START_BYTES = 2 ** 13;
// Escapes of JSON need room, too.
const SHARE_OF_LIMIT = 0.8;

/** @typedef {{file: File, path: string}} FoundFile */

/**
 * The files of a field; those of a folder have paths within it.
 * @param {FileList} list
 * @returns {FoundFile[]}
 */
export function filesOf(list) {
  return [...list].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
}

/**
 * The files that were dropped, also those in folders.
 * @param {DataTransfer} transfer
 * @returns {Promise<{found: FoundFile[], isFolder: boolean}>}
 */
export async function droppedFiles(transfer) {
  // Entries must be taken before the first pause.
  const entries = [...transfer.items]
    .filter(({ kind }) => kind === "file")
    .map((item) => item.webkitGetAsEntry?.() ?? item.getAsFile());
  const found = [];
  for (const entry of entries) {
    if (entry instanceof File) found.push({ file: entry, path: entry.name });
    else if (entry) await walk(entry, "", found);
  }
  return { found, isFolder: entries.some((entry) => entry?.isDirectory) };
}

async function walk(entry, folder, found) {
  const path = folder + entry.name;
  if (!entry.isDirectory) {
    const file = await new Promise((resolve, reject) => { entry.file(resolve, reject); });
    found.push({ file, path });
  } else if (!SKIPPED_FOLDERS.has(entry.name)) {
    const reader = entry.createReader();
    for (;;) {
      // A reader returns some entries at a time, and none at the end.
      const some = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
      if (!some.length) break;
      for (const each of some) await walk(each, `${path}/`, found);
    }
  }
}

/**
 * Documents of files, and what was not read.
 * @param {FoundFile[]} found
 * @param {{limits: {max_bytes: number, max_documents: number}}} server
 * @param {{isFolder: boolean, onProgress: (done: number, all: number) => boolean}} options
 *   `onProgress` returns whether to go on
 * @returns {Promise<{documents: object[], skipped: object[], failure: object | null}>}
 */
export async function readAll(found, { limits }, { isFolder, onProgress }) {
  const files = withoutTop(found.filter(({ path }) => !isSkipped(path)));
  const documents = [];
  const skipped = [];
  let size = 0;
  for (const [k, each] of files.entries()) {
    if (!onProgress(k, files.length)) break;
    try {
      const read = await documentOf(each, limits, isFolder);
      if (!read.text.trim()) throw new Unreadable("contains no text");
      documents.push({ ...read, name: each.path });
      size += read.text.length;
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      skipped.push({ source: each.path, reason: error.message });
    }
    if (size > SHARE_OF_LIMIT * limits.max_bytes || documents.length > limits.max_documents) {
      return { documents: [], skipped: [], failure: excess(limits) };
    }
  }
  return { documents: inOrder(documents), skipped, failure: null };
}

class Unreadable extends Error {}

function isSkipped(path) {
  return path.split("/").slice(0, -1).some((folder) => SKIPPED_FOLDERS.has(folder));
}

/** Paths within the folder that all files are in, as the command shows them. */
function withoutTop(files) {
  const tops = new Set(files.map(({ path }) => path.slice(0, path.indexOf("/") + 1)));
  const [top] = tops;
  return tops.size === 1 && top
    ? files.map(({ file, path }) => ({ file, path: path.slice(top.length) }))
    : files;
}

async function documentOf({ file, path }, { max_bytes: most }, isFolder) {
  const isExtracted = EXTRACTED.test(path);
  const limit = isFolder && !isExtracted ? MAX_BYTES_IN_FOLDER : most;
  if (file.size > limit) {
    throw new Unreadable(`${formatBytes(file.size)}; the limit is ${formatBytes(limit)}`);
  }
  if (isExtracted) return extracted(file);
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes.subarray(0, START_BYTES).includes(0)) throw new Unreadable("binary");
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    throw new Unreadable("not UTF-8 text");
  }
}

async function extracted(file) {
  try {
    return await readFile(file);
  } catch (error) {
    if (error instanceof RejectedError && !error.isBusy) {
      throw new Unreadable(error.message.replace(`${file.name}: `, "").replace(/\.$/, ""));
    }
    throw error;
  }
}

/** In the order in which the server sorts files; repeated names get numbers. */
function inOrder(documents) {
  const sorted = documents.sort((one, other) => (one.name < other.name ? -1 : 1));
  const counts = new Map();
  return sorted.map((document) => {
    const count = (counts.get(document.name) ?? 0) + 1;
    counts.set(document.name, count);
    return count === 1 ? document : { ...document, name: `${document.name} (${count})` };
  });
}

function excess({ max_bytes: bytes, max_documents: count }) {
  return {
    text: `These are more than ${formatNumber(count)} files, or than ${formatBytes(bytes)}.`,
    hint: "Open a smaller folder, or use the command line: thatch pack FOLDER.",
  };
}
