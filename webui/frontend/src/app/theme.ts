/** The theme follows the system until the user chooses one; the choice is remembered. */
import type { ThemeName } from "../theme/colour";

const STORED = "minigrad.theme";

export function storedTheme(): ThemeName | null {
  try {
    const found = localStorage.getItem(STORED);
    return found === "light" || found === "dark" ? found : null;
  } catch {
    return null;
  }
}

export function storeTheme(theme: ThemeName | null): void {
  try {
    if (theme) localStorage.setItem(STORED, theme);
    else localStorage.removeItem(STORED);
  } catch {
    /* A page opened from a file may have no storage; then the choice is not remembered. */
  }
}

export function watchSystemTheme(changed: (theme: ThemeName) => void): () => void {
  const query = window.matchMedia("(prefers-color-scheme: dark)");
  const tell = (): void => changed(query.matches ? "dark" : "light");
  tell();
  query.addEventListener("change", tell);
  return () => query.removeEventListener("change", tell);
}
