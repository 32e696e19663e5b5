/** The course as its files tell it. */
import { execFileSync } from "node:child_process";
import { env, PYTHON } from "./python";

/** A wrong answer, and the sentence that its author is told. */
export interface Mistake {
  sentence: string;
  code: string;
}

export interface Told {
  slug: string;
  title: string;
  fast: boolean;
  /** In which the whole file has run on a slow machine. */
  seconds: number;
  /** The solved exercises, by the cells' keys, in their order. */
  solutions: Record<string, string>;
  mistakes: Record<string, Mistake[]>;
  /** The numbers to guess, by the ids of their questions. */
  answers: Record<string, number>;
}

const TELL = `
import json
from minigrad.classroom import load_course
from minigrad.classroom.lesson import sentence_of
def solved(cell): return "\\n".join(line for line in cell.text.split("\\n") if not line.strip().startswith("### "))
print(json.dumps([
    dict(slug=entry.slug, title=entry.title, fast=entry.fast_track, seconds=entry.seconds, solutions={
        f"c{at}": solved(cell) for at, cell in enumerate(entry.read().cells) if cell.tag == "exercise"
    }, mistakes={
        f"c{at}": [dict(sentence=sentence_of(each), code=each.text) for each in entry.read().mistakes if each.id == cell.id]
        for at, cell in enumerate(entry.read().cells) if cell.tag == "exercise"
    }, answers={cell.id: cell.answer for cell in entry.read().cells if cell.tag == "predict"}) for entry in load_course()
]))`;

let told: Told[] | undefined;

/** The course, with the solutions that the page does not get. */
export const tellCourse = (): Told[] =>
  (told ??= JSON.parse(execFileSync(PYTHON, ["-c", TELL], { env, encoding: "utf8" })) as Told[]);
