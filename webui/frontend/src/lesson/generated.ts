/* Generated from minigrad_webui.lessons.protocol by `npm run protocol`. Do not edit. */

/**
 * Everything that is sent; only here so that one file holds all types.
 */
export interface Wire {
  Before?: Before;
  Card?: Card;
  CheckExercise?: CheckExercise;
  Checked?: Checked;
  Code?: Code;
  Course?: Course;
  Died?: Died;
  Draft?: Draft;
  Exercise?: Exercise;
  Finished?: Finished;
  Guess?: Guess;
  Interrupt?: Interrupt;
  Judged?: Judged;
  Lesson?: Lesson;
  Output?: Output;
  Question?: Question;
  Ready?: Ready;
  Refused?: Refused;
  Restart?: Restart;
  Result?: Result;
  Revealed?: Revealed;
  RunCells?: RunCells;
  Started?: Started;
  Text?: Text;
  Trouble?: Trouble;
}
/**
 * Server to page: the results of an earlier Python, perhaps of another day.
 *
 * `run` has recorded it, if it is still stored.
 */
export interface Before {
  results?: Result[];
  run?: string | null;
  type: "before";
  verdicts?: Judged[];
}
/**
 * The result of a cell's last run; `code` is the text that was run.
 */
export interface Result {
  code: string;
  key: string;
  note?: string;
  seconds?: number;
  status: "ok" | "failed" | "interrupted";
  text: string;
  trouble?: Trouble | null;
}
/**
 * An error in a cell; `line` counts from 1 in that cell.
 */
export interface Trouble {
  line?: number | null;
  message: string;
  traceback?: string;
}
/**
 * The last verdict on an exercise; `code` is the answer that it is about.
 */
export interface Judged {
  code: string;
  id: string;
  message: string;
  output?: string;
  passed: boolean;
  translations?: {
    [k: string]: string;
  };
}
/**
 * A lesson in the list. `touched`: the learner has answered or edited something.
 */
export interface Card {
  exercises: number;
  /**
   * part of the fast track
   */
  fast: boolean;
  goal: string;
  minutes: number;
  number: number;
  passed: number;
  slug: string;
  title: string;
  touched?: boolean;
}
/**
 * Page to server: check this answer.
 */
export interface CheckExercise {
  code: string;
  id: string;
  type: "check";
}
/**
 * Server to page: the verdict of a check; `exercise` is its state now.
 *
 * The message is English, and pictures are drawn from it; `translations` has it in other languages, by their codes.
 */
export interface Checked {
  card: Card;
  exercise: Exercise;
  id: string;
  message: string;
  output?: string;
  passed: boolean;
  translations?: {
    [k: string]: string;
  };
  type: "checked";
}
/**
 * A cell in which the learner writes an answer. `hints` are those revealed so far; the last hint is a solution.
 *
 * `solution` and `check` are set once it is passed. `plays` names the graph on which a verdict is animated.
 */
export interface Exercise {
  check?: string | null;
  code: string;
  hints: string[];
  hints_in_all: number;
  id: string;
  key: string;
  kind: "exercise";
  name: string;
  original: string;
  passed?: boolean;
  plays?: string;
  solution?: string | null;
}
/**
 * A cell to run. `original` is the lesson's text, `code` the learner's.
 *
 * Tracebacks and the explorer call the cell by its `name`.
 */
export interface Code {
  code: string;
  key: string;
  kind: "code";
  name: string;
  original: string;
}
/**
 * All lessons in order. `folder` is where the answers are stored as files; empty in a class.
 */
export interface Course {
  folder: string;
  language: string;
  lessons: Card[];
  title: string;
}
/**
 * Server to page: Python has ended; all names are lost.
 */
export interface Died {
  message: string;
  type: "died";
}
/**
 * Store the text of a cell. `base` is the text that the page loaded or stored last.
 */
export interface Draft {
  base?: string | null;
  code: string;
  key: string;
}
/**
 * Server to page: a cell has ended. `note` has further information, such as that output was left out.
 */
export interface Finished {
  key: string;
  note?: string;
  seconds?: number;
  status: "ok" | "failed" | "interrupted" | "skipped";
  trouble?: Trouble | null;
  type: "finished";
}
/**
 * Answer a question; without a number, only reveal it.
 */
export interface Guess {
  guess?: number | null;
}
/**
 * Page to server: stop what runs.
 */
export interface Interrupt {
  type: "interrupt";
}
/**
 * A lesson with the learner's progress.
 *
 * `view` is part of the explorer's address, without the run; `look` says what to see.
 */
export interface Lesson {
  card: Card;
  cells: (Text | Code | Exercise | Question)[];
  look?: string | null;
  next?: Card | null;
  /**
   * the next lesson of the fast track, from one that is part of it
   */
  next_fast?: Card | null;
  previous?: Card | null;
  view?: string | null;
}
/**
 * Markdown, with formulas between dollar signs.
 */
export interface Text {
  key: string;
  kind: "text";
  markdown: string;
}
/**
 * A question: a number to guess before the next cell computes it. `plays` names its graph.
 */
export interface Question {
  id: string;
  key: string;
  kind: "question";
  markdown: string;
  plays?: string;
  revealed?: Revealed | null;
}
/**
 * The answer to a question, after the guess.
 *
 * `fits`: whether the guess was close enough; None if there was no guess.
 */
export interface Revealed {
  answer: number;
  fits: boolean | null;
  guess: number | null;
  markdown: string;
  within: number;
}
/**
 * Server to page: a cell printed something.
 */
export interface Output {
  key: string;
  text: string;
  type: "output";
}
/**
 * Server to page: the run in the explorer that records this Python; None before the first cell.
 *
 * Another run than before means a new Python without any names.
 */
export interface Ready {
  run?: string | null;
  type: "ready";
}
/**
 * Server to page: a request that could not be done, and why.
 */
export interface Refused {
  message: string;
  type: "refused";
}
/**
 * Page to server: end Python and start it again; all names are lost.
 */
export interface Restart {
  type: "restart";
}
/**
 * Page to server: run these cells, one after another, until one fails. `fresh` starts a new Python before.
 */
export interface RunCells {
  cells: Draft[];
  fresh?: boolean;
  type: "run";
}
/**
 * Server to page: this cell runs now.
 */
export interface Started {
  key: string;
  type: "started";
}
