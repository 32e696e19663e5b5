"""Write messages as text.

The program that made a record writes its JSON once. After that the text is only copied: into the store, batches and
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
from collections.abc import Iterable, Mapping
from typing import Any

PROTOCOL_VERSION = 1
"""The version of the messages between a program, the server and a browser, which compare it first."""

BETWEEN = ",\n"
"""The separator between two records of a batch."""

_COMPACT = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def encode(record: Mapping[str, Any]) -> str:
    """A record's JSON, with the four common fields first."""
    head = {"seq": record["seq"], "t": record.get("t", 0.0), "step": record.get("step", 0), "type": record["type"]}
    return _COMPACT.encode({**head, **record})


def write_batch(first: int, last: int, texts: Iterable[str]) -> str:
    """A batch of records that are already JSON."""
    records = BETWEEN.join(texts)
    return f'{{"type":"batch","first":{first},"last":{last},"records":[\n{records}\n]}}'
