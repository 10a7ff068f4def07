/** What the reader points at: a passage, one of its terms, and whether it stays. */

// Where it is narrower the panel lies over the text: hovering must not bring it up.
const WIDE = matchMedia("(min-width: 1000px)");

/**
 * @typedef {object} Pointed
 * @property {number} passage its number in the study, or -1
 * @property {number} term its number in the study, or -1
 * @property {boolean} isKept stays until something else is chosen
 */

/**
 * Hold what is pointed at, and tell listeners when it changes.
 * @returns {{
 *   get: () => Pointed,
 *   set: (change: Partial<Pointed>) => void,
 *   clear: () => void,
 *   onChange: (listener: (now: Pointed) => void) => void,
 * }}
 */
export function createPointing() {
  const nothing = { passage: -1, term: -1, isKept: false };
  let current = nothing;
  const listeners = [];
  return {
    get: () => current,
    set(change) {
      const next = { ...current, ...change };
      if (Object.keys(next).every((field) => next[field] === current[field])) return;
      current = next;
      for (const listener of listeners) listener(current);
    },
    clear() {
      this.set(nothing);
    },
    onChange: (listener) => listeners.push(listener),
  };
}

/**
 * Let the elements `[data-passage]` of a container be pointed at: by hovering, by a tap
 * or click, which keeps it, and by the arrow keys, as one stop of the tab key.
 * @param {HTMLElement} container
 * @param {ReturnType<typeof createPointing>} pointing
 * @param {{onClick?: (passage: number) => void, onEnter: (passage: number) => void}} options
 */
export function makePointable(container, pointing, { onClick, onEnter }) {
  const at = (event) => event.target.closest?.("[data-passage]");
  const point = (element, isKept) =>
    pointing.set({ passage: Number(element.dataset.passage), term: -1, isKept });

  container.addEventListener("pointerover", (event) => {
    const element = at(event);
    const isHover = element && event.pointerType === "mouse" && WIDE.matches;
    if (isHover && !pointing.get().isKept) point(element, false);
  });
  container.addEventListener("click", (event) => {
    const element = at(event);
    // Whoever selects words means to copy them.
    if (!element || !getSelection().isCollapsed) return;
    const { passage, isKept } = pointing.get();
    if (isKept && passage === Number(element.dataset.passage)) pointing.clear();
    else point(element, true);
    onClick?.(Number(element.dataset.passage));
  });
  container.addEventListener("focusin", (event) => {
    const element = at(event);
    if (!element) return;
    makeOnlyStop(container, element);
    if (element.matches(":focus-visible")) point(element, true);
  });
  container.addEventListener("keydown", (event) => {
    const element = at(event);
    if (element) onKey(event, container, element, onEnter);
  });
}

/**
 * Make an element the one of its container that the tab key stops at.
 * @param {HTMLElement} container
 * @param {HTMLElement | null} element the first, if none is given
 */
export function makeOnlyStop(container, element) {
  const stop = container.querySelector('[data-passage][tabindex="0"]');
  stop?.setAttribute("tabindex", "-1");
  const next = element ?? container.querySelector("[data-passage]");
  next?.setAttribute("tabindex", "0");
}

function onKey(event, container, element, onEnter) {
  const all = [...container.querySelectorAll("[data-passage]")];
  const here = all.indexOf(element);
  const target = {
    ArrowRight: here + 1, ArrowDown: here + 1, ArrowLeft: here - 1, ArrowUp: here - 1,
    Home: 0, End: all.length - 1,
  }[event.key];
  if (target !== undefined) {
    event.preventDefault();
    all[Math.max(0, Math.min(target, all.length - 1))].focus();
  } else if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    onEnter(Number(element.dataset.passage));
  }
}
