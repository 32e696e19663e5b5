"""The saved runs: from the server that has them, or from the store if no server runs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from . import explorer
from .console import Problem

if TYPE_CHECKING:
    from minigrad.observe.publish.data_folder import Note
    from minigrad_webui.runs.store import Store

Run = dict[str, Any]
"""A run as the server describes it: the protocol's `Run`."""


def server_of(store: str | None) -> Note | None:
    """The server over this store, or by default the one that programs would find; None if no server runs."""
    from minigrad.observe.publish.server_process import find_running

    if store is None:
        return explorer.named() or find_running()
    running = find_running()
    return running if running is not None and running.store == explorer.resolved(store) else None


@contextlib.contextmanager
def opened(store: str | None) -> Iterator[Store]:
    """Open the store for the block. Raises Problem if there is none, or if it cannot be used."""
    from minigrad.observe.publish.data_folder import default_store
    from minigrad_webui.runs.store import Store, StoreError

    path = Path(store) if store is not None else default_store()
    if not path.is_file():
        raise Problem(f"There is no store {str(path)!r}, so there are no runs yet. Record one: minigrad run SCRIPT")
    try:
        with contextlib.closing(Store(path)) as found:
            yield found
    except StoreError as error:
        raise Problem(str(error)) from error


def listed(store: str | None) -> list[Run]:
    """All runs, newest first."""
    note = server_of(store)
    if note is not None:
        found: list[Run] = explorer.call(note, "/api/runs")
        return found
    with opened(store) as runs:
        return [run.model_dump() for run in runs.runs()]


def delete(run: Run, store: str | None) -> None:
    """Delete one run, and free its disk space. Raises Problem if it cannot be deleted."""
    from minigrad_webui.runs.store import UnknownRun

    note = server_of(store)
    if note is not None:
        explorer.text(note, f"/api/runs/{quote(run['id'], safe='')}", method="DELETE")
        return
    with opened(store) as runs:
        try:
            runs.delete(run["id"])
        except UnknownRun as error:
            raise Problem(f"{run['name']} ({run['id']}) is gone already: something else has deleted it.") from error
        runs.reclaim()


def called(wanted: str, runs: list[Run]) -> list[Run]:
    """The run with that id, else all with that name, newest first. Raises Problem if there is none."""
    for field in ("id", "name"):
        found = [run for run in runs if run[field] == wanted]
        if found:
            return found
    some = ", ".join(f"{run['id']} ({run['name']})" for run in runs[:5])
    raise Problem(f"There is no run {wanted!r}. " + (f"The newest are {some}." if runs else "There are none yet."))
