/** The first trouble of a run, in words. */
import type { Finding, Trouble } from "../protocol";
import { english, t, told } from "../language/text";

export interface Told {
  step: number;
  message: string;
  /** The event and its place. */
  first: string;
  /** The reason, if known. */
  rest: string;
}

/** `Step 7, line 25: Log made 2,814 NaN of finite numbers.` and the reason. */
export function troubleTold({ step, line, message }: Trouble): Told {
  const words = told(message);
  const end = words.indexOf(". ") + 1 || words.length;
  const where = line == null ? t("Step {step}", { step }) : t("Step {step}, line {line}", { step, line });
  return { step, message, first: `${where}: ${words.slice(0, end)}`, rest: words.slice(end).trim() };
}

/** Kinds of findings that say what an error means, or the error itself. */
const MEANINGS = /^(crash|in_place|detached|no_grad|frozen|not_differentiable|growing_graph|freed)$/;

/** Whether the first line explains the error that ended the program: then the error is not repeated beside the picture. */
export const endingTold = (findings: readonly Finding[]): boolean => MEANINGS.test(findings[0]?.kind ?? "");

const KINDS: Record<string, string> = {
  nan: "NaN",
  inf: english("Infinity"),
  stale: english("Changed after it was saved"),
  loss: english("Loss jumped"),
  vanished: english("Gradient vanished"),
  exploded: english("Gradient exploded"),
};

/** `NaN` of "NaN since step 7". */
export const troubled = (kind: string): string => t(KINDS[kind] ?? english("Trouble"));
