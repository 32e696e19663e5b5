"""`minigrad export`: a run as one HTML file that opens without a server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from . import explorer, kept
from .console import GREEN, ORANGE, Problem, say
from .options import Store
from .replay import there

TRACES = (".jsonl", ".gz")


def export(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run's id or name, or a trace file.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="The .html to write; else RUN.html.")
    ] = None,
    store: Store = None,
) -> int:
    """Write a run as one HTML file that opens anywhere, without a server or the internet.

    It is the explorer itself with the run inside: it steps, scrubs and inspects. Of one name it takes the newest.
    """
    name, page = _of_trace(Path(run)) if run.endswith(TRACES) else _of_run(run, store)
    target = output or Path(f"{Path(name).stem or 'run'}.html")
    try:
        target.write_text(page, encoding="utf-8")
    except OSError as error:
        raise Problem(f"Cannot write {str(target)!r}: {error.strerror}.") from error
    say(f"[{GREEN}]✓[/] {target} ({len(page) / 1e6:.1f} MB) opens in any browser")
    return 0


def _of_trace(file: Path) -> tuple[str, str]:
    from minigrad_webui.exporting import NotBuilt, page_of_trace
    from minigrad_webui.importing import BadTrace

    there(file)
    try:
        run, page = page_of_trace(file)
    except BadTrace as error:
        raise Problem(f"{file}: {error}") from error
    except NotBuilt as error:
        raise Problem(str(error)) from error
    if run.status == "lost" and run.error:
        say(f"[{ORANGE}]![/] {run.error}")
    return run.name, page


def _of_run(wanted: str, store: str | None) -> tuple[str, str]:
    """From the server where one runs, else from the store."""
    from minigrad_webui import exporting

    found = kept.called(wanted, kept.listed(store))[0]
    note = kept.server_of(store)
    if note is not None:
        return found["name"], explorer.text(note, f"/api/runs/{quote(found['id'], safe='')}/page")
    try:
        with kept.opened(store) as runs:
            return found["name"], exporting.page(runs, found["id"])
    except exporting.NotBuilt as error:
        raise Problem(str(error)) from error
