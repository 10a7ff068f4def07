/** The color theme: light, dark, or that of the device. */

const KEY = "thatch-theme";
const NEXT = { system: "light", light: "dark", dark: "system" };
const WORDS = { system: "same as device", light: "light", dark: "dark" };

/**
 * Let a button cycle through the themes, and store the choice if possible.
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
  const label = `Color theme: ${WORDS[theme]}. Change to ${WORDS[NEXT[theme]]}`;
  button.setAttribute("aria-label", label);
  button.title = label;
}

// A browser without storage throws on access.
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
    // The theme then lasts until the page is closed.
  }
}
