/** Calls of the server, and the ways in which they fail. */

const MOST_SECONDS_OF_PATIENCE = 5;
// It did not arrive in time, there were too many, or it took too long.
const BUSY = new Set([408, 429, 503]);

/** The server answered that it will not. */
export class RefusedError extends Error {
  /**
   * @param {number} status
   * @param {{error?: string, hint?: string}} answer
   * @param {number} retryAfter seconds after which to ask again, if it is busy
   */
  constructor(status, answer, retryAfter) {
    super(answer.error || `The server answered with status ${status}.`);
    this.status = status;
    this.hint = answer.hint || "";
    this.retryAfter = retryAfter;
  }

  /** Whether the same request might do better a little later. */
  get isBusy() {
    return BUSY.has(this.status);
  }
}

/** Nothing answered. */
export class GoneError extends Error {}

/**
 * Ask for an answer in JSON, and get it as an object.
 * @param {string} path such as "summarize"
 * @param {object} request
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function ask(path, request, signal) {
  return JSON.parse(await askForText(path, request, signal));
}

/**
 * Ask for an answer in JSON, and get its text as it came.
 * @param {string} path
 * @param {object} request
 * @param {AbortSignal} [signal]
 * @returns {Promise<string>}
 */
export async function askForText(path, request, signal) {
  const response = await sent(`api/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(request),
    signal,
  });
  return response.text();
}

/**
 * Have the server find the text of a file.
 * @param {File} file
 * @returns {Promise<{name: string, text: string, blocks: object[]}>}
 */
export async function readFile(file) {
  const response = await sent(`api/read?name=${encodeURIComponent(file.name)}`, {
    method: "POST",
    headers: { "Content-Type": "application/octet-stream" },
    body: file,
  });
  return response.json();
}

/**
 * Version and limits of the server.
 * @returns {Promise<{limits: {max_bytes: number, max_documents: number}, formats: string[]}>}
 */
export async function health() {
  return (await fetched("api/health", { cache: "no-store" })).json();
}

/**
 * The text of a file of the page itself.
 * @param {string} path
 * @returns {Promise<string>}
 */
export async function pageFile(path) {
  return (await fetched(`page/${path}`)).text();
}

async function sent(path, options) {
  try {
    return await fetched(path, options);
  } catch (error) {
    if (!(error instanceof RefusedError && error.isBusy)) throw error;
    await pause(error.retryAfter, options.signal);
    return fetched(path, options);
  }
}

async function fetched(path, options) {
  const response = await fetch(path, options).catch((error) => {
    throw error.name === "AbortError" ? error : new GoneError(path);
  });
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({}));
  const seconds = Number(response.headers.get("Retry-After")) || 1;
  throw new RefusedError(response.status, answer, Math.min(seconds, MOST_SECONDS_OF_PATIENCE));
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
