/** The lessons' part of the app, loaded only where a lesson is shown. */
import { mount } from "svelte";
import type { LessonPage } from "../app/page";
import { CLASS, SAID_IN_CLASS } from "../language/de/class";
import { LESSON } from "../language/de/lesson";
import { SAID_IN_LESSON } from "../language/de/lesson.said";
import { learn } from "../language/text";
import App from "./App.svelte";

learn("de", LESSON, SAID_IN_LESSON);
learn("de", CLASS, SAID_IN_CLASS);

export function mountLessons(target: HTMLElement, page: LessonPage): void {
  mount(App, { target, props: { page } });
}
