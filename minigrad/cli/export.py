"""`minigrad export`: a run as one HTML file that opens without a server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from . import explorer
from .console import GREEN, ORANGE, Problem, say
from .options import Store
from .replay import there

if TYPE_CHECKING:
    from minigrad_webui.places import Note

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
    from minigrad_webui.background import find_running

    note = None if store is not None else find_running()
    return _from_store(wanted, store) if note is None else _from_server(wanted, note)


def _from_server(wanted: str, note: Note) -> tuple[str, str]:
    found = _chosen(wanted, explorer.call(note, "/api/runs"))
    return found["name"], explorer.text(note, f"/api/runs/{quote(found['id'], safe='')}/page")


def _from_store(wanted: str, store: str | None) -> tuple[str, str]:
    from minigrad_webui import exporting
    from minigrad_webui.places import default_store
    from minigrad_webui.store import Store as Opened
    from minigrad_webui.store import StoreError

    path = Path(store) if store is not None else default_store()
    if not path.is_file():
        raise Problem(f"There is no store {str(path)!r}, so there are no runs yet. Record one: minigrad run SCRIPT")
    try:
        opened = Opened(path)
    except StoreError as error:
        raise Problem(str(error)) from error
    try:
        found = _chosen(wanted, [run.model_dump() for run in opened.runs()])
        return found["name"], exporting.page(opened, found["id"])
    except exporting.NotBuilt as error:
        raise Problem(str(error)) from error
    finally:
        opened.close()


def _chosen(wanted: str, runs: list[dict[str, Any]]) -> dict[str, Any]:
    """The run of that id, else the newest of that name; the list has the newest first."""
    for field in ("id", "name"):
        for run in runs:
            if run[field] == wanted:
                return run
    some = ", ".join(f"{run['id']} ({run['name']})" for run in runs[:5])
    raise Problem(f"There is no run {wanted!r}. " + (f"The newest are {some}." if runs else "There are none yet."))
