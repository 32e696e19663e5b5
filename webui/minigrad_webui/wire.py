"""Messages as text.

A record's JSON is written once, by whoever made it, and from then on only moved: into the store, into batches, into
snapshots. A batch is JSON with one record a line, so that its records can be cut out without writing them again:

    {"type":"batch","first":7,"last":8,"records":[
    {"seq":7,...},
    {"seq":8,...}
    ]}

Any other form of the same JSON is read too, only more slowly.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn


class BadMessage(ValueError):
    """What arrived is no message of the protocol; says what was found."""


@dataclass(frozen=True, slots=True)
class Line:
    """One record: the fields the server reads, and its JSON."""

    seq: int
    step: int
    record: dict[str, Any]
    text: str


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_STRICT = json.JSONDecoder(parse_constant=_no_constant)
_LENIENT = json.JSONDecoder(parse_constant=lambda name: None)
_COMPACT = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def line_of(text: str) -> Line:
    """Read one record. NaN and Infinity, which are not JSON but which Python writes, become null."""
    try:
        record = _STRICT.decode(text)
    except ValueError:
        record = _LENIENT.decode(text)
        text = _COMPACT.encode(record)
    return _line(record, text)


def _line(record: Any, text: str) -> Line:
    if not isinstance(record, dict):
        raise BadMessage(f"a record is an object, but this is a {type(record).__name__}")
    seq, step = record.get("seq"), record.get("step", 0)
    if type(seq) is not int or seq < 1 or type(step) is not int or step < 0 or not isinstance(record.get("type"), str):
        raise BadMessage("a record has a whole `seq` from 1, a whole `step` from 0 and a `type`")
    return Line(seq, step, record, text)


def read_batch(message: str) -> list[Line]:
    """The records of a batch, each with its JSON; `BadMessage` if it is none."""
    head, *lines = message.split("\n")
    if lines and head.endswith("[") and lines.pop() == "]}":
        try:
            return [line_of(line.removesuffix(",")) for line in lines]
        except ValueError:
            pass
    try:
        batch = _LENIENT.decode(message)
        return [_line(record, _COMPACT.encode(record)) for record in batch["records"]]
    except (ValueError, KeyError, TypeError) as error:
        raise BadMessage(f"expected a batch of records, found {message[:80]!r}: {error}") from error


def write_batch(first: int, last: int, texts: Iterable[str]) -> str:
    """A batch of records that are JSON already."""
    records = ",\n".join(texts)
    return f'{{"type":"batch","first":{first},"last":{last},"records":[\n{records}\n]}}'
