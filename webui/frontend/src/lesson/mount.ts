/** The lessons' part of the app, loaded only where a lesson is shown. */
import { mount } from "svelte";
import type { Page } from "../app/page";
import App from "./App.svelte";

export function mountLessons(target: HTMLElement, page: Exclude<Page, { kind: "explorer" | "ops" }>): void {
  mount(App, { target, props: { page } });
}
