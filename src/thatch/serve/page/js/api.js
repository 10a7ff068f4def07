/** Requests to the server, and their errors. */

import { promptForToken, token } from "./token.js";

const UNAUTHORIZED = 401;
const MAX_SECONDS_BEFORE_RETRY = 5;
// The request did not arrive in time, the queue was full, or the time limit exceeded.
const BUSY = new Set([408, 429, 503]);

/** The server rejected the request. */
export class RejectedError extends Error {
  /**
   * @param {number} status
   * @param {{error?: string, hint?: string}} answer
   * @param {number} retryAfter seconds to wait before a retry, if it is busy
   */
  constructor(status, answer, retryAfter) {
    super(answer.error || `The server returned status ${status}.`);
    this.status = status;
    this.hint = answer.hint || "";
    this.retryAfter = retryAfter;
  }

  /** Whether a retry may succeed. */
  get isBusy() {
    return BUSY.has(this.status);
  }
}

/** The server cannot be reached. */
export class UnreachableError extends Error {}

/**
 * Send a request and return the answer as an object.
 * @param {string} path such as "summarize"
 * @param {object} request
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function post(path, request, signal) {
  return JSON.parse(await postForText(path, request, signal));
}

/**
 * Send a request and return the answer as JSON text.
 * @param {string} path
 * @param {object} request
 * @param {AbortSignal} [signal]
 * @returns {Promise<string>}
 */
export async function postForText(path, request, signal) {
  const response = await send(`api/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(request),
    signal,
  });
  return response.text();
}

/**
 * Let the server extract the text of a file.
 * @param {File} file
 * @returns {Promise<{name: string, text: string, blocks: object[]}>}
 */
export async function readFile(file) {
  const response = await send(`api/read?name=${encodeURIComponent(file.name)}`, {
    method: "POST",
    headers: { "Content-Type": "application/octet-stream" },
    body: file,
  });
  return response.json();
}

/**
 * Let the server read a problem from a file.
 * @param {File} file
 * @param {AbortSignal} [signal]
 * @returns {Promise<object>}
 */
export async function readProblem(file, signal) {
  const response = await send(`api/read-problem?name=${encodeURIComponent(file.name)}`, {
    method: "POST",
    headers: { "Content-Type": "application/octet-stream" },
    body: file,
    signal,
  });
  return response.json();
}

/**
 * Version and limits of the server.
 * @returns {Promise<{limits: {max_bytes: number, max_documents: number}, formats: string[]}>}
 */
export async function health() {
  return (await fetchOrThrow("api/health", { cache: "no-store" })).json();
}

/**
 * Options by the name of the call that has them.
 * @returns {Promise<Record<string, import("./options.js").Option[]>>}
 */
export async function optionsOfCalls() {
  return (await fetchOrThrow("api/options")).json();
}

/**
 * The text of a file of the page itself.
 * @param {string} path
 * @returns {Promise<string>}
 */
export async function pageFile(path) {
  return (await fetchOrThrow(`page/${path}`)).text();
}

async function send(path, options) {
  try {
    return await fetchOrThrow(path, options);
  } catch (error) {
    if (!(error instanceof RejectedError && error.isBusy)) throw error;
    await pause(error.retryAfter, options.signal);
    return fetchOrThrow(path, options);
  }
}

async function fetchOrThrow(path, options) {
  let response = await fetchWithToken(path, options);
  // The first response may be one that was preloaded without the token.
  if (response.status === UNAUTHORIZED && token()) response = await fetchWithToken(path, options);
  while (response.status === UNAUTHORIZED) {
    await promptForToken();
    response = await fetchWithToken(path, options);
  }
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({}));
  const seconds = Number(response.headers.get("Retry-After")) || 1;
  throw new RejectedError(response.status, answer, Math.min(seconds, MAX_SECONDS_BEFORE_RETRY));
}

async function fetchWithToken(path, options = {}) {
  const authorization = token() ? { Authorization: `Bearer ${token()}` } : {};
  const headers = { ...options.headers, ...authorization };
  return fetch(path, { ...options, headers }).catch((error) => {
    throw error.name === "AbortError" ? error : new UnreachableError(path);
  });
}

function pause(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, 1000 * seconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
