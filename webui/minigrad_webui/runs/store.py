"""Runs on disk.

A batch is appended in one transaction when it arrives, so a killed server loses nothing it has acknowledged.
Records are stored as the JSON that arrived, with the key (run, seq). A step's records are between its first and its
last, so no further index is needed; the rows of the timeline and of the runs are counted as records come in.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from pydantic import ValidationError

from minigrad_webui.protocol import Distributions, Gradients, Run, Step
from minigrad_webui.runs import curves, snapshots
from minigrad_webui.runs.database import MEMORY, Database, StoreError
from minigrad_webui.runs.incoming import Line
from minigrad_webui.runs.snapshots import Picture
from minigrad_webui.runs.timeline import Tally, now

__all__ = ["MEMORY", "Appended", "Picture", "Store", "StoreError", "UnknownRun"]

_ROWS = 200
"""Rows of one INSERT. SQLite releases Python's lock at every statement, so few large ones disturb the server least."""

_PAGE = 2_000
"""How many records to read at a time."""

_END = 1 << 62


class UnknownRun(LookupError):
    """There is no run with this id."""


@dataclass(frozen=True)
class Appended:
    """The changes of a batch: the run, rows of its timeline, and the new records.

    All records up to `seq` are stored.
    """

    seq: int
    run: Run
    steps: list[Step]
    lines: list[Line]


class Store:
    """All runs. Thread-safe; one thread writes at a time.

    >>> from minigrad_webui.runs.incoming import line_of
    >>> store = Store(":memory:")
    >>> run = store.begin("r1", "demo", "2026-01-01T00:00:00Z")
    >>> appended = store.append("r1", [line_of('{"seq":1,"t":0,"step":0,"type":"step_taken","loss":0.5}')])
    >>> appended.run.loss, appended.steps[0].done, list(store.records("r1", after=0))
    (0.5, True, ['{"seq":1,"t":0,"step":0,"type":"step_taken","loss":0.5}'])
    >>> store.close()
    """

    def __init__(self, path: str | os.PathLike[str] = MEMORY) -> None:
        self._database = Database(path)
        self._open: dict[str, tuple[int, Tally]] = {}
        self.path = self._database.path

    def close(self) -> None:
        """Close the store. One in memory is deleted."""
        self._database.close()

    # Writing ----------------------------------------------------------------------------------------------------------

    def begin(self, run: str, name: str, started: str) -> Run:
        """Open a run for appending: a new one, or one that continues after a lost connection."""
        with self._database.writing() as db:
            row = db.execute("SELECT number, have, json FROM runs WHERE id = ?", (run,)).fetchone()
            found = _run(run, row[2]) if row else Run(id=run, name=name, status="running", started=started, size=0)
            if found.status == "lost":
                found.status, found.error, found.ended = "running", None, None
            if row is None:
                cursor = db.execute("INSERT INTO runs (id, have, json) VALUES (?, 0, '')", (run,))
                row = (cursor.lastrowid, 0)
            number, have = row[:2]
            self._open[run] = number, Tally(found, have, lambda step: snapshots.row_of(db, number, step))
            _save(db, number, have, found)
            return found.model_copy()

    def have(self, run: str) -> int:
        """The number of the last stored record of an open run."""
        return self._open[run][1].have

    def append(self, run: str, lines: list[Line]) -> Appended:
        """Store the new records among `lines`, in one transaction. The run must be open."""
        number, tally = self._open.pop(
            run
        )  # Until all is written, the tally is ahead of the store: drop it if that fails.
        with self._database.writing() as db:
            fresh = tally.count(lines)
            changed = tally.changed()
            _save(db, number, tally.have, tally.run)
            _insert(db, number, fresh)
            rows = [(number, row.step, row.model_dump_json()) for row in changed]
            db.executemany("INSERT OR REPLACE INTO steps VALUES (?, ?, ?)", rows)
        self._open[run] = number, tally
        return Appended(tally.have, tally.run.model_copy(), changed, fresh)

    def lose(self, run: str, reason: str) -> Run | None:
        """Mark an active run as lost. None if it has ended or was deleted."""
        with self._database.writing() as db:
            self._open.pop(run, None)
            row = db.execute("SELECT number, have, json FROM runs WHERE id = ?", (run,)).fetchone()
            if row is None:
                return None
            found = _run(run, row[2])
            if found.status != "running":
                return None
            found.status, found.error, found.ended = "lost", reason, now()
            _save(db, row[0], row[1], found)
            return found

    def delete(self, run: str) -> None:
        """Delete a run. Raises UnknownRun if there is none."""
        with self._database.writing() as db:
            number, _ = _known(db, run)
            self._open.pop(run, None)
            for table in ("records", "sources", "steps"):
                db.execute(f"DELETE FROM {table} WHERE run = ?", (number,))
            db.execute("DELETE FROM runs WHERE number = ?", (number,))

    def reclaim(self) -> None:
        """Make the file as small as the remaining runs allow. Call it after `delete`, when there is time."""
        self._database.reclaim()

    # Reading ----------------------------------------------------------------------------------------------------------

    def runs(self) -> list[Run]:
        """All runs, newest first."""
        with self._database.reading() as db:
            return [_run(*row) for row in db.execute("SELECT id, json FROM runs ORDER BY number DESC")]

    def run(self, run: str) -> Run:
        """One run. Raises UnknownRun if there is none."""
        with self._database.reading() as db:
            return _known(db, run)[1]

    def steps(self, run: str) -> Iterator[Step]:
        """The whole timeline of a run, read page by page."""
        with self._database.reading() as db:
            number, _ = _known(db, run)
        return self._timeline(number)

    def _timeline(self, number: int) -> Iterator[Step]:
        after = -1
        while True:
            with self._database.reading() as db:
                rows = snapshots.rows_after(db, number, after, _PAGE)
            if not rows:
                return
            yield from rows
            after = rows[-1].step

    def step(self, run: str, step: int) -> Step | None:
        """The row of one step; None if nothing of it was recorded."""
        with self._database.reading() as db:
            return snapshots.row_of(db, _known(db, run)[0], step)

    def gradients(self, run: str) -> Gradients:
        """The gradient norm of each parameter, step by step; of a long run only some steps."""
        with self._database.reading() as db:
            number, _ = _known(db, run)
            return curves.gradients(db, number)

    def distributions(self, run: str, tensor: int) -> Distributions:
        """How the elements of a tensor are distributed, step by step; of a long run only some steps."""
        with self._database.reading() as db:
            number, _ = _known(db, run)
            return curves.distributions(db, number, tensor)

    def records(self, run: str, *, after: int = 0, step: int | None = None, limit: int | None = None) -> Iterator[str]:
        """The JSON of the records after number `after`, of one step or of all, at most `limit`; read page by page."""
        last, left = _END, _END if limit is None else limit
        with self._database.reading() as db:
            number, _ = _known(db, run)
            if step is not None:
                row = snapshots.row_of(db, number, step) or Step(step=step, first=1, last=0)
                after, last = max(after, row.first - 1), row.last
        return self._pages(number, after, last, step, left)

    def _pages(self, number: int, after: int, last: int, step: int | None, left: int) -> Iterator[str]:
        query = (
            "SELECT seq, json FROM records WHERE run = ? AND seq > ? AND seq <= ? AND (? IS NULL OR step = ?)"
            " ORDER BY seq LIMIT ?"
        )
        while left > 0:
            with self._database.reading() as db:
                rows = db.execute(query, (number, after, last, step, step, min(left, _PAGE))).fetchall()
            if not rows:
                return
            yield from (text for _, text in rows)
            after, left = rows[-1][0], left - len(rows)

    def picture(self, run: str, step: int | None = None) -> Picture:
        """The snapshot of `step`, or by default of the newest; of an ended run, of the last with most to show."""
        with self._database.reading() as db:
            return snapshots.whole(db, *_known(db, run), step)

    def outline(self, run: str, step: int | None = None) -> Picture | None:
        """The outline of a step with very many records; None for other steps."""
        with self._database.reading() as db:
            return snapshots.outline(db, *_known(db, run), step)


def _known(db: sqlite3.Connection, run: str) -> tuple[int, Run]:
    row = db.execute("SELECT number, json FROM runs WHERE id = ?", (run,)).fetchone()
    if row is None:
        raise UnknownRun(run)
    return row[0], _run(run, row[1])


def _run(run: str, text: str) -> Run:
    """A run's row. An unreadable one is replaced by a row that is listed as lost, with the reason."""
    try:
        return Run.model_validate_json(text)
    except ValidationError as error:
        (first, *_) = error.errors(include_url=False, include_input=False)
        where = ".".join(map(str, first["loc"])) or "its row"
        reason = f"The store's row of this run cannot be read ({where}: {first['msg']}). Its records are still there."
        return Run(id=run, name=run, status="lost", started="", error=reason)


def _save(db: sqlite3.Connection, number: int, have: int, run: Run) -> None:
    """Write to a run. Raises UnknownRun, and writes nothing, if it was deleted: its number may be another run's now."""
    row = (have, run.model_dump_json(), number, run.id)
    if db.execute("UPDATE runs SET have = ?, json = ? WHERE number = ? AND id = ?", row).rowcount == 0:
        raise UnknownRun(run.id)


def _insert(db: sqlite3.Connection, number: int, lines: list[Line]) -> None:
    for start in range(0, len(lines), _ROWS):
        some = lines[start : start + _ROWS]
        values = ",".join(["(?,?,?,?)"] * len(some))
        cells = chain.from_iterable((number, line.seq, line.step, line.text) for line in some)
        db.execute(f"INSERT INTO records VALUES {values}", tuple(cells))
    sources = [(number, line.seq) for line in lines if line.kind == "source"]
    db.executemany("INSERT INTO sources VALUES (?, ?)", sources)
