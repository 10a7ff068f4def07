/** Reconnects to the server. */

import { health } from "./api.js";
import { announce } from "./messages.js";
import { byId } from "./dom.js";

const MILLISECONDS_BETWEEN_TRIES = 800;

/**
 * Poll the server after it became unreachable.
 * @param {() => void} onReturn called when it responds again
 * @returns {{lost: () => void}}
 */
export function createConnection(onReturn) {
  let isWaiting = false;

  async function tryAgain() {
    try {
      await health();
    } catch {
      setTimeout(tryAgain, MILLISECONDS_BETWEEN_TRIES);
      return;
    }
    isWaiting = false;
    byId("offline").hidden = true;
    announce("The server is available again.");
    onReturn();
  }

  return {
    lost() {
      if (isWaiting) return;
      isWaiting = true;
      byId("offline").hidden = false;
      setTimeout(tryAgain, MILLISECONDS_BETWEEN_TRIES);
    },
  };
}
