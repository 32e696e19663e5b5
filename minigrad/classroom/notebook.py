"""A lesson as a Jupyter notebook, format 4.5: for Jupyter, VS Code and other programs that open `.ipynb`.

Hints and the answers of predictions are folded. Exercises and checks have nbgrader's marks, so that nbgrader can hand
them out and grade them, and minigrad's own, by which `answers` finds them even if cells were moved.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .lesson import Cell, Lesson, blank

TOLD = re.compile(r"^(\s*print\(.*\)) {2,}# .*$", re.MULTILINE)
"""A print, with a comment that shows its output."""

NBGRADER = {"schema_version": 3, "solution": False, "grade": False, "locked": False, "task": False}

WATCH = """\
*To see the graph live while you work, run `import minigrad as mg; mg.watch()` in a cell of its own. `minigrad lesson
open {number}` shows this lesson beside it.*"""


def notebook(lesson: Lesson, solved: bool = True, number: int | str = "N") -> dict[str, Any]:
    """The notebook as data for JSON; with `solved=False`, as a learner gets it.

    >>> from minigrad.classroom import load_course
    >>> made = notebook(load_course().find(1).read())
    >>> made["nbformat"], made["nbformat_minor"], made["cells"][0]["cell_type"]
    (4, 5, 'markdown')
    """
    cells = []
    hints: dict[str, int] = {}
    guessing = False
    for at, cell in enumerate(lesson.cells):
        if cell.tag == "hint":
            hints[cell.id] = hints.get(cell.id, 0) + 1
        source = _source(cell, solved, hints.get(cell.id, 0))
        if guessing and not solved and cell.kind == "code":
            source = TOLD.sub(r"\1", source)
        guessing = cell.tag == "predict" or (guessing and cell.kind != "code")
        cells.append(_cell(cell, source, _id(cell, at, hints.get(cell.id, 0))))
    cells.insert(1, _cell(Cell("markdown", "", 0), WATCH.format(number=number), "watch"))
    return {"cells": cells, "metadata": _metadata(lesson), "nbformat": 4, "nbformat_minor": 5}


def _source(cell: Cell, solved: bool, hint: int) -> str:
    if cell.tag == "predict":
        return f"{cell.question}\n\n{_folded('Guess first, then look', cell.reveal)}"
    if cell.tag == "hint":
        return _folded(f"Hint {hint}", cell.text)
    return cell.text if solved or cell.tag != "exercise" else blank(cell.text)


def _folded(title: str, text: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"


def _id(cell: Cell, at: int, hint: int) -> str:
    """A unique cell id of at most 64 letters, digits, - and _."""
    named = f"{cell.tag}-{cell.id}" + (f"-{hint}" if cell.tag == "hint" else "") if cell.tag else f"cell-{at}"
    plain = re.sub(r"[^A-Za-z0-9_-]", "-", named)
    return (
        plain if plain == named and len(plain) <= 64 else f"cell-{at}-{hashlib.sha256(named.encode()).hexdigest()[:8]}"
    )


def _cell(cell: Cell, source: str, id: str) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    if cell.tag:
        metadata["minigrad"] = {"tag": cell.tag, "id": cell.id}
    if cell.tag == "exercise":
        metadata["nbgrader"] = {**NBGRADER, "solution": True, "grade_id": id}
    if cell.tag == "check":
        metadata["nbgrader"] = {**NBGRADER, "grade": True, "locked": True, "points": 1, "grade_id": id}
    made: dict[str, Any] = {"cell_type": cell.kind, "id": id, "metadata": metadata, "source": _lines(source)}
    return made | ({"execution_count": None, "outputs": []} if cell.kind == "code" else {})


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _metadata(lesson: Lesson) -> dict[str, Any]:
    return {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "title": lesson.header["title"],
    }


def code_cells(text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The sources of a notebook's code cells, with minigrad's marks on them. Raises ValueError if it is no notebook."""
    told = json.loads(text)
    cells = told.get("cells") if isinstance(told, Mapping) else None
    if not isinstance(cells, list):
        raise ValueError("it has no cells")
    for cell in cells:
        if isinstance(cell, Mapping) and cell.get("cell_type") == "code":
            source, metadata = cell.get("source", ""), cell.get("metadata")
            marks = metadata.get("minigrad") if isinstance(metadata, Mapping) else None
            yield (
                "".join(source) if isinstance(source, list) else str(source),
                marks if isinstance(marks, Mapping) else {},
            )
