// Runs before the first paint, so that a page that is to be dark never flashes white.
try {
  const theme = localStorage.getItem("thatch-theme");
  if (theme === "light" || theme === "dark") {
    document.documentElement.dataset.theme = theme;
  }
} catch {
  // A browser that keeps nothing for a page shows what the device says.
}
