/** Mounts the class pages; loaded only in a class. */
import { mount } from "svelte";
import type { ClassPage } from "../app/page";
import { CLASS, SAID_IN_CLASS } from "../language/de/class";
import { LESSON } from "../language/de/lesson";
import { SAID_IN_LESSON } from "../language/de/lesson.said";
import { learn } from "../language/text";
import App from "./App.svelte";

learn("de", LESSON, SAID_IN_LESSON);
learn("de", CLASS, SAID_IN_CLASS);

export function mountClass(target: HTMLElement, page: ClassPage): void {
  mount(App, { target, props: { page } });
}
