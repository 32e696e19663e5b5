"""`minigrad export`: a run as one HTML file that opens without a server."""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import typer

from . import explorer, stored_runs
from .console import GREEN, ORANGE, Problem, say
from .options import Store
from .replay import there

if TYPE_CHECKING:
    from minigrad_webui.protocol import Run

TRACES = (".jsonl", ".gz")


def export(
    run: Annotated[list[str], typer.Argument(metavar="RUN", help="A run's id or name, or one trace file or several.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="The .html to write; else RUN.html.")
    ] = None,
    store: Store = None,
) -> int:
    """Write a run as one HTML file that opens anywhere, without a server or the internet.

    The file is the explorer with the run inside: you can step, scrub and inspect. Of several runs with one name, it
    takes the newest. Other ranks of the same launch are included, as lanes of one picture. Of trace files, it includes
    those you name, `minigrad export rank*.jsonl`, ranks or not, and opens the first.
    """
    traces = [each for each in run if each.endswith(TRACES)]
    if len(run) > 1 and len(traces) < len(run):
        other = next(each for each in run if each not in traces)
        raise Problem(
            f"Several in one file are trace files, {' or '.join(TRACES)}; {other!r} is none. A run that is kept brings "
            "its other ranks with it: export it alone."
        )
    name, page = _of_traces([Path(each) for each in traces]) if traces else _of_run(run[0], store)
    target = output or _free(name)
    half = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        half.write_text(page, encoding="utf-8")
        os.replace(half, target)
    except OSError as error:
        half.unlink(missing_ok=True)
        raise Problem(f"Cannot write {str(target)!r}: {error.strerror}.") from error
    say(f"[{GREEN}]✓[/] {target} ({len(page) / 1e6:.1f} MB) opens in any browser")
    return 0


def _free(name: str) -> Path:
    """A new file name made from the run's name, which may hold any characters. Existing files are not overwritten."""
    stem = re.sub(r"[^\w. -]+", "-", Path(name).stem).strip(". -")[:80] or "run"
    numbered = (Path(f"{stem}-{number}.html") for number in itertools.count(2))
    return next(file for file in itertools.chain([Path(f"{stem}.html")], numbered) if not file.exists())


def _of_traces(files: list[Path]) -> tuple[str, str]:
    from minigrad_webui.runs.page_export import NotBuilt, page_of_traces
    from minigrad_webui.runs.trace_import import BadTrace

    from .console import escape

    for file in files:
        there(file)
    try:
        runs, page = page_of_traces(files)
    except (BadTrace, NotBuilt) as error:
        raise Problem(str(error)) from error
    for file, run in zip(files, runs, strict=True):
        if run.status == "lost" and run.error:
            say(f"[{ORANGE}]![/] {escape(str(file))}: {run.error}")
    _miss(runs)
    return runs[0].name, page


def _miss(runs: list[Run]) -> None:
    """Say how many ranks of the first run's launch are missing, since a user may name one trace without knowing the
    others."""
    first = runs[0]
    found = {run.rank for run in runs if run.launch == first.launch}
    missing = 0 if first.rank is None else (first.world_size or 0) - len(found)
    if missing > 0:
        words = f"{missing} of the {first.world_size} ranks that were started together are not in these traces"
        say(f"[{ORANGE}]![/] {words}. Name the files of all to see them side by side.")


def _of_run(wanted: str, store: str | None) -> tuple[str, str]:
    """The page of a run and its name, from the running server, or else from the store."""
    from minigrad_webui.runs import page_export

    found = stored_runs.called(wanted, stored_runs.listed(store))[0]
    note = stored_runs.server_of(store)
    if note is not None:
        return found["name"], explorer.text(note, f"/api/runs/{quote(found['id'], safe='')}/page")
    try:
        with stored_runs.opened(store) as runs:
            return found["name"], page_export.page(runs, found["id"])
    except page_export.NotBuilt as error:
        raise Problem(str(error)) from error
