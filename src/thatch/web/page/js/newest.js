/** One task at a time, and then the newest. */

/**
 * A function that runs the task on what it is given. While the task runs, what comes
 * waits, and only the newest of it is run next: a slider never outruns the server, and
 * the answer under way is never thrown away.
 * @template T
 * @param {(given: T) => Promise<void>} task
 * @returns {(given: T) => Promise<void>}
 */
export function newestOnly(task) {
  let isRunning = false;
  let waiting = null;
  return async function ask(given) {
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
 * A function that runs the task once nothing came for a while; its `atOnce` runs what
 * still waits without waiting longer.
 * @template T
 * @param {number} milliseconds
 * @param {(given: T) => void} task
 * @returns {((given: T) => void) & {atOnce: () => void}}
 */
export function whenQuiet(milliseconds, task) {
  let timer = 0;
  let waiting = null;
  const atOnce = () => {
    clearTimeout(timer);
    const next = waiting;
    waiting = null;
    if (next) task(next.given);
  };
  const ask = (given) => {
    clearTimeout(timer);
    waiting = { given };
    timer = setTimeout(atOnce, milliseconds);
  };
  return Object.assign(ask, { atOnce });
}
