/** Functions that limit how often a task runs. */

/** Milliseconds without a change until something happens, by what follows. */
export const PAUSES = {
  // A new answer for what is being typed.
  typing: 350,
  // Answers beyond the summary itself, and the address that leads back to the page.
  loading: 250,
  address: 250,
  drawing: 100,
  // What a screen reader says: it must not interrupt itself.
  announcing: 700,
};

/**
 * A function that runs one task at a time. Calls during a run are queued, and only the
 * latest of them runs next: a slider never outruns the server, and no answer is wasted.
 * @template T
 * @param {(given: T) => Promise<void>} task
 * @returns {(given: T) => Promise<void>}
 */
export function latestOnly(task) {
  let isRunning = false;
  let waiting = null;
  return async function run(given) {
    waiting = { given };
    if (isRunning) return;
    isRunning = true;
    try {
      while (waiting) {
        const next = waiting.given;
        waiting = null;
        await task(next);
      }
    } finally {
      isRunning = false;
    }
  };
}

/**
 * A function that runs the task after no call for a while; its `flush` runs a pending
 * call immediately.
 * @template T
 * @param {number} milliseconds
 * @param {(given: T) => void} task
 * @returns {((given: T) => void) & {flush: () => void}}
 */
export function debounced(milliseconds, task) {
  let timer = 0;
  let waiting = null;
  const flush = () => {
    clearTimeout(timer);
    const next = waiting;
    waiting = null;
    if (next) task(next.given);
  };
  const schedule = (given) => {
    clearTimeout(timer);
    waiting = { given };
    timer = setTimeout(flush, milliseconds);
  };
  return Object.assign(schedule, { flush });
}
