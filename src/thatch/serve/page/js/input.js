/** Input of text: typed, pasted, dropped, opened from files, or a sample. */

import { UnreachableError, health } from "./api.js";
import { byId, make } from "./dom.js";
import { readFiles } from "./files.js";
import { announce, removeMessage } from "./messages.js";
import { debounced, PAUSES } from "./latest.js";
import { SAMPLES, sampleDocuments } from "./samples.js";

/**
 * Let the user provide text in any of these ways.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {import("./session.js").Session} session
 * @returns {{showSample: (sample: string) => Promise<void>, reset: () => void}} `reset`
 *   closes the editor, and drops what is still loading
 */
export function startInput(state, session) {
  // Requests have numbers. What was asked for before the text that is shown is dropped when
  // it arrives; a request that brings nothing, such as a file that cannot be read, leaves
  // the earlier ones alone.
  let lastNumber = 0;
  let shownNumber = 0;
  const ask = () => {
    lastNumber += 1;
    unfinished = null;
    return lastNumber;
  };
  const dropEarlier = () => {
    shownNumber = ask();
  };
  const show = (documents, sample = "") => {
    setEditing(false);
    session.show(documents, sample);
  };
  // Input that failed because the server was unreachable is retried.
  let unfinished = null;
  const bring = (subject, load) => {
    const own = ask();
    unfinished = () => session.guarded(subject, async () => {
      const { documents, sample } = await load();
      if (own === lastNumber) unfinished = null;
      if (own < shownNumber || !documents.length) return;
      shownNumber = own;
      show(documents, sample);
    });
    return unfinished();
  };
  state.onChange((now, before) => {
    if (now.attempt !== before.attempt) unfinished?.();
  });

  const showSample = (sample) =>
    bring("sample", async () => ({ documents: await sampleDocuments(sample), sample }));
  const open = (files) =>
    bring("reading", async () => {
      removeInputMessages();
      return { documents: await readFiles(files, await knownLimits()) };
    });
  const take = (text) => {
    dropEarlier();
    removeInputMessages();
    show([pasted(text)]);
  };

  startSamples(state, showSample);
  startOpening(open);
  startDropping(open, take);
  startEditor(state, session, { onOpen: dropEarlier, take });
  const reset = () => {
    dropEarlier();
    setEditing(false);
  };
  return { showSample, reset };
}

/** Remove the messages about the previous text. */
function removeInputMessages() {
  for (const subject of ["file", "link"]) removeMessage(subject);
}

const pasted = (text) => ({ text, name: "", blocks: null });

/** Limits of the server; if they are unknown, the server rejects what exceeds them. */
async function knownLimits() {
  try {
    return await health();
  } catch (error) {
    if (error instanceof UnreachableError) throw error;
    return { limits: { max_bytes: Infinity, max_documents: Infinity }, formats: [] };
  }
}

function startSamples(state, showSample) {
  const select = byId("sample");
  const own = make("option", { value: "", hidden: true }, "your text");
  const options = Object.entries(SAMPLES).map(([sample, { title }]) =>
    make("option", { value: sample }, title));
  select.replaceChildren(own, ...options);
  select.addEventListener("change", () => {
    removeInputMessages();
    showSample(select.value);
  });
  state.onChange(({ sample }) => {
    select.value = sample;
  });
}

function startOpening(open) {
  const field = byId("files");
  byId("open").addEventListener("click", () => field.click());
  field.addEventListener("change", async () => {
    await open([...field.files]);
    // Allows the same file to be opened again after it has changed.
    field.value = "";
  });
}

function startDropping(open, take) {
  let depth = 0;
  // Text that is dragged within the page is not new input.
  let isOwn = false;
  const isTaken = ({ target, dataTransfer: { types } }) =>
    !isOwn && (types.includes("Files") || (types.includes("text/plain") && !isWritable(target)));
  const mark = (change) => {
    depth = Math.max(0, depth + change);
    document.body.classList.toggle("is-dropping", depth > 0);
  };
  const onTaken = (kind, run) =>
    document.addEventListener(kind, (event) => isTaken(event) && run(event));
  document.addEventListener("dragstart", () => { isOwn = true; });
  // An element that was replaced during the drag fires no dragend, but the pointer moves
  // again only when nothing is dragged.
  for (const kind of ["dragend", "pointermove"]) {
    document.addEventListener(kind, () => { isOwn = false; });
  }
  onTaken("dragenter", () => mark(1));
  onTaken("dragleave", () => mark(-1));
  onTaken("dragover", (event) => event.preventDefault());
  onTaken("drop", (event) => {
    event.preventDefault();
    receive(event.dataTransfer);
  });
  document.addEventListener("drop", () => mark(-depth));
  document.addEventListener("paste", (event) => {
    if (!isWritable(event.target)) receive(event.clipboardData);
  });
  function receive(items) {
    const text = items.getData("text/plain");
    if (items.files.length) open([...items.files]);
    else if (text.trim()) take(text);
  }
}

/** Whether the browser itself inserts what is pasted or dropped there. */
function isWritable(target) {
  return Boolean(target.closest?.("textarea, input[type=text], input[type=number]"));
}

function setEditing(isEditing) {
  byId("editor").hidden = !isEditing;
  byId("reader").hidden = isEditing;
  byId("edit").setAttribute("aria-pressed", String(isEditing));
}

/** Typed text is summarized as it grows; pasted text closes the editor. */
function startEditor(state, session, { onOpen, take }) {
  const field = byId("editor-text");
  // The text of the field that is summarized already; several files are never in it.
  let followed = "";
  const catchUp = () => {
    if (byId("editor").hidden || field.value === followed) return;
    followed = field.value;
    removeInputMessages();
    session.show(followed.trim() ? [pasted(followed)] : [], "");
  };
  const follow = debounced(PAUSES.typing, catchUp);
  const open = () => {
    const { documents } = state.get();
    onOpen();
    setEditing(true);
    field.value = documents.length === 1 ? documents[0].text : "";
    followed = field.value;
    field.focus();
    field.select();
    announce("Paste or type your text.");
  };
  const close = () => {
    catchUp();
    setEditing(false);
    byId("edit").focus();
  };
  byId("edit").addEventListener("click", () => (byId("editor").hidden ? open() : close()));
  byId("editor-done").addEventListener("click", close);
  byId("editor-clear").addEventListener("click", () => {
    field.value = "";
    followed = "";
    session.show([], "");
    field.focus();
  });
  field.addEventListener("input", (event) => {
    const isWhole = event.inputType === "insertFromPaste" && isAllPasted(field);
    if (!isWhole) {
      follow();
      return;
    }
    take(field.value);
    byId("edit").focus();
  });
  field.addEventListener("paste", (event) => {
    field.dataset.pasted = event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n");
  });
}

function isAllPasted(field) {
  return field.value !== "" && field.value === field.dataset.pasted;
}
