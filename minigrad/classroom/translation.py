"""A lesson in another language: only its texts are translated, and the sentences of its known wrong answers.

A translation is a file of the same name in a folder named after the language, `lessons/de/02-gradients-add-up.py`. It
has a header with the translated title, goal and explorer, and one text cell for each text and sentence it translates:

    # %% [markdown] of="3fa29c"
    # ## Ein Wert, der zweimal gebraucht wird

    # %% [markdown] tags=["wrong"] id="two-ways" of="2cfd27"
    # Du lässt `grad` weg, den Gradienten, der ankam.

`of` is the `fingerprint` of the text that is translated. So the order of the cells does not matter, and when the
original is changed, its translation no longer fits: learners get the original there until somebody has looked at it.
`template` writes a file to begin with, and `problems` says what is missing or out of date.

The judge itself speaks English, so that all who make a mistake are told, and counted, as one. `retold` translates its
message on the way to the learner.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace

from .lesson import Cell, Lesson, LessonError, parse_parts, sentence_of

TRANSLATED = ("title", "goal", "explorer")
"""The keys of a header that are words."""

BEFORE = "not yet: "
"""The beginning of a message about a wrong answer."""


def fingerprint(text: str) -> str:
    """Six letters that change when the text does.

    >>> fingerprint("Hello.")
    '2d8bd7'
    """
    return hashlib.sha256(text.encode()).hexdigest()[:6]


def translated(lesson: Lesson, translation: str) -> Lesson:
    """The lesson with those texts that the translation has; LessonError where that is malformed."""
    header, known = _read(translation)
    words = {key: header[key] for key in TRANSLATED if header.get(key)}
    cells = [_replaced(cell, known.get(fingerprint(cell.text))) for cell in lesson.cells]
    told = {
        sentence: known[key].replace("\n", " ") for key, (sentence, _) in _sentences(lesson).items() if key in known
    }
    return replace(lesson, header={**lesson.header, **words}, cells=cells, sentences=told)


def retold(message: str, sentences: Mapping[str, str]) -> str:
    """A verdict's message with the sentence of a known mistake translated; as it is where that has no translation.

    >>> print(retold("not yet: You square it.\\n  called     double(3)", {"You square it.": "Du quadrierst es."}))
    not yet: Du quadrierst es.
      called     double(3)
    """
    first, *rest = message.split("\n")
    translation = sentences.get(first.removeprefix(BEFORE))
    return message if translation is None else "\n".join([BEFORE + translation, *rest])


def _replaced(cell: Cell, text: str | None) -> Cell:
    return cell if text is None or cell.kind != "markdown" else replace(cell, text=text)


def _read(translation: str) -> tuple[dict[str, str], dict[str, str]]:
    """The header, and the texts by the fingerprints of what they translate."""
    header, cells = parse_parts(translation)
    known = {}
    for cell in cells:
        if cell.kind != "markdown" or not cell.of:
            raise LessonError(f'line {cell.line}: a translation holds text cells only: # %% [markdown] of="3fa29c"')
        known[cell.of] = cell.text
    return header, known


def _sentences(lesson: Lesson) -> dict[str, tuple[str, Cell]]:
    """The sentences of the known wrong answers by their fingerprints, each with the first answer that has it."""
    found: dict[str, tuple[str, Cell]] = {}
    for mistake in lesson.mistakes:
        sentence = sentence_of(mistake)
        found.setdefault(fingerprint(sentence), (sentence, mistake))
    return found


def problems(lesson: Lesson, translation: str) -> list[str]:
    """The author's tasks: texts that are not translated, and translations whose text has changed or gone."""
    header, known = _read(translation)
    texts = {fingerprint(cell.text): cell for cell in lesson.cells if cell.kind == "markdown"}
    sentences = _sentences(lesson)
    missing = [f"the header lacks {key}" for key in TRANSLATED if key in lesson.header and not header.get(key)]
    missing += [
        f'the text of line {cell.line} is not translated: of="{key}"' for key, cell in texts.items() if key not in known
    ]
    missing += [
        f'the sentence of line {mistake.line} of the wrong answers is not translated: of="{key}"'
        for key, (_, mistake) in sentences.items()
        if key not in known
    ]
    gone = [key for key in known if key not in texts and key not in sentences]
    return missing + [f'of="{key}" is no text of the lesson any more' for key in gone]


def template(lesson: Lesson) -> str:
    """A translation to fill in: every text and every sentence once, as it is in the original."""
    lines = ["# ---", *(f"# {key}: {lesson.header[key]}" for key in TRANSLATED if key in lesson.header), "# ---", ""]
    texts = {fingerprint(cell.text): cell.text for cell in lesson.cells if cell.kind == "markdown"}
    for key, text in texts.items():
        body = [f"# {line}".rstrip() for line in text.split("\n")]
        lines += [f'# %% [markdown] of="{key}"', *body, ""]
    for key, (sentence, mistake) in _sentences(lesson).items():
        lines += [f'# %% [markdown] tags=["wrong"] id="{mistake.id}" of="{key}"', f"# {sentence}", ""]
    return "\n".join(lines)
