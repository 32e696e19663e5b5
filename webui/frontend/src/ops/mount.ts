/** The reference's part of the app, loaded only where it is shown. */
import { mount } from "svelte";
import Ops from "./Ops.svelte";

export function mountOps(target: HTMLElement): void {
  mount(Ops, { target });
}
