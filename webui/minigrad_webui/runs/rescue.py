"""Copy the readable part of a damaged store into a new one."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from minigrad_webui.runs.database import Database, set_aside

_TABLES = {"runs": "number", "steps": "run", "records": "run", "sources": "run"}
"""The tables of a store, each with the column of the run's number."""


@dataclass(frozen=True)
class Rescue:
    """The result of repairing a damaged store."""

    kept: Path
    """The new path of the damaged file."""
    rescued: int
    lost: int
    """The number of runs that were copied, and of those that could not be read completely."""

    def __str__(self) -> str:
        left = f" and {self.lost} could not be read" if self.lost else ""
        return f"A new store holds {self.rescued} of its runs{left}; the damaged file is kept as {self.kept}."


def begin_anew(path: Path) -> Rescue:
    """Rename the damaged store at `path`, and copy its readable runs into a new one."""
    kept = set_aside(path)
    fresh = Database(path)
    try:
        rescued, found = _copy(kept, fresh.writer)
    finally:
        fresh.close()
    return Rescue(kept, rescued, found - rescued)


def _copy(kept: Path, into: sqlite3.Connection) -> tuple[int, int]:
    """The number of runs copied, and the number of all runs."""
    numbers: list[int] = []
    with contextlib.suppress(sqlite3.DatabaseError):
        into.execute("ATTACH ? AS damaged", (str(kept),))
        numbers.extend(number for (number,) in into.execute("SELECT number FROM damaged.runs"))
    rescued = sum(_copy_run(into, number) for number in numbers)
    return rescued, len(numbers)


def _copy_run(into: sqlite3.Connection, number: int) -> bool:
    """Copy a run. Returns whether all of it could be read; if not, nothing is copied."""
    try:
        into.execute("BEGIN")
        for table, column in _TABLES.items():
            into.execute(f"INSERT INTO main.{table} SELECT * FROM damaged.{table} WHERE {column} = ?", (number,))
        into.execute("COMMIT")
    except sqlite3.DatabaseError:
        if into.in_transaction:
            into.execute("ROLLBACK")
        return False
    return True
