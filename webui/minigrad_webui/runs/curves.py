"""Curves over the steps of a run, from the store, with at most as many points as a screen shows."""

from __future__ import annotations

import json
import sqlite3
from base64 import b64decode
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigrad_webui.protocol import Distribution, Distributions, Gradients, ParameterNorms

STEPS = 500
"""The largest number of steps in a curve."""

NUMBERS = 100_000
"""The largest number of points in all curves together. With many parameters each curve has fewer steps."""


DISTRIBUTIONS = 120
"""The largest number of steps of which a tensor's distribution is read."""

SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""The parts of the elements that lie below a distribution's five numbers."""


class Row(NamedTuple):
    """A step that has norms: the number of the record with them, and the norm of all gradients (None if not finite)."""

    step: int
    seq: int
    total: float | None


def gradients(db: sqlite3.Connection, number: int) -> Gradients:
    """The gradient norm of each parameter."""
    query = (
        "SELECT step, json_extract(json, '$.norms'), json_extract(json, '$.grad_norm') FROM steps"
        " WHERE run = ? AND json_extract(json, '$.norms') IS NOT NULL ORDER BY step"
    )
    rows = [Row(*row) for row in db.execute(query, (number,))]
    if not rows:
        return Gradients()
    (newest,) = _read(db, number, rows[-1:])
    every, picked = thinned(rows, min(STEPS, max(2, NUMBERS // len(newest))))
    return gathered(every, picked, _read(db, number, picked))


def thinned(rows: Sequence[Row], most: int) -> tuple[int, list[Row]]:
    """At most `most` rows: of every n rows the one with the largest gradient norm, so that no explosion is missed.

    >>> every, picked = thinned([Row(step, 0, float(step == 5)) for step in range(12)], 3)
    >>> every, [row.step for row in picked]
    (4, [0, 5, 8])
    """
    every = 1
    while len(rows) > every * most:
        every *= 2  # then the rows picked before are picked again as the run grows
    return every, [max(rows[first : first + every], key=_length) for first in range(0, len(rows), every)]


def gathered(every: int, rows: Sequence[Row], records: Sequence[Sequence[dict[str, Any]]]) -> Gradients:
    """The curves of all parameters, from the records of these steps."""
    found: dict[int, ParameterNorms] = {}
    left_out = set()
    for index in reversed(range(len(rows))):
        for one in records[index]:
            curve = found.get(one["tensor"])
            if curve is None and found and (len(found) + 1) * len(rows) > NUMBERS:
                left_out.add(one["tensor"])
                continue
            if curve is None:
                nothing: list[Any] = [None] * len(rows)
                curve = found[one["tensor"]] = ParameterNorms(tensor=one["tensor"], name=one.get("name"), norms=nothing)
            norm = one.get("norm")
            curve.norms[index] = (one.get("not_finite") or "none") if norm is None else norm
    steps = [row.step for row in rows]
    return Gradients(every=every, steps=steps, parameters=list(found.values()), left_out=len(left_out))


def _length(row: Row) -> float:
    return float("inf") if row.total is None else row.total


def _read(db: sqlite3.Connection, number: int, rows: Iterable[Row]) -> list[list[dict[str, Any]]]:
    """Read the gradient norms of each parameter from the records of these steps."""
    query = "SELECT json FROM records WHERE run = ? AND seq IN (SELECT value FROM json_each(?)) ORDER BY seq"
    wanted = json.dumps([row.seq for row in rows])
    return [json.loads(text)["grad_norms"] for (text,) in db.execute(query, (number, wanted))]


def distributions(db: sqlite3.Connection, number: int, tensor: int) -> Distributions:
    """How the elements of a tensor and of its gradient are distributed, step by step."""
    query = (
        "SELECT step, json_extract(json, '$.first'), json_extract(json, '$.last') FROM steps"
        " WHERE run = ? AND json_extract(json, '$.values') ORDER BY step"
    )
    rows = db.execute(query, (number,)).fetchall()
    every = 1
    while len(rows) > every * DISTRIBUTIONS:
        every *= 2  # then the steps picked before are picked again as the run grows
    picked = rows[::every] + (rows[-1:] if (len(rows) - 1) % every else [])
    found = [_distribution(db, number, tensor, *row) for row in picked]
    return Distributions(every=every, steps=[each for each in found if each.value or each.grad])


def _distribution(db: sqlite3.Connection, number: int, tensor: int, step: int, first: int, last: int) -> Distribution:
    """Read the first value and the last gradient of a tensor from the records of a step."""
    query = (
        "SELECT json FROM records WHERE run = ? AND seq BETWEEN ? AND ? AND ("
        " json_extract(json, '$.type') = 'tensor' AND json_extract(json, '$.id') = ?"
        " OR json_extract(json, '$.type') = 'grad_accumulated' AND json_extract(json, '$.leaf') = ?"
        " OR json_extract(json, '$.type') = 'mutated' AND json_extract(json, '$.tensor') = ?) ORDER BY seq"
    )
    value = grad = None
    for (text,) in db.execute(query, (number, first, last, tensor, tensor, tensor)):
        record = json.loads(text)
        if record["type"] == "tensor":
            value = value or _quantiles(record.get("value"))
        elif record["type"] == "grad_accumulated":
            grad = _quantiles(record.get("total")) or grad
        elif record.get("grad"):
            grad = _quantiles(record.get("value")) or grad
    return Distribution(step=step, value=value, grad=grad)


def _quantiles(value: dict[str, Any] | None) -> list[float] | None:
    """The quantiles of the recorded elements, of those that are finite."""
    if not value or not value.get("data"):
        return None
    elements = np.frombuffer(b64decode(value["data"]), "<f4")
    finite = elements[np.isfinite(elements)]
    return np.quantile(finite.astype(np.float64), SHARES).tolist() if finite.size else None
