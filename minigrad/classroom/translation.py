"""A lesson in another language: only its texts are translated; the code stays in the one source.

A translation is a file of the same name in a folder named after the language, `lessons/de/02-gradients-add-up.py`. It
has a header with the translated title, goal and explorer, and one text cell for each that it translates:

    # %% [markdown] of="3fa29c"
    # ## Ein Wert, der zweimal gebraucht wird

`of` is the `fingerprint` of the text that is translated. So the order of the cells does not matter, and when the
original is changed, its translation no longer fits: learners get the original there until somebody has looked at it.
`template` writes a file to begin with, and `problems` says what is missing or out of date.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

from .lesson import Cell, Lesson, LessonError, parse_parts

TRANSLATED = ("title", "goal", "explorer")
"""The keys of a header that are words."""


def fingerprint(text: str) -> str:
    """Six letters that change when the text does.

    >>> fingerprint("Hello.")
    '2d8bd7'
    """
    return hashlib.sha256(text.encode()).hexdigest()[:6]


def translated(lesson: Lesson, translation: str) -> Lesson:
    """The lesson with those texts that the translation has; LessonError where that is malformed."""
    header, known = _read(translation)
    cells = [_replaced(cell, known.get(fingerprint(cell.text))) for cell in lesson.cells]
    return Lesson({**lesson.header, **{key: header[key] for key in TRANSLATED if header.get(key)}}, cells)


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


def problems(lesson: Lesson, translation: str) -> list[str]:
    """The author's tasks: texts that are not translated, and translations whose text has changed or gone."""
    header, known = _read(translation)
    texts = {fingerprint(cell.text): cell for cell in lesson.cells if cell.kind == "markdown"}
    missing = [f"the header lacks {key}" for key in TRANSLATED if key in lesson.header and not header.get(key)]
    missing += [
        f'the text of line {cell.line} is not translated: of="{key}"' for key, cell in texts.items() if key not in known
    ]
    return missing + [f'of="{key}" is no text of the lesson any more' for key in known if key not in texts]


def template(lesson: Lesson) -> str:
    """A translation to fill in: every text once, as it is in the original."""
    lines = ["# ---", *(f"# {key}: {lesson.header[key]}" for key in TRANSLATED if key in lesson.header), "# ---", ""]
    texts = {fingerprint(cell.text): cell.text for cell in lesson.cells if cell.kind == "markdown"}
    for key, text in texts.items():
        body = [f"# {line}".rstrip() for line in text.split("\n")]
        lines += [f'# %% [markdown] of="{key}"', *body, ""]
    return "\n".join(lines)
