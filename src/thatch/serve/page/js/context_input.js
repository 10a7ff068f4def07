/** Input of files: opened, dropped, pasted, or a sample. */

import { UnreachableError, health, pageFile } from "./api.js";
import { droppedFiles, filesOf, readAll } from "./context_files.js";
import { DEFAULTS } from "./context_form.js";
import { byId, make } from "./dom.js";
import { formatNumber } from "./formats.js";
import { removeMessage, showMessage } from "./messages.js";
import { sampleDocuments } from "./samples.js";

const MAX_NAMED = 3;

/** Titles of the samples, by name. */
export const SAMPLES = {
  "ferry-times": "Ferry times: a small project",
  "apollo-13": "Apollo 13: five reports",
};

/** The sample of a fresh page. */
export const FIRST_SAMPLE = "ferry-times";

/**
 * Let the user provide files in any of these ways.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {import("./context_session.js").ContextSession} session
 * @returns {{showSample: (sample: string, options?: {isKept: boolean}) => Promise<void>}}
 */
export function startContextInput(state, session) {
  // What was asked for last is shown, not what arrives last.
  let asked = {};
  // What a sample has set does not fit other files.
  let ofSample = {};
  const withoutSample = () => {
    const { settings } = state.get();
    const unchanged = Object.keys(ofSample).filter((name) => ofSample[name] === settings[name]);
    return Object.fromEntries(unchanged.map((name) => [name, DEFAULTS[name]]));
  };
  // Input that failed because the server was unreachable is retried.
  let unfinished = null;
  const bring = (load) => {
    const own = {};
    asked = own;
    removeMessage("file");
    const since = Date.now();
    const cancel = () => {
      asked = {};
      unfinished = null;
      state.set({ working: null });
    };
    const work = {
      isWanted: () => own === asked,
      say: (what) => state.set({ working: { what, since, cancel } }),
    };
    unfinished = async () => {
      await session.guarded("reading", async () => {
        work.say("Loading");
        const loaded = await load(work);
        if (!work.isWanted()) return;
        unfinished = null;
        state.set({ working: null });
        if (loaded) session.show(loaded.documents, loaded);
      });
      if (work.isWanted() && unfinished) state.set({ working: null });
    };
    return unfinished();
  };
  state.onChange((now, before) => {
    if (now.attempt !== before.attempt) unfinished?.();
  });

  const showSample = (sample, { isKept = false } = {}) =>
    bring(async () => {
      const { question, budget, documents } = await loadSample(sample);
      ofSample = { query: question, budget };
      const change = isKept ? {} : { ...ofSample, unit: "tokens" };
      return { documents, sample, isFolder: true, change };
    });
  const open = (found, isFolder) =>
    bring(async ({ isWanted, say }) => {
      const server = await knownLimits();
      const onProgress = (done, all) => {
        if (isWanted()) say(`Reading file ${formatNumber(done + 1)} of ${formatNumber(all)}`);
        return isWanted();
      };
      const read = await readAll(found, server, { isFolder, onProgress });
      if (!isWanted()) return null;
      reportUnread(read, isFolder);
      if (!read.documents.length) return null;
      return { ...read, isFolder, change: withoutSample() };
    });
  const take = (text) =>
    bring(async () => ({ documents: [{ name: "text.md", text }], change: withoutSample() }));

  startSamples(state, showSample);
  startOpening(open);
  startDropping(open, take);
  startEditor(take);
  return { showSample };
}

async function loadSample(sample) {
  if (sample === FIRST_SAMPLE) return JSON.parse(await pageFile(`samples/${sample}.json`));
  const documents = await sampleDocuments(sample);
  return { question: "How did the crew get rid of carbon dioxide?", budget: 500, documents };
}

async function knownLimits() {
  try {
    return await health();
  } catch (error) {
    if (error instanceof UnreachableError) throw error;
    return { limits: { max_bytes: Infinity, max_documents: Infinity } };
  }
}

/** In a folder, files that are no text are normal; the panel of files lists them. */
function reportUnread({ documents, skipped, failure }, isFolder) {
  if (failure) showMessage("file", failure);
  else if (skipped.length && (!isFolder || !documents.length)) {
    const named = skipped.slice(0, MAX_NAMED).map(({ source, reason }) => `${source}: ${reason}.`);
    const rest = skipped.length > MAX_NAMED ? " Others cannot be read, either." : "";
    showMessage("file", {
      text: documents.length ? "Some files were not read." : "None of these can be read.",
      hint: named.join(" ") + rest,
    });
  } else if (!documents.length) {
    showMessage("file", { text: "There are no files in it.", hint: "Open another folder." });
  }
}

function startSamples(state, showSample) {
  const select = byId("sample");
  const own = make("option", { value: "", hidden: true }, "your files");
  const options = Object.entries(SAMPLES).map(([name, title]) =>
    make("option", { value: name }, title));
  select.replaceChildren(own, ...options);
  select.addEventListener("change", () => showSample(select.value));
  state.onChange(({ sample }) => { select.value = sample; });
}

function startOpening(open) {
  for (const [button, field] of [["open", "files"], ["open-folder", "folder"]]) {
    const input = byId(field);
    byId(button).addEventListener("click", () => input.click());
    input.addEventListener("change", async () => {
      await open(filesOf(input.files), field === "folder");
      // Allows the same files to be opened again after they have changed.
      input.value = "";
    });
  }
}

function startDropping(open, take) {
  let depth = 0;
  const mark = (change) => {
    depth = Math.max(0, depth + change);
    document.body.classList.toggle("is-dropping", depth > 0);
  };
  const hasFiles = ({ dataTransfer }) => dataTransfer.types.includes("Files");
  document.addEventListener("dragenter", (event) => hasFiles(event) && mark(1));
  document.addEventListener("dragleave", (event) => hasFiles(event) && mark(-1));
  document.addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
  document.addEventListener("drop", async (event) => {
    mark(-depth);
    if (!hasFiles(event)) return;
    event.preventDefault();
    const { found, isFolder } = await droppedFiles(event.dataTransfer);
    await open(found, isFolder);
  });
  document.addEventListener("paste", (event) => {
    if (event.target.closest?.("input, textarea")) return;
    const { files } = event.clipboardData;
    const text = event.clipboardData.getData("text/plain");
    if (files.length) open(filesOf(files), false);
    else if (text.trim()) take(text);
  });
}

function startEditor(take) {
  const field = byId("editor-text");
  const toggle = (isOpen) => {
    byId("editor").hidden = !isOpen;
    byId("paste").setAttribute("aria-expanded", String(isOpen));
    (isOpen ? field : byId("paste")).focus();
  };
  byId("paste").addEventListener("click", () => toggle(byId("editor").hidden));
  byId("editor-cancel").addEventListener("click", () => toggle(false));
  field.addEventListener("keydown", ({ key }) => key === "Escape" && toggle(false));
  byId("editor-done").addEventListener("click", () => {
    if (field.value.trim()) take(field.value);
    toggle(false);
  });
}
