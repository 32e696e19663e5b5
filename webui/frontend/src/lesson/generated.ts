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
 * Server to page: what an earlier Python came to, perhaps on another day. `run` has recorded it, if it is kept.
 */
export interface Before {
  results?: Result[];
  run?: string | null;
  type: "before";
  verdicts?: Judged[];
}
/**
 * The result of a cell's last run; `code` is the text that ran.
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
 * A lesson in the list. `touched`: something of it was answered or edited.
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
 * Server to page: the outcome of a check; `exercise` is how it stands now.
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
 * A cell to be written. `hints` are those that were asked for, the last of all is a solution.
 *
 * `solution` and `check` come once it is passed. `plays` tells the graph on which a verdict is played.
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
 * A cell to run. `original` is what the lesson gives, `code` what the learner has made of it.
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
 * All lessons in their order. `folder` is where the answers are kept, as plain files; empty in a class.
 */
export interface Course {
  folder: string;
  language: string;
  lessons: Card[];
  title: string;
}
/**
 * Server to page: Python has ended; all that was computed is gone.
 */
export interface Died {
  message: string;
  type: "died";
}
/**
 * Keep what the learner wrote in a cell. `base` is the text that the page has found there, or kept last.
 */
export interface Draft {
  base?: string | null;
  code: string;
  key: string;
}
/**
 * Server to page: a cell has ended. `note` says what the learner must know besides, such as output left out.
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
 * A lesson as the learner stands in it. `view` is the explorer's address, without the run; `look` says for what.
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
 * Predict, then reveal: a number to guess before the next cell computes it; `plays` tells its graph.
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
 * A question after the guess. `fits`: the guess was near enough; None: there was no guess.
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
 * Another run than before means another Python, which knows nothing yet.
 */
export interface Ready {
  run?: string | null;
  type: "ready";
}
/**
 * Server to page: this could not be done, and why.
 */
export interface Refused {
  message: string;
  type: "refused";
}
/**
 * Page to server: end Python and start it anew; all that was computed is forgotten.
 */
export interface Restart {
  type: "restart";
}
/**
 * Page to server: run these cells, one after another, until one fails. `fresh` starts Python anew before.
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
