/** The selected passage and term. */

// On narrower screens the panel covers the text, so hovering must not open it.
const WIDE = matchMedia("(min-width: 1000px)");

/**
 * @typedef {object} Pointed
 * @property {number} passage its number in the analysis, or -1
 * @property {number} term its number in the analysis, or -1
 * @property {boolean} isKept whether it stays when the pointer moves on
 */

/**
 * Store the selection, and notify listeners when it changes.
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
 * Make the elements `[data-passage]` of a container selectable: by hovering, by a tap or
 * click, which keeps the selection, and by the arrow keys, as a single tab stop.
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
    // A click that ends a text selection is not meant for the passage.
    if (!element || !getSelection().isCollapsed) return;
    const { passage, isKept } = pointing.get();
    if (isKept && passage === Number(element.dataset.passage)) pointing.clear();
    else point(element, true);
    onClick?.(Number(element.dataset.passage));
  });
  container.addEventListener("focusin", (event) => {
    const element = at(event);
    if (!element) return;
    makeTabStop(container, element);
    if (element.matches(":focus-visible")) point(element, true);
  });
  container.addEventListener("keydown", (event) => {
    const element = at(event);
    if (element) onKey(event, container, element, onEnter);
  });
}

/**
 * Make an element the only tab stop of its container.
 * @param {HTMLElement} container
 * @param {HTMLElement | null} element the first, if none is given
 */
export function makeTabStop(container, element) {
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
