/** Light or dark: as the device says, unless the reader chose. */

const KEY = "thatch-theme";
const NEXT = { system: "light", light: "dark", dark: "system" };
const WORDS = { system: "as your device", light: "light", dark: "dark" };

/**
 * Let a button go through the themes, and keep the choice where that is allowed.
 * @param {HTMLElement} button
 */
export function startTheme(button) {
  let theme = kept();
  apply(button, theme);
  button.addEventListener("click", () => {
    theme = NEXT[theme];
    keep(theme);
    apply(button, theme);
  });
}

function apply(button, theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  button.dataset.theme = theme;
  const label = `Colours: ${WORDS[theme]}. Change to ${WORDS[NEXT[theme]]}`;
  button.setAttribute("aria-label", label);
  button.title = label;
}

// A browser that keeps nothing for a page throws on the first touch.
function kept() {
  try {
    const theme = localStorage.getItem(KEY);
    return theme && Object.hasOwn(NEXT, theme) ? theme : "system";
  } catch {
    return "system";
  }
}

function keep(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The theme then lasts as long as the page.
  }
}
