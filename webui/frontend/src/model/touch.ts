/** Changing one element of a recorded step: its name, its range, and the resulting moment. */
import type { Touched, Value } from "../protocol";
import { number } from "./format";
import { copyState, type State } from "./state";
import type { Structure } from "./structure";
import { t } from "../language/text";

/** The changed value: an element of a tensor that no op made, or the constant of an op. */
export interface Touch {
  step: number;
  /** The number in the picture. */
  tensor?: number;
  element?: number;
  node?: number;
  input?: number;
}

export const sameTouch = (a: Touch | null, b: Touch | null): boolean =>
  a === b ||
  (a !== null &&
    b !== null &&
    (["step", "tensor", "element", "node", "input"] as const).every((each) => a[each] === b[each]));

/** The range of a drag: the number's own magnitude in either direction, at least 1. */
export function reachOf(old: number): { from: number; to: number } {
  const span = Number.isFinite(old) ? Math.max(1, 2 ** Math.ceil(Math.log2(Math.abs(old) || 1))) : 1;
  return { from: old - span, to: old + span };
}

/** The moment with the step's new numbers; `numbered` converts the numbers of nodes and tensors. */
export function touchedState(
  graph: Structure,
  state: State,
  touched: Touched,
  numbered: (own: number) => number,
): State {
  const next = copyState(state);
  for (const { node: own, output, value, gradient } of touched.values ?? []) {
    const id = numbered(own);
    const known = next.nodes.get(id);
    const tensor = graph.nodes.get(id)?.outputs[output ?? 0]?.id;
    const result = tensor === undefined ? undefined : next.tensors.get(tensor);
    if (tensor !== undefined && result) next.tensors.set(tensor, { ...result, value: value ?? result.value });
    if (!known || (output ?? 0) !== 0) continue;
    const entered = known.entered && { ...known.entered, grads: [gradient ?? null] };
    // The contributions to the gradient are not computed again.
    next.nodes.set(id, { ...known, output: value ?? known.output, entered, arrived: [], sent: new Map() });
  }
  for (const { tensor, value, gradient } of touched.leaves ?? []) {
    const id = numbered(tensor);
    const known = next.tensors.get(id);
    if (!known) continue;
    const grad = known.grad && (gradient ?? null);
    next.tensors.set(id, { ...known, value: value ?? known.value, grad, arrived: [] });
  }
  return next;
}

/** The result compared with the gradient's prediction, in a sentence. */
export function saidOf(name: string, { old = 0, value = 0, before, after, slope }: Touched): string {
  if (before == null || after == null)
    return t("{name} is {value}; no finite loss depends on it.", { name, value: number(value) });
  const came = { name, value: number(value), moved: signed(value - old), change: signed(after - before) };
  return slope == null
    ? t("{name} is {value}, moved by {moved}; the loss changes by {change}.", came)
    : t("{name} is {value}, moved by {moved}; the loss changes by {change}, and the slope predicted {predicted}.", {
        ...came,
        predicted: signed(slope * (value - old)),
      });
}

export const signed = (x: number): string => (x > 0 ? `+${number(x)}` : number(x));

/** The gradient of a leaf as text: the number of a single element, else the norm. */
export function gradientSaid(value: Value | null | undefined): string {
  if (!value) return t("none|gradient");
  return value.rows === 1 && value.cols === 1 ? number(value.min) : number(value.norm, 3);
}
