"""`minigrad runs`: list and delete saved runs."""

from __future__ import annotations

import re
import sys
from datetime import datetime, timedelta
from typing import Annotated

import typer

from . import stored_runs
from .console import GREEN, Problem, out, say
from .options import Store

app = typer.Typer(
    name="runs",
    help="The saved runs: list them, or delete those that you no longer need.",
    invoke_without_command=True,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def runs(context: typer.Context) -> None:
    """The saved runs: list them, or delete those that you no longer need. Without a command it lists them."""
    if context.invoked_subcommand is None:
        list_()


@app.command(name="list")
def list_(store: Store = None) -> int:
    """List the saved runs, newest first: from the running explorer, or else from the store."""
    from rich.table import Table

    from .console import escape

    found = stored_runs.listed(store)
    if not found:
        say("There are no runs yet. Record one: minigrad run SCRIPT")
        return 0
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    table.add_column("run", style="bold", no_wrap=True)
    table.add_column("name", overflow="fold")
    table.add_column("status", no_wrap=True)
    for name in ("steps", "records", "size"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("started", no_wrap=True)
    for run in found:
        counts = (f"{run['steps']:,}", f"{run['records']:,}", _size(run))
        said = (escape(run[field]) for field in ("id", "name", "status"))
        table.add_row(*said, *counts, escape(_when(run["started"])))
    out().print(table)
    return 0


@app.command()
def delete(
    runs: Annotated[list[str], typer.Argument(metavar="RUN", help="The runs' ids, or names that only one run has.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Delete them without asking.")] = False,
    store: Store = None,
) -> int:
    """Delete runs with all their records, for good, and free their disk space.

    You are shown what will be lost, and asked first. A run whose program still runs cannot be deleted.
    """
    found = stored_runs.listed(store)
    doomed = {run["id"]: run for run in (_chosen(wanted, found) for wanted in runs)}
    return _delete(list(doomed.values()), yes, store)


@app.command()
def prune(
    days: Annotated[
        float | None, typer.Option(min=0, help="Delete runs that began more than this many days ago.")
    ] = None,
    size: Annotated[
        str | None, typer.Option(help="Then delete the oldest until all take no more than this: 500MB, 2GB.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Delete them without asking.")] = False,
    store: Store = None,
) -> int:
    """Delete old runs, by age, or until the rest takes no more space than you say.

    A run whose program still runs is kept.
    """
    if days is None and size is None:
        raise Problem("Say what may stay: --days 30, --size 2GB, or both.")
    most = None if size is None else _bytes(size)
    found = stored_runs.listed(store)
    doomed = _too_many(found, days, most)
    if not doomed:
        say("No run is that old, and all take no more room than that.")
        return 0
    return _delete(doomed, yes, store)


def _too_many(newest_first: list[stored_runs.Run], days: float | None, most: int | None) -> list[stored_runs.Run]:
    """The runs to delete: those that are too old, then the oldest until the rest fits. Active runs are kept."""
    taken, doomed = sum(run.get("size") or 0 for run in newest_first), []
    for run in reversed(newest_first):
        old = days is not None and _age(run["started"]) > timedelta(days=days)
        if run["status"] != "running" and (old or (most is not None and taken > most)):
            doomed.append(run)
            taken -= run.get("size") or 0
    return doomed


def _age(started: str) -> timedelta:
    """The age of a run; zero if `started` is no valid time."""
    try:
        moment = datetime.fromisoformat(started.replace("Z", "+00:00")).astimezone()
    except ValueError:
        return timedelta()
    return datetime.now().astimezone() - moment


def _bytes(size: str) -> int:
    """A size such as ``500MB`` as a number of bytes. Raises Problem if it is not valid."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]?)b?", size.strip().lower())
    if found is None:
        raise Problem(f"--size takes a number of bytes such as 500MB or 2GB, not {size!r}.")
    return int(float(found[1]) * {"": 1, "k": 1e3, "m": 1e6, "g": 1e9}[found[2]])


def _delete(doomed: list[stored_runs.Run], yes: bool, store: str | None) -> int:
    """Delete these runs after the user agrees. Returns the exit status."""
    if not yes and not _agreed(doomed):
        say("Nothing is deleted.")
        return 1
    for run in doomed:
        stored_runs.delete(run, store)
        say(f"[{GREEN}]✓[/] {_described(run)} is deleted")
    return 0


def _chosen(wanted: str, found: list[stored_runs.Run]) -> stored_runs.Run:
    """The run with this id or name. Raises Problem if several match, or if its program still runs."""
    run, *others = stored_runs.called(wanted, found)
    if others:
        ids = ", ".join(each["id"] for each in (run, *others))
        raise Problem(f"{len(others) + 1} runs are called {wanted!r}: {ids}. Say which by its id.")
    if run["status"] == "running":
        raise Problem(
            f"{run['name']} ({run['id']}) is still running. Stop its program, then delete it. If that has ended long "
            "ago, start `minigrad serve`: it finds out within seconds and counts the run as lost, which can be deleted."
        )
    return run


def _agreed(doomed: list[stored_runs.Run]) -> bool:
    """Ask whether to delete these runs."""
    words = ", ".join(_plain(run) for run in doomed)
    if not sys.stdin.isatty():
        raise Problem(f"This would delete {words} for good, and nobody is there to be asked. Add --yes to delete.")
    for run in doomed:
        say(_described(run))
    return typer.confirm("Delete for good, with all records?", err=True)


def _described(run: stored_runs.Run) -> str:
    """The run's description, escaped for Rich: a name could look like markup."""
    from .console import escape

    return escape(_plain(run))


def _plain(run: stored_runs.Run) -> str:
    size = f", {_size(run)}" if run.get("size") is not None else ""
    return f"{run['name']} ({run['id']}, {run['records']:,} records{size})"


def _size(run: stored_runs.Run) -> str:
    """The size of the run as text; empty if an older minigrad did not measure it."""
    size = run.get("size")
    if size is None:
        return ""
    return f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{size / 1e3:,.1f} kB"


def _when(started: str) -> str:
    """The local time as text, with the hour this year and else with the year; unchanged if it is no valid time."""
    try:
        moment = datetime.fromisoformat(started.replace("Z", "+00:00")).astimezone()
    except ValueError:
        return started
    return f"{moment:%d %b %H:%M}" if moment.year == datetime.now().year else f"{moment:%d %b %Y}"
