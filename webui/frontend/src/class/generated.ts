/* Generated from minigrad_webui.classroom.protocol by `npm run protocol`. Do not edit. */

/**
 * Everything that is sent; only here so that one file holds all types.
 */
export interface Wire {
  Ask?: Ask;
  Column?: Column;
  Door?: Door;
  Feedback?: Feedback;
  FeedbackWork?: FeedbackWork;
  Group?: Group;
  Hint?: Hint;
  Join?: Join;
  Joined?: Joined;
  Mark?: Mark;
  Me?: Me;
  Projected?: Projected;
  Pupil?: Pupil;
  Row?: Row;
  Rule?: Rule;
  Said?: Said;
  Screen?: Screen;
  Square?: Square;
  Tried?: Tried;
  Wall?: Wall;
  Work?: Work;
}
/**
 * A pupil asks for help. An empty text withdraws the question.
 */
export interface Ask {
  text: string;
}
/**
 * An exercise: one column of the wall.
 */
export interface Column {
  id: string;
  lesson: string;
  slug: string;
}
/**
 * What a visitor without a name may know.
 */
export interface Door {
  title: string;
}
/**
 * The feedback for a pupil at the end.
 */
export interface Feedback {
  comment: string;
  name: string;
  of: number;
  points: number;
  title: string;
  work: FeedbackWork[];
}
/**
 * One exercise, with a solution if it was passed or handed in.
 */
export interface FeedbackWork {
  code: string;
  id: string;
  lesson: string;
  message: string;
  passed: boolean;
  solution: string | null;
  translations: {
    [k: string]: string;
  };
  tries: number;
}
/**
 * Pupils whose last answer to an exercise gives the same results as one known wrong answer.
 */
export interface Group {
  column: number;
  mistake: string;
  pupils: number[];
  /**
   * the median of their tries
   */
  tries: number;
}
/**
 * A message to some pupils about an exercise.
 */
export interface Hint {
  exercise?: string;
  /**
   * @maxItems 200
   */
  pupils: number[];
  text: string;
}
/**
 * A pupil joins.
 */
export interface Join {
  code: string;
  name: string;
}
/**
 * The address of the pupil's lesson.
 */
export interface Joined {
  page: string;
}
/**
 * The teacher's mark for a pupil. With `points` None, the passed exercises are counted.
 */
export interface Mark {
  comment?: string;
  points?: number | null;
}
/**
 * The class as one pupil sees it. `left` is the seconds to the deadline; `asks` is the pupil's question.
 */
export interface Me {
  asks: string;
  /**
   * why nothing can be run or checked now; empty where it can
   */
  closed: string;
  frozen: boolean;
  handed_in: boolean;
  left: number | null;
  name: string;
  title: string;
  words: Said[];
}
/**
 * A message of the teacher.
 */
export interface Said {
  exercise: string;
  number: number;
  text: string;
}
/**
 * What the projector shows.
 *
 * `pupil` and `run` lead to a graph, `message` is a verdict to animate; no name is shown.
 */
export interface Projected {
  code?: string;
  message?: string;
  original?: string;
  plays?: string;
  pupil?: number | null;
  run?: string | null;
  text?: string;
  title: string;
  translations?: {
    [k: string]: string;
  };
}
/**
 * One pupil's page for the teacher. `run` is the newest run that shows something.
 *
 * `points` count the exercises that passed, unless points were `given`.
 */
export interface Pupil {
  comment: string;
  given: boolean;
  id: number;
  name: string;
  points: number;
  run: string | null;
  words: Said[];
  work: Work[];
}
/**
 * One pupil's work at one exercise: the current text, and all checked answers, newest first.
 *
 * `original` is the lesson's text, and `plays` the graph that the exercise is about.
 */
export interface Work {
  code: string;
  hints: number;
  id: string;
  original: string;
  passed: boolean;
  plays: string;
  slug: string;
  tried: Tried[];
}
/**
 * An answer that was checked, `ago` seconds before.
 */
export interface Tried {
  ago: number;
  code: string;
  message: string;
  result: string;
  translations: {
    [k: string]: string;
  };
}
/**
 * One pupil: one row of the wall. `idle` is the seconds since the pupil did anything.
 */
export interface Row {
  asks: string;
  handed_in: boolean;
  id: number;
  idle: number;
  name: string;
  points: number;
  squares: Square[];
}
/**
 * One pupil at one exercise. `tries` counts the checked answers up to the first right one.
 */
export interface Square {
  mistake: string;
  state: "none" | "working" | "stuck" | "solved";
  tries: number;
}
/**
 * A setting for all pupils: whether work is frozen, and in how many minutes it ends (None: never).
 */
export interface Rule {
  endless?: boolean;
  frozen?: boolean | null;
  minutes?: number | null;
}
/**
 * The projector: what it shows, or, if it shows nothing, how to join the class.
 */
export interface Screen {
  address: string;
  code: string;
  frozen: boolean;
  joined: number;
  left: number | null;
  shown: Projected | null;
  /**
   * by how many pupils each exercise is solved
   */
  solved: number[];
  title: string;
}
/**
 * All that the teacher sees at once.
 */
export interface Wall {
  address: string;
  code: string;
  columns: Column[];
  frozen: boolean;
  groups: Group[];
  left: number | null;
  minutes: number;
  rows: Row[];
  shown: Projected | null;
  title: string;
  /**
   * by language, the mistakes that are translated
   */
  translations: {
    [k: string]: {
      [k: string]: string;
    };
  };
  /**
   * the read-only address of the projector
   */
  viewer: string;
}
