"""`minigrad replay`: put a trace file into the explorer as a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from . import explorer
from .console import GREEN, ORANGE, Problem, err, out, say
from .options import NoBrowser, Port, Store

MOST = 20
"""The largest number of unreadable lines that are listed."""


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A trace file: .jsonl, or .jsonl.gz.")],
    no_browser: NoBrowser = False,
    port: Port = None,
    store: Store = None,
    check: Annotated[
        bool, typer.Option("--check", help="Only read the file and say what is in it; status 1 if lines are bad.")
    ] = False,
) -> int:
    """Put a recorded run into the explorer and open it.

    Readable records are kept; unreadable lines are listed by number.
    """
    there(file)
    if check:
        return _check(file)
    note = explorer.find_or_start(port, store)
    try:
        answer = _send(note, file)
    except Problem as problem:
        raise Problem(f"{file}: {problem}") from problem
    _report(file, answer["run"]["name"], answer["records"], answer["left_out"], answer["problems"])
    page = explorer.page_of(note, answer["run"]["id"])
    if not explorer.open_page(page, not no_browser):
        say("Open it:")
    out().print(page, soft_wrap=True)
    return 0


def there(file: Path) -> None:
    """Raise Problem if there is no such trace file."""
    if not file.is_file():
        raise Problem(f"There is no trace file {str(file)!r}. Write one with: minigrad run --record FILE SCRIPT")


def _send(note: Any, file: Path) -> Any:
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    size = file.stat().st_size
    columns = (TextColumn("reading"), BarColumn(), DownloadColumn())
    quiet = not err().is_terminal
    with (
        Progress(*columns, console=err(), transient=True, disable=quiet) as progress,
        progress.open(file, "rb") as body,
    ):
        return explorer.call(note, "/api/runs/import", body, size)


def _check(file: Path) -> int:
    """Check the trace without a server."""
    from minigrad.errors import ArgumentError
    from minigrad.observe.record.reader import read

    try:
        reading = read(file)
    except (ArgumentError, OSError) as error:
        raise Problem(str(error)) from error
    problems = [
        {"line": each.line, "message": f"found {each.found}, expected {each.expected}"} for each in reading.problems
    ]
    _report(file, reading.run.get("name", file.name), len(reading.records), len(problems), problems[:MOST])
    last = reading.records[-1]
    ended = last["status"] if last["type"] == "run_finished" else "lost: the file ends before its run does"
    steps = len(reading.steps())
    say(f"{steps:,} step{'' if steps == 1 else 's'}, {ended}")
    return 0 if reading.complete else 1


def _report(file: Path, name: str, records: int, left_out: int, problems: list[dict[str, Any]]) -> None:
    from .console import escape

    say(f"[{GREEN}]✓[/] {escape(name)}: {records:,} records from {escape(str(file))}")
    for each in problems:
        say(f"[{ORANGE}]![/] line {each['line']}: {escape(each['message'])}")
    if left_out > len(problems):
        say(f"[{ORANGE}]![/] and {left_out - len(problems):,} more lines")
