/** A server that went away, and came back. */

import { health } from "./api.js";
import { announce } from "./messages.js";
import { byId } from "./dom.js";

const FIRST_MILLISECONDS = 500;
const MOST_MILLISECONDS = 4000;

/**
 * Watch for the server's return once it is known to be gone.
 * @param {() => void} onReturn called when it answers again
 * @returns {{gone: () => void}}
 */
export function createConnection(onReturn) {
  let isWaiting = false;

  async function lookAgain(milliseconds) {
    try {
      await health();
    } catch {
      const next = Math.min(2 * milliseconds, MOST_MILLISECONDS);
      setTimeout(() => lookAgain(next), milliseconds);
      return;
    }
    isWaiting = false;
    byId("gone").hidden = true;
    announce("The server is back.");
    onReturn();
  }

  return {
    gone() {
      if (isWaiting) return;
      isWaiting = true;
      byId("gone").hidden = false;
      setTimeout(() => lookAgain(FIRST_MILLISECONDS), FIRST_MILLISECONDS);
    },
  };
}
