/** The lessons' part of the app, loaded only where a lesson is shown. */
import { mount } from "svelte";
import type { LessonPage } from "../app/page";
import App from "./App.svelte";

export function mountLessons(target: HTMLElement, page: LessonPage): void {
  mount(App, { target, props: { page } });
}
