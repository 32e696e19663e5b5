/** The language of all pages: English until somebody chooses another one; the choice is remembered. */
import { language, type Language, speakAs } from "./text";

export const LANGUAGES: Record<Language, string> = { en: "English", de: "Deutsch" };
const STORED = "minigrad.language";

function stored(): Language {
  try {
    const found = localStorage.getItem(STORED);
    return found !== null && found in LANGUAGES ? (found as Language) : "en";
  } catch {
    return "en";
  }
}

let chosen = $state<Language>(typeof localStorage === "undefined" ? "en" : stored());
speakAs(() => chosen);
mark();
// Other windows follow: the projector's beside the wall's, a graph's in a frame.
if (typeof window !== "undefined")
  window.addEventListener("storage", ({ key }) => {
    if (key !== STORED) return;
    chosen = stored();
    mark();
  });

/** Screen readers and hyphenation go by the language of the page. */
function mark(): void {
  if (typeof document !== "undefined") document.documentElement.lang = language();
}

/** From now on, in all pages of this browser. */
export function speak(wanted: Language): void {
  try {
    localStorage.setItem(STORED, wanted);
  } catch {
    /* Then it is spoken as long as the page is open. */
  }
  chosen = wanted;
  mark();
}
