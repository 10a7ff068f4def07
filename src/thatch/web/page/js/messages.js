/** What the page has to tell: one message a subject, each announced once. */

import { byId, make, say } from "./dom.js";

// The names that the server's sentences begin with, and the fields of the page they mean.
const FIELDS = {
  budget: "budget-number",
  exclude: "exclude",
  query: "query",
  require: "require",
};

/**
 * @typedef {object} Message
 * @property {string} text what happened, in a sentence
 * @property {string} [hint] what to do about it
 * @property {"error" | "notice"} [kind]
 * @property {string} [field] id of the field that it is about
 * @property {{label: string, run: () => void}} [action]
 */

/**
 * Show a message in place of the last one about the same subject.
 * @param {string} subject such as "file"
 * @param {Message} message
 */
export function tell(subject, { text, hint = "", kind = "error", field = "", action }) {
  const list = byId("messages");
  const shown = list.querySelector(`[data-subject="${subject}"]`);
  const isSaid = [...list.children].some(({ dataset }) => dataset.said === text + hint);
  if (isSaid) return;
  shown?.remove();
  const words = make("p", {}, make("strong", {}, text), hint ? ` ${hint}` : "");
  const entry = make(
    "div",
    {
      class: `message ${kind}`, "data-subject": subject, "data-said": text + hint,
      "data-field": field,
    },
    words,
  );
  if (action) entry.append(actionButton(subject, action));
  entry.append(dismissButton(subject));
  list.append(entry);
  markFields();
  say(byId(kind === "error" ? "alarm" : "announcement"), `${text} ${hint}`.trim());
}

/**
 * Take back what was told about a subject.
 * @param {string} subject
 */
export function untell(subject) {
  const shown = byId("messages").querySelector(`[data-subject="${subject}"]`);
  if (!shown) return;
  shown.remove();
  markFields();
  // The same message must be heard again when it comes back.
  say(byId("alarm"), "");
}

/** Take back whatever was told. */
export function untellAll() {
  for (const { dataset } of [...byId("messages").children]) untell(dataset.subject);
}

/**
 * Let screen readers say something that is already seen.
 * @param {string} text
 */
export function announce(text) {
  say(byId("announcement"), text);
}

/**
 * Tell about a refusal, in the words of the server but for the names of fields.
 * @param {string} subject
 * @param {import("./api.js").RefusedError} refused
 * @param {() => void} again
 */
export function tellRefusal(subject, refused, again) {
  const retry = { label: "Try again", run: again };
  if (refused.isBusy) {
    const text = "The server is busy, or this took longer than it allows.";
    tell(subject, { text, hint: "Wait a moment, or take less text.", action: retry });
  } else if (refused.status === 413) {
    tell(subject, { text: "The text is too large.", hint: refused.message });
  } else {
    tell(subject, { ...inWordsOfPage(refused), hint: refused.hint });
  }
}

/**
 * What a refusal says, with the field that it is about by its label.
 * @param {import("./api.js").RefusedError} refused
 * @returns {{text: string, field: string}} its id, or ""
 */
export function inWordsOfPage({ message }) {
  const [, name = "", rest] = message.match(/^(\w+) (must .*)$/s) ?? [];
  if (!Object.hasOwn(FIELDS, name)) return { text: message, field: "" };
  const field = FIELDS[name];
  const label = document.querySelector(`label[for="${field}"]`).textContent;
  return { text: `“${label}” ${rest}`, field };
}

function markFields() {
  for (const field of Object.values(FIELDS)) {
    const isWrong = byId("messages").querySelector(`[data-field="${field}"]`) !== null;
    if (isWrong) byId(field).setAttribute("aria-invalid", "true");
    else byId(field).removeAttribute("aria-invalid");
  }
}

function actionButton(subject, { label, run }) {
  const button = make("button", { type: "button" }, label);
  button.addEventListener("click", () => {
    untell(subject);
    run();
  });
  return button;
}

function dismissButton(subject) {
  const button = make("button", { type: "button", class: "quiet" }, "Dismiss");
  button.addEventListener("click", () => untell(subject));
  return button;
}
