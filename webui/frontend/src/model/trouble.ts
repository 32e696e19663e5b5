/** The first trouble of a run, in words. */
import type { Trouble } from "../protocol";

export interface Told {
  step: number;
  message: string;
  /** The event and its place. */
  first: string;
  /** Why, as far as it is known. */
  rest: string;
}

/** `Step 7, line 25: Log made 2,814 NaN of finite numbers.` and the reason. */
export function told({ step, line, message }: Trouble): Told {
  const end = message.indexOf(". ") + 1 || message.length;
  const where = line == null ? `Step ${step}` : `Step ${step}, line ${line}`;
  return { step, message, first: `${where}: ${message.slice(0, end)}`, rest: message.slice(end).trim() };
}

const KINDS: Record<string, string> = {
  nan: "NaN",
  inf: "Infinity",
  stale: "Changed after it was saved",
  loss: "Loss jumped",
  vanished: "Gradient vanished",
  exploded: "Gradient exploded",
};

/** `NaN` of "NaN since step 7". */
export const troubled = (kind: string): string => KINDS[kind] ?? "Trouble";
