"""Check every record that arrives, from a program or a trace file, against the schema.

Text that is not JSON, or has no number and type of a record, is refused. A record that has these but is wrong otherwise
is left out, and a `dropped` record in its place says what was wrong with it. So the run goes on, and the loss is
visible.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic_core import from_json

from minigrad.observe.publish.wire import encode
from minigrad.observe.schema import check, mended
from minigrad.observe.schema.check import shown


class BadMessage(ValueError):
    """The message does not follow the protocol; the error says what was found."""


class Line(NamedTuple):
    """One record: the fields that the server needs, and its JSON."""

    seq: int
    step: int
    kind: str
    text: str

    @property
    def record(self) -> dict[str, Any]:
        """The whole record."""
        record: dict[str, Any] = json.loads(self.text)
        return record


_HEAD = re.compile(r'\{"seq":([1-9]\d*),"t":[\d.eE+-]+,"step":(\d+),"type":"(\w+)"')
"""The beginning of a record as a recorder writes it."""

_LENIENT = json.JSONDecoder(parse_constant=lambda name: None)


def line_of(text: str) -> Line:
    """Read one record. Raises BadMessage if it is wrong. NaN and Infinity, which are not JSON, become null."""
    record, kept = _parsed(text)
    wrong = check(record)
    if wrong is not None:
        raise BadMessage(str(wrong))
    return _line(record, kept)


def read_batch(message: str) -> list[Line]:
    """The records of a batch, each with its JSON. Raises BadMessage if it is no batch."""
    head, *lines = message.split("\n")
    if lines and head.startswith('{"type":"batch"') and head.endswith("[") and lines.pop() == "]}":
        try:
            return [_taken(*_parsed(line.removesuffix(","))) for line in lines]
        except BadMessage:
            pass  # the batch may be formatted differently
    batch, _ = _parsed(message)
    if not isinstance(batch, dict) or not isinstance(batch.get("records"), list):
        raise BadMessage(f"expected a batch of records, found {shown(message)}")
    return [_taken(record, None) for record in batch["records"]]


def _parsed(text: str) -> tuple[Any, str | None]:
    """The value of a JSON text, and the text itself, or None if it must be written again."""
    try:
        return from_json(text, allow_inf_nan=False), text
    except ValueError:
        pass
    try:
        return mended(_LENIENT.decode(text)), None
    except RecursionError as error:
        raise BadMessage("the JSON is nested too deeply") from error
    except ValueError as error:
        raise BadMessage(_why(error)) from error


def _why(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg.removesuffix(' at')} at column {error.colno}"
    return f"not JSON: {error}"


def _taken(record: Any, text: str | None) -> Line:
    """The line of a program's record. An invalid one is replaced by a `dropped` record."""
    wrong = check(record)
    if wrong is None:
        return _line(record, text)
    if not isinstance(record, dict):
        raise BadMessage(str(wrong))
    place = {"seq": record.get("seq"), "t": record.get("t", 0.0), "step": record.get("step", 0)}
    reason = f"a {shown(record.get('type'))} record is not what it should be. {wrong}"
    dropped = {**place, "type": "dropped", "count": 1, "reason": reason}
    wrong = check(dropped)
    if wrong is not None:
        raise BadMessage(str(wrong))
    return _line(dropped, None)


def _line(record: Mapping[str, Any], text: str | None) -> Line:
    """The line of a valid record.

    Its text is kept if it begins with the four common fields; otherwise it is encoded again.
    """
    seq, step, kind = record["seq"], record.get("step", 0), record["type"]
    head = None if text is None else _HEAD.match(text)
    if text is None or head is None or (int(head[1]), int(head[2]), head[3]) != (seq, step, kind):
        text = encode(record)
    return Line(seq, step, kind, text)
