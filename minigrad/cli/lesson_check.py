"""`minigrad lesson check`: a learner's own answers, or those of a whole class."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .console import GREEN, ORANGE, RED, Problem, err, out, say
from .lesson_files import find, has_been_trusted, learner_progress

if TYPE_CHECKING:
    from minigrad.classroom import Entry
    from minigrad.classroom.batch import Row

MARKS = {"passed": f"[{GREEN}]✓[/]", "not yet": f"[{ORANGE}]✗[/]", "missing": "[dim]–[/]"}
"""The symbol of each result; all other results are errors."""


def check(
    lesson: Annotated[str, typer.Argument(metavar="LESSON", help="The lesson's number, its name, or a file.")],
    answers: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="A file (.py, .ipynb), or a folder with one for each learner; by default your own from the page.",
            show_default=False,
        ),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", metavar="FILE", help="Also write the results to this file.", show_default=False),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0.1, help="Seconds that an answer may take; by default what the lesson needs.", show_default=False
        ),
    ] = None,
    jobs: Annotated[
        int, typer.Option(min=1, max=64, help="How many learners to check at the same time.", show_default=False)
    ] = max(1, (os.cpu_count() or 1) // 2),
    trust: Annotated[bool, typer.Option("--trust", help="Run a lesson from elsewhere without asking.")] = False,
    trust_answers: Annotated[
        bool, typer.Option("--trust-answers", help="Run others' answers even if this system has no sandbox for them.")
    ] = False,
) -> int:
    """Check answers, in the lesson as it was written: your own, or those of a whole class in a folder.

    Only the exercises are taken from the files, so deleted or edited checks make no difference. Status 1
    if one of your own answers is wrong.
    """
    from minigrad.classroom import Limits
    from minigrad.classroom.answers import AnswersError
    from minigrad.classroom.batch import handed_in, judge_all
    from minigrad.classroom.sandbox import OPEN, best

    entry = find(lesson)
    if not has_been_trusted(entry, trust):
        return 1
    limits = Limits(seconds=seconds or max(10.0, 4 * entry.seconds))
    sandbox = OPEN if answers is None else best(say)
    if answers is not None and answers.is_dir() and not sandbox.walls and not trust_answers:
        raise Problem(_unsafe())
    own = _own(entry) if answers is None else answers
    try:
        paths = [own] if answers is None or not own.is_dir() else handed_in(own)
        if not own.exists():
            handed_in(own)
    except AnswersError as error:
        raise Problem(f"There is nothing to check: {error}.") from error
    with _csv(csv, entry) as add, _progress(len(paths)) as step:
        rows = []
        for row in judge_all(entry.read(), paths, limits, jobs, sandbox):
            rows.append(row)
            add(row)
            step()
    if answers is not None and own.is_dir():
        _show_class(entry, rows)
        return 0
    return _show_one(entry, rows[0], own=answers is None)


def _unsafe() -> str:
    from minigrad.classroom.sandbox import why_none

    return (
        f"The answers of others are run in a sandbox, and there is none here. {why_none()} "
        "If you trust whoever wrote them, add --trust-answers: they then run with your rights."
    )


def _own(entry: Entry) -> Path:
    folder = learner_progress().folder / entry.slug
    if not any((folder / f"{id}.py").is_file() for id in entry.read().exercises):
        lesson = entry.number or entry.path
        raise Problem(
            f"You have no answers to {entry.title!r} yet. Write them on its page, minigrad lesson open {lesson}, "
            "or name a file with --answers."
        )
    return folder


@contextlib.contextmanager
def _csv(path: Path | None, entry: Entry) -> Iterator[Callable[[Row], None]]:
    """Yield a function that adds a row to the file, if one is wanted."""
    from minigrad.classroom.batch import Table

    if path is None:
        yield lambda row: None
        return
    try:
        file = path.open("w", encoding="utf-8", newline="")
    except OSError as error:
        raise Problem(f"Cannot write {str(path)!r}: {error.strerror}.") from error
    with file:
        yield Table(file, entry.read().exercises).add


@contextlib.contextmanager
def _progress(total: int) -> Iterator[Callable[[], None]]:
    """Show a progress bar while a class is checked."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("checking"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=err(), transient=True, disable=total == 1 or not err().is_terminal) as progress:
        task = progress.add_task("checking", total=total)
        yield lambda: progress.advance(task)


def _show_one(entry: Entry, row: Row, own: bool) -> int:
    """Print each exercise with its verdict. Returns status 1 if an answer is wrong."""
    from .console import escape

    if row.problem:
        raise Problem(row.problem)
    for id, verdict in row.verdicts.items():
        out().print(f"{MARKS.get(verdict.result, f'[{RED}]✗[/]')} {escape(id)}", soft_wrap=True)
        for line in verdict.message.splitlines():
            out().print(f"    {escape(line)}", soft_wrap=True)
    if own:
        _note(entry, row)
    right = row.passed == len(row.verdicts)
    say(f"{row.passed} of {len(row.verdicts)} exercises passed.")
    return 0 if right else 1


def _note(entry: Entry, row: Row) -> None:
    """Mark on the lesson's page the exercises that passed here."""
    for id, verdict in row.verdicts.items():
        if verdict.passed:
            learner_progress().passed(entry.slug, id)


def _show_class(entry: Entry, rows: list[Row]) -> None:
    from rich.table import Table

    from .console import escape

    exercises = entry.read().exercises
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("learner", "passed", *exercises, ""):
        table.add_column(escape(name), overflow="fold")
    for row in rows:
        results = [_cell(row, id) for id in exercises]
        table.add_row(escape(row.learner), f"{row.passed}/{len(exercises)}", *results, escape(row.problem))
    out().print(table)
    all_passed = sum(row.passed == len(exercises) for row in rows)
    unread = sum(bool(row.problem) for row in rows)
    say(f"{len(rows)} learners, {all_passed} passed everything" + (f", {unread} not to be read" if unread else ""))


def _cell(row: Row, id: str) -> str:
    result = row.verdicts[id].result if id in row.verdicts else ""
    return f"{MARKS[result]} {result}" if result in MARKS else (f"[{RED}]✗[/] {result}" if result else "")
