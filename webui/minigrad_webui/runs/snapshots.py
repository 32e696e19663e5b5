"""The first records for a viewer, from the store: a whole step, or first the outline of a large one."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Literal

from pydantic import ValidationError

from minigrad.observe.publish.wire import BETWEEN
from minigrad.observe.schema import KINDS, Kind, unhandled
from minigrad.observe.schema.parts import LARGEST
from minigrad_webui.protocol import Run, Step

NEWEST_STEPS = 5_000
"""A snapshot has this many of the newest timeline rows, and at most as many older ones, at even intervals."""

LARGE = 10_000
"""A step with more records is first sent as an outline, because the whole takes too long for a first picture."""


def _outlined(kind: Kind) -> bool:
    """Whether a record of this kind names a part of a step, rather than an event."""
    match kind:
        case "node" | "tensor" | "detached" | "scope_entered" | "scope_left" | "source" | "collective_ran":
            return True
        case "run_started" | "saved" | "released" | "mutated" | "backward_started" | "node_ready" | "node_entered":
            return False
        case "grad_computed" | "grad_reduced" | "grad_accumulated" | "hook_ran" | "backward_finished":
            return False
        case "anomaly_found" | "numbers" | "step_taken" | "scalar" | "output" | "dropped" | "paused" | "resumed":
            return False
        case "breakpoints" | "run_finished":
            return False
    raise unhandled(kind)


_OUTLINE = sorted({f'{kind}"'[:5] for kind in KINDS if _outlined(kind)})
"""The first letters of these kinds."""

_TYPE = 'substr(json, instr(json, \'"type":"\') + 8, 5)'
"""The first letters of a record's type, which is one of its first fields: faster than parsing the record."""


@dataclass(frozen=True)
class Picture:
    """The first records for a viewer, read at one moment: the records of `step` and the run's sources."""

    run: Run
    steps: list[Step]
    step: int
    seq: int
    every: int
    """Of the older steps, one of every `every` is in `steps`."""
    records: str
    """The records as JSON, one on each line, with commas between them."""
    kind: Literal["snapshot", "outline"]

    def message(self) -> str:
        """The protocol's `Snapshot` or `Outline`, made from records that are already JSON."""
        rows = ",".join(row.model_dump_json(exclude_defaults=True) for row in self.steps)
        return (
            f'{{"type":"{self.kind}","run":{self.run.model_dump_json()},"steps":[{rows}],'
            f'"step":{self.step},"seq":{self.seq},"every":{self.every},"records":[\n{self.records}\n]}}'
        )


def whole(db: sqlite3.Connection, number: int, run: Run, step: int | None) -> Picture:
    """The picture with every record of the step."""
    return _read(db, number, run, step if step is not None else _telling(db, number, run), "snapshot")


def outline(db: sqlite3.Connection, number: int, run: Run, step: int | None) -> Picture | None:
    """The outline of a large step; None for a smaller one."""
    wanted = step if step is not None else _telling(db, number, run)
    row = row_of(db, number, wanted)
    if row is None or row.last - row.first < LARGE:
        return None
    return _read(db, number, run, wanted, "outline")


def _read(db: sqlite3.Connection, number: int, run: Run, step: int, kind: Literal["snapshot", "outline"]) -> Picture:
    (have,) = db.execute("SELECT have FROM runs WHERE number = ?", (number,)).fetchone()
    row = row_of(db, number, step) or Step(step=step, first=1, last=0)
    older = max(0, run.steps - NEWEST_STEPS)
    every = max(1, -(-older // NEWEST_STEPS))
    steps = timeline(db, number, newest=older, every=every)
    return Picture(run, steps, step, have, every, _records(db, number, row, kind), kind)


def _records(db: sqlite3.Connection, number: int, row: Step, kind: Literal["snapshot", "outline"]) -> str:
    """The step's records and the run's sources, in order. SQLite joins them, because they are many."""
    sources = "SELECT json FROM records JOIN sources USING (run, seq) WHERE run = :run AND seq"
    records = (
        "SELECT json FROM records WHERE run = :run AND seq BETWEEN :first AND :last"
        " AND (step = :step OR seq IN (SELECT seq FROM sources WHERE run = :run))"
    )
    if kind == "outline":
        names = ", ".join(f"'{begin}'" for begin in _OUTLINE)
        records += f" AND {_TYPE} IN ({names})"
    span = {"run": number, "first": row.first, "last": row.last, "step": row.step}
    parts = (f"{sources} < :first", records, f"{sources} > :last")
    joined = (f"SELECT group_concat(json, '{BETWEEN}') FROM ({part} ORDER BY seq)" for part in parts)
    return BETWEEN.join(filter(None, (db.execute(query, span).fetchone()[0] for query in joined)))


def _telling(db: sqlite3.Connection, number: int, run: Run) -> int:
    """The step to show by default: the newest with ops of an active run; in an ended run, where it went wrong.

    A run that ended well often ends with an evaluation without gradients. Then it is the last step with a backward, if
    possible one with values, also of backward: a step with only numbers has them for forward alone. Without any
    backward, a step with ops is better than one with only a loss.
    """
    newest = max(0, run.steps - 1)
    if run.paused is not None:
        return newest
    if run.status != "running" and run.trouble is not None:
        return run.trouble.step
    query = (
        "SELECT step FROM steps WHERE run = ?"
        " AND (json_extract(json, '$.nodes') > 0 OR json_extract(json, '$.backwards') > 0)"
    )
    if run.status != "running":
        query += (
            " ORDER BY json_extract(json, '$.backwards') > 0 DESC, json_extract(json, '$.values') DESC,"
            " json_extract(json, '$.gradients') DESC, step DESC LIMIT 1"
        )
    else:
        query += " ORDER BY step DESC LIMIT 1"
    row = db.execute(query, (number,)).fetchone()
    return row[0] if row else newest


def row_of(db: sqlite3.Connection, number: int, step: int) -> Step | None:
    """The timeline's row of a step; None if nothing of it was recorded."""
    row = db.execute("SELECT json FROM steps WHERE run = ? AND step = ?", (number, step)).fetchone()
    return _row(step, row[0]) if row else None


def timeline(db: sqlite3.Connection, number: int, newest: int, every: int) -> list[Step]:
    """The rows from step `newest` on, and every `every`-th row before it."""
    query = "SELECT step, json FROM steps WHERE run = ? AND (step >= ? OR step % ? = 0) ORDER BY step"
    return [_row(*row) for row in db.execute(query, (number, newest, every))]


def rows_after(db: sqlite3.Connection, number: int, step: int, most: int) -> list[Step]:
    """The next rows after the row of `step`."""
    query = "SELECT step, json FROM steps WHERE run = ? AND step > ? ORDER BY step LIMIT ?"
    return [_row(*row) for row in db.execute(query, (number, step, most))]


def _row(step: int, text: str) -> Step:
    """A row of the timeline. An unreadable one is replaced by a row that has only its step, marked as trouble."""
    try:
        return Step.model_validate_json(text)
    except ValidationError:
        return Step(step=step, first=1, last=LARGEST, trouble=True)
