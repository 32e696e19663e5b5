"""Messages as text.

A record's JSON is written once, by whoever made it, and from then on only moved: into the store, into batches, into
snapshots. A batch is JSON with one record a line, so that its records can be cut out without writing them again:

    {"type":"batch","first":7,"last":8,"records":[
    {"seq":7,"t":0.25,"step":0,"type":"saved",...},
    {"seq":8,"t":0.25,"step":0,"type":"released",...}
    ]}

and a record, as a recorder writes it, begins with the four fields that all have, so that most need not even be read.
Any other form of the same JSON is understood too, only more slowly.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

PROTOCOL_VERSION = 1
"""As in `protocol`, which takes too long to import for a program that only publishes; a test compares the two."""


class BadMessage(ValueError):
    """What arrived is no message of the protocol; says what was found."""


class Line(NamedTuple):
    """One record: what the server reads of all, and its JSON."""

    seq: int
    step: int
    kind: str
    text: str

    @property
    def record(self) -> dict[str, Any]:
        """All of it."""
        record: dict[str, Any] = json.loads(self.text)
        return record


BETWEEN = ",\n"
"""What stands between two records of a batch."""

_HEAD = re.compile(r'\{"seq":([1-9]\d*),"t":[\d.eE+-]+,"step":(\d+),"type":"(\w+)"')
_LENIENT = json.JSONDecoder(parse_constant=lambda name: None)
_COMPACT = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def encode(record: Mapping[str, Any]) -> str:
    """A record's JSON, with the fields that all have first."""
    head = {"seq": record["seq"], "t": record.get("t", 0.0), "step": record.get("step", 0), "type": record["type"]}
    return _COMPACT.encode({**head, **record})


def line_of(text: str) -> Line:
    """Read one record. NaN and Infinity, which are not JSON but which Python writes, become null."""
    return _line(_LENIENT.decode(text))


def _line(record: Any) -> Line:
    if not isinstance(record, dict):
        raise BadMessage(f"a record is an object, but this is a {type(record).__name__}")
    seq, step = record.get("seq"), record.get("step", 0)
    if type(seq) is not int or seq < 1 or type(step) is not int or step < 0 or not isinstance(record.get("type"), str):
        raise BadMessage("a record has a whole `seq` from 1, a whole `step` from 0 and a `type`")
    return Line(seq, step, record["type"], encode(record))


def _cut(text: str) -> Line:
    """One record as a publisher writes it, by its first fields only."""
    head = _HEAD.match(text)
    if head is None or text[-1] != "}" or "NaN" in text or "Infinity" in text:
        return line_of(text)
    return Line(int(head[1]), int(head[2]), head[3], text)


def read_batch(message: str) -> list[Line]:
    """The records of a batch, each with its JSON; `BadMessage` if it is none."""
    head, *lines = message.split("\n")
    if lines and head.startswith('{"type":"batch"') and head.endswith("[") and lines.pop() == "]}":
        try:
            return [_cut(line.removesuffix(",")) for line in lines]
        except ValueError:
            pass
    try:
        batch = _LENIENT.decode(message)
        return [_line(record) for record in batch["records"]]
    except (ValueError, KeyError, TypeError) as error:
        raise BadMessage(f"expected a batch of records, found {message[:80]!r}: {error}") from error


def write_batch(first: int, last: int, texts: Iterable[str]) -> str:
    """A batch of records that are JSON already."""
    records = BETWEEN.join(texts)
    return f'{{"type":"batch","first":{first},"last":{last},"records":[\n{records}\n]}}'
