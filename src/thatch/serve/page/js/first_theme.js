// Runs before the first paint, so that a dark page does not flash white.
try {
  const theme = localStorage.getItem("thatch-theme");
  if (theme === "light" || theme === "dark") {
    document.documentElement.dataset.theme = theme;
  }
} catch {
  // Without storage, the theme of the device is used.
}
