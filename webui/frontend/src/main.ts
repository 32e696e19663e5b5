import "./app.css";
import { mount } from "svelte";
import { loadFonts } from "./app/fonts";
import { setBusy } from "./app/idle";
import { pageOf } from "./app/page";
import { EXPLORER } from "./language/de/explorer";
import { SAID_IN_EXPLORER } from "./language/de/explorer.said";
import "./language/language.svelte";
import { learn } from "./language/text";
import Fault from "./parts/Fault.svelte";
import { MONO, SANS, SPACE, TYPE } from "./theme/scale";
import App from "./views/App.svelte";

/** The scales become CSS variables once, so that style sheets and canvas use the same sizes. */
function applyScale(root: HTMLElement): void {
  root.style.setProperty("--sans", SANS);
  root.style.setProperty("--mono", MONO);
  for (const [name, size] of Object.entries(TYPE)) root.style.setProperty(`--type-${name}`, `${size}px`);
  SPACE.forEach((size, i) => root.style.setProperty(`--space-${i}`, `${size}px`));
}

learn("de", EXPLORER, SAID_IN_EXPLORER);
applyScale(document.documentElement);
void loadFonts();

const target = document.getElementById("app")!;
const page = pageOf(location.pathname, document.baseURI);

mount(Fault, { target: document.body });

async function open(): Promise<void> {
  if (page.kind === "explorer") mount(App, { target });
  else if (page.kind === "ops") (await import("./ops/mount")).mountOps(target);
  else if (page.kind === "lessons" || page.kind === "lesson")
    (await import("./lesson/mount")).mountLessons(target, page);
  else (await import("./class/mount")).mountClass(target, page);
}

setBusy("page", true);
void open().finally(() => setBusy("page", false));
