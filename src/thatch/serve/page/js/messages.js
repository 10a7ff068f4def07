/** Messages of the page: one per subject, each announced once. */

import { byId, make, setText } from "./dom.js";

// Errors of the server begin with the name of an option, which is the id of its field.
const OTHER_IDS = { budget: "budget-number" };

/**
 * @typedef {object} Message
 * @property {string} text one sentence
 * @property {string} [hint] what to do about it
 * @property {"error" | "notice"} [kind]
 * @property {string} [field] id of the field that it refers to
 * @property {{label: string, run: () => void}} [action]
 */

/**
 * Show a message; it replaces the last one of the same subject.
 * @param {string} subject such as "file"
 * @param {Message} message
 */
export function showMessage(subject, { text, hint = "", kind = "error", field = "", action }) {
  const list = byId("messages");
  const shown = list.querySelector(`[data-subject="${subject}"]`);
  const isShown = [...list.children].some(({ dataset }) => dataset.text === text + hint);
  if (isShown) return;
  shown?.remove();
  const words = make("p", {}, make("strong", {}, text), hint ? ` ${hint}` : "");
  const entry = make(
    "div",
    {
      class: `message ${kind}`, "data-subject": subject, "data-text": text + hint,
      "data-field": field,
    },
    words,
  );
  if (action) entry.append(actionButton(subject, action));
  entry.append(dismissButton(subject));
  list.append(entry);
  markFields();
  setText(byId(kind === "error" ? "alarm" : "announcement"), `${text} ${hint}`.trim());
}

/**
 * Remove the message of a subject.
 * @param {string} subject
 */
export function removeMessage(subject) {
  const shown = byId("messages").querySelector(`[data-subject="${subject}"]`);
  if (!shown) return;
  shown.remove();
  markFields();
  // Screen readers must announce the same message if it appears again.
  setText(byId("alarm"), "");
}

/** Remove all messages. */
export function removeAllMessages() {
  for (const { dataset } of [...byId("messages").children]) removeMessage(dataset.subject);
}

/**
 * Let screen readers announce something that is visible already.
 * @param {string} text
 */
export function announce(text) {
  setText(byId("announcement"), text);
}

/**
 * Show an error of the server, with the label of the field that it names.
 * @param {string} subject
 * @param {import("./api.js").RejectedError} rejected
 * @param {() => void} again
 */
export function showRejection(subject, rejected, again) {
  const retry = { label: "Try again", run: again };
  if (rejected.isBusy) {
    const text = "The server is busy, or the request exceeded its time limit.";
    showMessage(subject, { text, hint: "Wait a moment, or use a shorter text.", action: retry });
  } else if (rejected.status === 413) {
    showMessage(subject, { text: "The text is too large.", hint: rejected.message });
  } else {
    // What is said about the HTTP API helps no reader of the page.
    const hint = rejected.hint.includes("/api/") ? "" : rejected.hint;
    showMessage(subject, { ...messageOf(rejected), hint });
  }
}

/**
 * The error of the server, with the label of the field that it names.
 * @param {import("./api.js").RejectedError} rejected
 * @returns {{text: string, field: string}} its id, or ""
 */
export function messageOf({ message }) {
  const [, name = "", rest] = message.match(/^(\w+) (.*)$/s) ?? [];
  const field = OTHER_IDS[name] ?? name;
  const label = name && document.querySelector(`label[for="${field}"]`);
  if (!label) return { text: message[0].toUpperCase() + message.slice(1), field: "" };
  return { text: `“${label.textContent}” ${rest}`, field };
}

function markFields() {
  for (const field of document.querySelectorAll("[aria-invalid]")) {
    field.removeAttribute("aria-invalid");
  }
  for (const { dataset } of byId("messages").children) {
    if (dataset.field) byId(dataset.field).setAttribute("aria-invalid", "true");
  }
}

function actionButton(subject, { label, run }) {
  const button = make("button", { type: "button" }, label);
  button.addEventListener("click", () => {
    removeMessage(subject);
    run();
  });
  return button;
}

function dismissButton(subject) {
  const button = make("button", { type: "button", class: "quiet" }, "Dismiss");
  button.addEventListener("click", () => removeMessage(subject));
  return button;
}
