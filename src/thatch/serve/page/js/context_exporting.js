/** Exports the prompt as it is, or the whole answer as JSON. */

import { isCurrent } from "./context_session.js";
import { byId, setText } from "./dom.js";
import { copy, save } from "./saving.js";

const FILES = {
  xml: ["prompt.xml", "application/xml"],
  markdown: ["prompt.md", "text/markdown"],
  json: ["prompt.json", "application/json"],
  text: ["prompt.txt", "text/plain"],
};

/**
 * Let the user copy and save the prompt.
 * @param {ReturnType<import("./state.js").createState>} state
 * @param {import("./context_session.js").ContextSession} session
 */
export function startExports(state, session) {
  const onClick = (id, run) =>
    byId(id).addEventListener("click", () =>
      session.guarded("export", async () => {
        // Nothing is exported that does not fit what is shown.
        if (isCurrent(state.get())) await run(state.get().answered);
      }));
  onClick("copy", ({ answer }) => copy({ text: answer.text }, byId("copy")));
  onClick("save", async ({ answer, given: { settings } }) => {
    save(...FILES[settings.format], `${answer.text}\n`);
  });
  onClick("save-json", async ({ answer, given: { settings, pinned, excluded } }) => {
    const all = { ...settings, must_include: pinned, must_exclude: excluded, ...answer };
    save("context.json", "application/json", `${JSON.stringify(all, null, 2)}\n`);
  });
  const show = ({ settings }) => {
    setText(byId("save"), `Save as ${FILES[settings.format][0]}`);
    setText(byId("command"), commandOf(settings));
  };
  state.onChange((now, before) => {
    if (now.settings !== before.settings) show(now);
  });
  show(state.get());
}

/** The command that makes the same prompt of files on disk. */
function commandOf({ query, budget, unit, format, order }) {
  const words = ["thatch pack FOLDER"];
  if (query) words.push(`--query ${quoted(query)}`);
  words.push(`--budget ${budget}`);
  if (unit !== "tokens") words.push(`--unit ${unit}`);
  if (order !== "source") words.push(`--order ${order}`);
  if (format !== "xml") words.push(`--format ${format}`);
  return words.join(" ");
}

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
