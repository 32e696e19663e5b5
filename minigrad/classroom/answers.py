"""Find a learner's answers in the file or folder that was handed in.

Learners delete cells, move them, rename them and lose marks. So an answer is looked for by its mark. Without the mark,
it is the last cell that defines what the exercise asks for. Without cells, it is the function of that name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ..errors import MinigradError
from .judge import owned
from .lesson import Lesson
from .notebook import code_cells

EXERCISE = re.compile(r'tags=\["exercise"\].*\bid="([^"]*)"')

SUFFIXES = (".py", ".ipynb")

LARGEST = 10 * 1024 * 1024
"""The largest file, in bytes, that is read as answers."""


class AnswersError(MinigradError, ValueError):
    """An answer file cannot be read; the message says why."""


def read_answers(path: Path, lesson: Lesson) -> dict[str, str]:
    """The answers of one learner, by the ids of their exercises; missing answers are left out.

    `path` is a copy of the lesson (.py), a notebook (.ipynb), or a folder with a file for each answer, `double.py`.
    Raises AnswersError if it is none of these.
    """
    if path.is_dir():
        found = {id: path / f"{id}.py" for id in lesson.exercises}
        return {id: _text(file) for id, file in found.items() if file.is_file()}
    if path.suffix not in SUFFIXES:
        raise AnswersError(f"{path.name} is neither a Python file nor a notebook")
    text = _text(path)
    try:
        cells = list(_notebook_cells(text) if path.suffix == ".ipynb" else _python_cells(text))
    except (ValueError, RecursionError) as error:
        raise AnswersError(f"{path.name} is no notebook: {error}") from None
    return {id: answer for id in lesson.exercises if (answer := _answer(id, lesson, cells)) is not None}


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST:
            raise AnswersError(f"{path.name} is larger than {LARGEST:,} bytes")
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise AnswersError(f"{path.name} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise AnswersError(f"{path.name} is no text in UTF-8") from None


Found = tuple[str, str]
"""The source of a cell, and the id of the exercise in its mark, empty without a mark."""


def _notebook_cells(text: str) -> Iterator[Found]:
    for source, marks in code_cells(text):
        yield source, str(marks.get("id", "")) if marks.get("tag") == "exercise" else ""


def _python_cells(text: str) -> Iterator[Found]:
    id, markdown, lines = "", False, list[str]()
    for line in [*text.splitlines(), "# %%"]:
        if not line.startswith("# %%"):
            lines.append(line)
            continue
        if not markdown and lines:
            yield "\n".join(lines).strip("\n"), id
        mark = EXERCISE.search(line)
        id, markdown, lines = mark.group(1) if mark else "", "[markdown]" in line, []


def _answer(id: str, lesson: Lesson, cells: Sequence[Found]) -> str | None:
    marked = [source for source, mark in cells if mark == id]
    if marked:
        return marked[-1]
    (exercise,) = lesson.find("exercise", id)
    wanted = set(owned(exercise.text))
    defining = [source for source, mark in cells if not mark and wanted <= set(_defined(source))]
    if not defining:
        return None
    source = defining[-1]
    return source if len(cells) > 1 else "\n\n".join(_defined(source)[name] for name in sorted(wanted))


def _defined(source: str) -> Mapping[str, str]:
    """The text of each function and class at the top level of a source, by name."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {each.name: ast.get_source_segment(source, each) or "" for each in tree.body if isinstance(each, kinds)}
