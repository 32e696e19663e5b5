"""A lesson is one Python file: a script, a notebook in the percent format, and the source of a checked lesson.

    # ---
    # title: One number, one slope              the header: `key: value` lines
    # ---
    # %% [markdown]                             text, each line a comment
    # %%                                        code
    # %% tags=["exercise"] id="double"          code with solution regions, which a learner fills in
    # %% [markdown] tags=["hint"] id="double"   a hint for the exercise of that id
    # %% tags=["check"] id="double"             code that raises if the exercise is not solved
    # %% [markdown] tags=["predict"] id="slope-at-2" answer="1.26" within="0.01"
                                                a question to guess; below a line `---`, the text revealed afterwards.
                                                The answer is a number that the next code cell prints

`lessons/HOW_TO_WRITE_A_LESSON.md` says how to fill it.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from ..errors import MinigradError

Tag = Literal["", "exercise", "hint", "check", "predict", "wrong"]

BEGIN = "### BEGIN SOLUTION"
END = "### END SOLUTION"
PLACEHOLDER = "...  # your code here"
"""The placeholder that a learner gets instead of a solution."""

REQUIRED = ("title", "goal", "minutes", "seconds")
"""The keys of every header. A learner takes `minutes`; the whole file runs in `seconds`.

Two more keys are about the graph: `explorer` says in a sentence what to look at, and `view` is what stands after the #
in the explorer's address, without the run: `view: way=1&tree=1`.
"""

REVEAL = "---"
"""The line between a question to guess at and what is revealed after the guess."""

MARKER = re.compile(r"# %%(?P<markdown> \[markdown\])?(?P<options>( \w+=(\[[^\]]*\]|\"[^\"]*\"))*) *")
OPTION = re.compile(r" (\w+)=(\[[^\]]*\]|\"[^\"]*\")")


class LessonError(MinigradError, ValueError):
    """The file is not a lesson. The message has the line, what was found there, and what was expected."""


@dataclass(frozen=True)
class Cell:
    """A piece of a lesson. `text` is its code, or its Markdown without the comment signs."""

    kind: Literal["code", "markdown"]
    text: str
    line: int
    """The line of its marker in the file, from 1."""
    tag: Tag = ""
    id: str = ""
    """The exercise that an exercise, a hint or a check belongs to, or the prediction's own."""
    answer: float | None = None
    """The number to predict."""
    within: float = 0.0
    """The largest allowed error of a guess."""
    plays: str = ""
    """The graph that an exercise or prediction is about, which the page animates after a verdict."""
    of: str = ""
    """In a translation, the fingerprint of the original text."""

    @property
    def question(self) -> str:
        """The part of the text before the guess."""
        return self._parts[0]

    @property
    def reveal(self) -> str:
        """The part of the text after the guess; empty except in a prediction."""
        return self._parts[1]

    @property
    def _parts(self) -> tuple[str, str]:
        lines = self.text.split("\n")
        if self.tag != "predict":
            return self.text, ""
        at = lines.index(REVEAL)
        return "\n".join(lines[:at]).strip("\n"), "\n".join(lines[at + 1 :]).strip("\n")

    def fits(self, guess: float) -> bool:
        """Whether a guess is close enough to the answer. Differences from rounding are always allowed."""
        return self.answer is not None and math.isclose(
            guess, self.answer, rel_tol=1e-9, abs_tol=self.within * (1 + 1e-9)
        )


@dataclass(frozen=True)
class Lesson:
    """A parsed lesson."""

    header: Mapping[str, str]
    cells: Sequence[Cell]
    mistakes: Sequence[Cell] = ()
    """Known wrong answers, each with the sentence that learners get who answer so; `with_mistakes` reads them."""
    sentences: Mapping[str, str] = field(default_factory=dict)
    """In a translated lesson, the translations of those sentences and of the checks' phrases, by the original."""

    @property
    def exercises(self) -> list[str]:
        """The ids of the exercises, in the lesson's order."""
        return [cell.id for cell in self.cells if cell.tag == "exercise"]

    @property
    def predictions(self) -> list[str]:
        """The ids of the predictions, in the lesson's order."""
        return [cell.id for cell in self.cells if cell.tag == "predict"]

    def find(self, tag: Tag, id: str) -> list[Cell]:
        """The cells with this tag and id: an exercise, its hints, its checks, or a prediction."""
        return [cell for cell in self.cells if cell.tag == tag and cell.id == id]


def parse(source: str) -> Lesson:
    r"""Parse the header and cells of a lesson. Raises LessonError if they are missing or malformed.

    >>> lesson = parse('# ---\n# title: T\n# goal: G\n# minutes: 5\n# seconds: 1\n# ---\n# %% [markdown]\n# Hello.\n')
    >>> lesson.header["title"], lesson.cells[0].text
    ('T', 'Hello.')
    """
    header, cells = parse_parts(source)
    missing = [key for key in REQUIRED if not header.get(key)]
    if missing:
        raise LessonError(f"line 1: the header lacks {', '.join(missing)}")
    for key in ("minutes", "seconds"):
        if not header[key].isdecimal():
            raise LessonError(f"line 1: the header's {key} are a whole number, not {header[key]!r}")
    return Lesson(header, cells)


def with_mistakes(lesson: Lesson, source: str) -> Lesson:
    """The lesson with the known wrong answers of the file `source`. Raises LessonError if one is malformed.

    Each is a cell tagged `wrong`, with the id of its exercise. Its first lines are comments: the sentence for learners
    who answer so.
    """
    _, cells = parse_parts(source)
    for cell in cells:
        if cell.tag != "wrong" or not sentence_of(cell):
            what = '# %% tags=["wrong"] id="double", then a sentence in comments, then a wrong answer'
            raise LessonError(f"line {cell.line}: a file of wrong answers holds cells of this kind only: {what}")
        if cell.id not in lesson.exercises:
            raise LessonError(f"line {cell.line}: the lesson has no exercise {cell.id!r}")
    return replace(lesson, mistakes=cells)


def sentence_of(mistake: Cell) -> str:
    """The sentence for learners who give this wrong answer.

    >>> sentence_of(Cell("code", "# You add.\\n# Multiply.\\ndef double(x): ...", 1, "wrong", "double"))
    'You add. Multiply.'
    """
    lines = mistake.text.split("\n")
    return " ".join(line.lstrip("# ") for line in itertools.takewhile(lambda line: line.startswith("#"), lines))


def parse_parts(source: str) -> tuple[dict[str, str], list[Cell]]:
    """The header, without checking its keys, and the cells."""
    lines = source.splitlines()
    header, at = _header(lines)
    starts = [number for number in range(at, len(lines)) if lines[number].startswith("# %%")]
    stray = [number for number in range(at, starts[0] if starts else len(lines)) if lines[number].strip()]
    if stray:
        raise LessonError(f"line {stray[0] + 1}: {lines[stray[0]]!r} stands before the first cell, which begins # %%")
    ends = [*starts[1:], len(lines)][: len(starts)]
    return header, [_cell(lines, start, end) for start, end in zip(starts, ends, strict=True)]


def _header(lines: Sequence[str]) -> tuple[dict[str, str], int]:
    """The header, and the index of the line after it."""
    try:
        first = lines.index("# ---")
        last = lines.index("# ---", first + 1)
    except ValueError:
        raise LessonError("line 1: a lesson begins with a header between two lines `# ---`; there is none") from None
    header = {}
    for number in range(first + 1, last):
        key, colon, value = lines[number].removeprefix("# ").partition(": ")
        if not colon:
            raise LessonError(f"line {number + 1}: the header holds `# key: value`, not {lines[number]!r}")
        header[key] = value.strip()
    return header, last + 1


def _cell(lines: Sequence[str], start: int, end: int) -> Cell:
    marker = MARKER.fullmatch(lines[start])
    if marker is None:
        raise LessonError(f'line {start + 1}: {lines[start]!r} is no marker such as # %% tags=["check"] id="double"')
    options = {key: json.loads(value) for key, value in OPTION.findall(marker["options"])}
    body = lines[start + 1 : end]
    if marker["markdown"]:
        text = "\n".join(_uncommented(line, start + 1 + offset) for offset, line in enumerate(body, 1))
    else:
        text = "\n".join(body)
    tag, id = _tag(options, start + 1)
    cell = Cell(
        "markdown" if marker["markdown"] else "code",
        text.strip("\n"),
        start + 1,
        tag,
        id,
        plays=str(options.get("plays", "")),
        of=str(options.get("of", "")),
    )
    return cell if tag != "predict" else _prediction(cell, options)


def _tag(options: Mapping[str, object], line: int) -> tuple[Tag, str]:
    tags, id = options.get("tags", []), options.get("id", "")
    known: Sequence[Tag] = ("exercise", "hint", "check", "predict", "wrong")
    tag = next((tag for tag in known if tags == [tag]), None)
    if (tag is None) != (not tags) or (tag is None) != (not id):
        raise LessonError(f"line {line}: a tagged cell has one tag of {', '.join(known)}, and an id; not {options}")
    return tag or "", str(id)


def _prediction(cell: Cell, options: Mapping[str, object]) -> Cell:
    """The prediction cell with its answer."""
    if cell.kind != "markdown" or cell.text.split("\n").count(REVEAL) != 1:
        what = f"text: a question, a line `# {REVEAL}`, and what is revealed after the guess"
        raise LessonError(f"line {cell.line}: the prediction {cell.id!r} must be {what}")
    try:
        answer, within = float(str(options["answer"])), float(str(options.get("within", "0")))
    except (KeyError, ValueError):
        raise LessonError(
            f'line {cell.line}: the prediction {cell.id!r} needs a number as its answer: answer="1.26" within="0.01"'
        ) from None
    return replace(cell, answer=answer, within=within)


def _uncommented(line: str, number: int) -> str:
    if line.strip() and not line.startswith("#"):
        raise LessonError(f"line {number}: text is written in comments, each line after a #; here stands {line!r}")
    return line.removeprefix("#").removeprefix(" ")


def blank(source: str) -> str:
    r"""The lesson as a learner gets it: a placeholder replaces each solution region.

    >>> print(blank("def double(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION"))
    def double(x):
        ...  # your code here
    """
    kept = []
    began = 0
    for number, line in enumerate(source.split("\n"), 1):
        word = line.strip()
        if word == (END if not began else BEGIN):
            raise LessonError(f"line {number}: {word!r} without the other mark before it")
        if word == BEGIN:
            began = number
            kept.append(line.replace(BEGIN, PLACEHOLDER))
        elif word == END:
            began = 0
        elif not began:
            kept.append(line)
    if began:
        raise LessonError(f"line {began}: {BEGIN!r} has no {END!r}")
    return "\n".join(kept)
