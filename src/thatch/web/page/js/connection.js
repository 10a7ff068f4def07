/** A server that went away, and came back. */

import { health } from "./api.js";
import { announce } from "./messages.js";
import { byId } from "./dom.js";

const MILLISECONDS_BETWEEN_LOOKS = 800;

/**
 * Watch for the server's return once it is known to be gone.
 * @param {() => void} onReturn called when it answers again
 * @returns {{gone: () => void}}
 */
export function createConnection(onReturn) {
  let isWaiting = false;

  async function lookAgain() {
    try {
      await health();
    } catch {
      setTimeout(lookAgain, MILLISECONDS_BETWEEN_LOOKS);
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
      setTimeout(lookAgain, MILLISECONDS_BETWEEN_LOOKS);
    },
  };
}
