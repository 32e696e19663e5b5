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
 * A pupil asks for help; an empty text takes it back.
 */
export interface Ask {
  text: string;
}
/**
 * An exercise.
 */
export interface Column {
  id: string;
  lesson: string;
  slug: string;
}
/**
 * The facts for a visitor without a name.
 */
export interface Door {
  title: string;
}
/**
 * The feedback that a pupil gets in the end.
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
 * One exercise, with a solution once it passed or was handed in.
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
 * Pupils whose last answer to an exercise gives just what a known wrong answer gives.
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
 * A word to some pupils about an exercise.
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
 * A pupil comes in.
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
 * The teacher's mark for a pupil; points None counts the exercises that passed.
 */
export interface Mark {
  comment?: string;
  points?: number | null;
}
/**
 * The class as one pupil sees it. `left` are the seconds to the deadline; `asks` is what the pupil has asked.
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
 * A word of the teacher.
 */
export interface Said {
  exercise: string;
  number: number;
  text: string;
}
/**
 * The projector's subject. `pupil` and `run` lead to a graph, `message` is a verdict to play; no name is shown.
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
 * One pupil, as the teacher opens them. `run` is the newest one with something to see.
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
 * One pupil's work at one exercise: the text as it stands, and all that was checked, the newest first.
 *
 * `original` is what the lesson gives, and `plays` the graph that the exercise is about.
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
 * An answer that was checked. `ago` in seconds.
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
 * One pupil. `idle` are the seconds since anything was done.
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
 * One pupil at one exercise. `tries` are the answers that were checked up to the first right one.
 */
export interface Square {
  mistake: string;
  state: "none" | "working" | "stuck" | "solved";
  tries: number;
}
/**
 * The setting for all: whether work stands still, and in how many minutes it ends (none where that is None).
 */
export interface Rule {
  endless?: boolean;
  frozen?: boolean | null;
  minutes?: number | null;
}
/**
 * The projector: what it shows, or the way into the class where it shows nothing.
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
 * All the teacher sees at once.
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
