"""Copy the readable part of a damaged store into a new one."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from minigrad_webui.runs.database import Database, set_aside

_TABLES = {"runs": "number", "steps": "run", "records": "run", "sources": "run"}
"""The tables of a store, and the column that tells of which run a row is."""


@dataclass(frozen=True)
class Rescue:
    """The outcome for a damaged store."""

    kept: Path
    """The file's new place."""
    rescued: int
    lost: int
    """Runs that were copied whole, and those of which something could not be read."""

    def __str__(self) -> str:
        left = f" and {self.lost} could not be read" if self.lost else ""
        return f"A new store holds {self.rescued} of its runs{left}; the damaged file is kept as {self.kept}."


def begin_anew(path: Path) -> Rescue:
    """Put the damaged store at `path` aside, and copy what can be read into a new one in its place."""
    kept = set_aside(path)
    fresh = Database(path)
    try:
        rescued, found = _copy(kept, fresh.writer)
    finally:
        fresh.close()
    return Rescue(kept, rescued, found - rescued)


def _copy(kept: Path, into: sqlite3.Connection) -> tuple[int, int]:
    """The number of runs copied, and of runs in all."""
    numbers: list[int] = []
    with contextlib.suppress(sqlite3.DatabaseError):
        into.execute("ATTACH ? AS damaged", (str(kept),))
        numbers.extend(number for (number,) in into.execute("SELECT number FROM damaged.runs"))
    rescued = sum(_copy_run(into, number) for number in numbers)
    return rescued, len(numbers)


def _copy_run(into: sqlite3.Connection, number: int) -> bool:
    """Whether all of the run could be read. If not, nothing of it is copied."""
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
