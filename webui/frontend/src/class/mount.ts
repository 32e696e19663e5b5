/** Mounts the class pages; loaded only in a class. */
import { mount } from "svelte";
import type { ClassPage } from "../app/page";
import App from "./App.svelte";

export function mountClass(target: HTMLElement, page: ClassPage): void {
  mount(App, { target, props: { page } });
}
