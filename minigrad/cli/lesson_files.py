"""Find lessons and the learner's progress, and decide whether a lesson may run."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .console import Problem, say

if TYPE_CHECKING:
    from minigrad.classroom import Course, Entry
    from minigrad_webui.lessons.progress import LearnerProgress


def course() -> Course:
    """The course that comes with minigrad."""
    from minigrad.classroom import LessonError, load_course

    try:
        return load_course()
    except LessonError as error:
        raise Problem(str(error)) from error


def find(name: str, files: bool = True) -> Entry:
    """A lesson of the course, or of a file. Raises Problem if there is none, or if the file is no lesson."""
    from minigrad.classroom import Entry, LessonError, NoSuchLessonError

    path = Path(name)
    try:
        if not (path.suffix == ".py" and path.is_file()):
            if path.suffix == ".py" and files:
                raise Problem(f"There is no file {name!r}. `minigrad lesson list` lists the lessons of the course.")
            entry = course().find(name)
        else:
            same = [entry for entry in course() if entry.path.resolve() == path.resolve()]
            entry = same[0] if same else Entry(0, path.resolve(), False)
            if not same and not files:
                raise Problem(f"{name} is no lesson of the course. Watch it with: minigrad lesson run {name}")
        entry.read()
    except NoSuchLessonError as error:
        raise Problem(_sentence(str(error))) from error
    except LessonError as error:
        raise Problem(_sentence(str(error))) from error
    return entry


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '?')) else '.'}"


def learner_progress() -> LearnerProgress:
    """The file in which the lesson's page keeps the learner's progress."""
    from minigrad.observe.publish.data_folder import data_dir
    from minigrad_webui.lessons.progress import LearnerProgress

    return LearnerProgress(data_dir() / "lessons")


# Lessons from elsewhere


def has_been_trusted(entry: Entry, trust: bool) -> bool:
    """Whether this lesson may run. Those of the course always may; for others the learner is asked once."""
    if any(each.path == entry.path for each in course()) or str(entry.path) in _trusted():
        return True
    if not trust:
        if not sys.stdin.isatty():
            words = "is none of minigrad's lessons, and its code can do all that you can. Read it, then add --trust."
            raise Problem(f"{entry.path} {words}")
        say(f"{entry.path} is none of minigrad's lessons. To run it is to let its code do all that you can do.")
        import typer

        if not typer.confirm("Do you trust it?", err=True):
            return False
    remember(entry.path)
    return True


def remember(path: Path) -> None:
    """Remember that this lesson may run."""
    kept = json.dumps(sorted({*_trusted(), str(path.resolve())}), indent=1)
    target = _trust_file()
    fresh = target.with_name(f"{target.name}.{os.getpid()}")
    fresh.write_text(kept + "\n", encoding="utf-8")
    os.replace(fresh, target)


def _trusted() -> set[str]:
    try:
        told = json.loads(_trust_file().read_text(encoding="utf-8"))
        return {str(path) for path in told}
    except (OSError, ValueError, TypeError):
        return set()


def _trust_file() -> Path:
    from minigrad.observe.publish.data_folder import data_dir

    return data_dir() / "trusted.json"
