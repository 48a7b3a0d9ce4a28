// Light or dark: as the machine prefers, until somebody chooses.
const KEY = "akrig-theme";

export function startTheme(changed) {
  const button = document.getElementById("theme");
  const preferred = window.matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // a private window
    }
  };
  const show = () => {
    const dark = (chosen() ?? (preferred.matches ? "dark" : "light")) === "dark";
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    button.setAttribute("aria-pressed", String(dark));
    changed();
  };
  button.addEventListener("click", () => {
    try {
      localStorage.setItem(KEY, document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    } catch {
      document.documentElement.dataset.theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    }
    show();
  });
  preferred.addEventListener("change", show);
  show();
}
