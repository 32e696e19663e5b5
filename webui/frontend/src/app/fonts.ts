/** Our two typefaces come with the page. The canvas may be drawn before they are loaded, and again afterwards. */
import inter from "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url";
import interExt from "@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2?url";
import mono from "@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2?url";
import { setBusy } from "./idle";

const LATIN_EXT =
  "U+0100-02AF, U+1E00-1EFF, U+2016, U+2070-2089, U+2190-2193, U+2207, U+221E, U+2260-2265, U+25B8-25BE";

export async function loadFonts(): Promise<void> {
  setBusy("fonts", true);
  const faces = [
    new FontFace("Inter Variable", `url(${inter}) format("woff2")`, { weight: "100 900", display: "swap" }),
    new FontFace("Inter Variable", `url(${interExt}) format("woff2")`, { weight: "100 900", unicodeRange: LATIN_EXT }),
    new FontFace("JetBrains Mono Variable", `url(${mono}) format("woff2")`, { weight: "100 800", display: "swap" }),
  ];
  for (const face of faces) document.fonts.add(face);
  await Promise.allSettled(faces.map((f) => f.load()));
  setBusy("fonts", false);
}
