"""A lesson in another language. Its texts and the words of its verdicts are translated; its code is unchanged.

A translation is a file of the same name in a folder named after the language, `lessons/de/02-gradients-add-up.py`. It
has a header with the translated title, goal and explorer, and one text cell for each text and sentence it translates:

    # %% [markdown] of="3fa29c"
    # ## Ein Wert, der zweimal gebraucht wird

    # %% [markdown] tags=["wrong"] id="two-ways" of="2cfd27"
    # Du lässt `grad` weg, den Gradienten, der ankam.

    # %% [markdown] tags=["check"] id="uses" of="b693cb"
    # die Summe aller Anzahlen in `uses` für einen Wert, der {height}-mal verdoppelt wurde

`of` is the `fingerprint` of the text that is translated. So the order of the cells does not matter, and when the
original is changed, its translation no longer fits: learners get the original text until the translation is updated.
`template` writes a file to begin with, and `problems` says what is missing or out of date.

The judge itself uses English, so that equal mistakes are counted together and pictures can be drawn from its
messages. `retold` translates a message into the language of a translated lesson.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from typing import NamedTuple

from .lesson import Cell, Lesson, LessonError, parse_parts, sentence_of
from .phrases import phrases, translation_of

TRANSLATED = ("title", "goal", "explorer")
"""The keys of a header that are translated."""

BEFORE = "not yet: "
"""The beginning of a message about a wrong answer."""

ROW = re.compile(r"(?P<start> {2}(?:called|expected) +| {13}where \w+: )(?P<text>.*)")
"""A line of a message with words of the check: what was called, what was expected, what a function does."""


def fingerprint(text: str) -> str:
    """A short hash of a text (six hexadecimal digits), by which a translation refers to its original.

    >>> fingerprint("Hello.")
    '2d8bd7'
    """
    return hashlib.sha256(text.encode()).hexdigest()[:6]


def translated(lesson: Lesson, translation: str) -> Lesson:
    """The lesson with the texts that the translation has. Raises LessonError if the translation is malformed."""
    header, known = _read(translation)
    words = {key: header[key] for key in TRANSLATED if header.get(key)}
    cells = [_replaced(cell, known.get(fingerprint(cell.text))) for cell in lesson.cells]
    told = {each.text: known[key].replace("\n", " ") for key, each in _sentences(lesson).items() if key in known}
    return replace(lesson, header={**lesson.header, **words}, cells=cells, sentences=told)


def retold(message: str, lesson: Lesson, exercise: str) -> str:
    """Translate the words of a verdict that come from the lesson into the language of that lesson.

    These are the sentence of a known mistake, the words of the check's own expectations, and the words of a call. What
    has no translation is unchanged.
    """
    first, *rest = message.split("\n")
    if not lesson.sentences or not first.startswith(BEFORE):
        return message
    words = first.removeprefix(BEFORE)
    own = [phrase for check in lesson.find("check", exercise) for phrase in phrases(check.text)]
    known = {phrase: lesson.sentences[phrase] for phrase in own if phrase in lesson.sentences}
    lines = [BEFORE + (lesson.sentences.get(words) or translation_of(words, known))]
    for line in rest:
        row = ROW.fullmatch(line)
        lines.append(row["start"] + translation_of(row["text"], known) if row else line)
    return "\n".join(lines)


def _replaced(cell: Cell, text: str | None) -> Cell:
    return cell if text is None or cell.kind != "markdown" else replace(cell, text=text)


def _read(translation: str) -> tuple[dict[str, str], dict[str, str]]:
    """The header of a translation, and its texts by the fingerprints of their originals."""
    header, cells = parse_parts(translation)
    known = {}
    for cell in cells:
        if cell.kind != "markdown" or not cell.of:
            raise LessonError(f'line {cell.line}: a translation holds text cells only: # %% [markdown] of="3fa29c"')
        known[cell.of] = cell.text
    return header, known


class _Sentence(NamedTuple):
    """A sentence of a lesson for verdicts, and where it is."""

    text: str
    tag: str
    exercise: str
    place: str


def _sentences(lesson: Lesson) -> dict[str, _Sentence]:
    """The sentences of the known wrong answers and the phrases of the checks, once each, by fingerprint."""
    wrong = [
        _Sentence(sentence_of(each), "wrong", each.id, f"the sentence of line {each.line} of the wrong answers")
        for each in lesson.mistakes
    ]
    checks = [
        _Sentence(phrase, "check", each.id, f"{phrase!r} in the check of line {each.line}")
        for each in lesson.cells
        if each.tag == "check"
        for phrase in phrases(each.text)
    ]
    found: dict[str, _Sentence] = {}
    for each in (*wrong, *checks):
        found.setdefault(fingerprint(each.text), each)
    return found


def problems(lesson: Lesson, translation: str) -> list[str]:
    """The translator's tasks: texts without translation, and translations whose original has changed or is gone."""
    header, known = _read(translation)
    texts = {fingerprint(cell.text): cell for cell in lesson.cells if cell.kind == "markdown"}
    sentences = _sentences(lesson)
    missing = [f"the header lacks {key}" for key in TRANSLATED if key in lesson.header and not header.get(key)]
    missing += [
        f'the text of line {cell.line} is not translated: of="{key}"' for key, cell in texts.items() if key not in known
    ]
    missing += [f'{each.place} is not translated: of="{key}"' for key, each in sentences.items() if key not in known]
    gone = [key for key in known if key not in texts and key not in sentences]
    return missing + [f'of="{key}" is no text of the lesson any more' for key in gone]


def template(lesson: Lesson) -> str:
    """A translation to fill in: every text and every sentence of the original, once."""
    lines = ["# ---", *(f"# {key}: {lesson.header[key]}" for key in TRANSLATED if key in lesson.header), "# ---", ""]
    texts = {fingerprint(cell.text): cell.text for cell in lesson.cells if cell.kind == "markdown"}
    for key, text in texts.items():
        body = [f"# {line}".rstrip() for line in text.split("\n")]
        lines += [f'# %% [markdown] of="{key}"', *body, ""]
    for key, each in _sentences(lesson).items():
        lines += [f'# %% [markdown] tags=["{each.tag}"] id="{each.exercise}" of="{key}"', f"# {each.text}", ""]
    return "\n".join(lines)
