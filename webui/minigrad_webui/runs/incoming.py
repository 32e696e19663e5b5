"""Records that come in, from a program or out of a trace file: each is checked here, once, by the one schema.

What is not JSON, or says not even which record it is, is refused. A record that says so and is wrong otherwise is left
out, and a `dropped` record in its place tells what was wrong with it: the run goes on, and nothing is lost unsaid.
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
    """A message that is not of the protocol; says what was found."""


class Line(NamedTuple):
    """One record: what the server reads of all, and its JSON."""

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
"""The beginning of a record that a recorder has written."""

_LENIENT = json.JSONDecoder(parse_constant=lambda name: None)


def line_of(text: str) -> Line:
    """One record; `BadMessage` says what is wrong with it. NaN and Infinity, which are not JSON, become null."""
    record, kept = _parsed(text)
    wrong = check(record)
    if wrong is not None:
        raise BadMessage(str(wrong))
    return _line(record, kept)


def read_batch(message: str) -> list[Line]:
    """The records of a batch, each with its JSON; `BadMessage` if it is none."""
    head, *lines = message.split("\n")
    if lines and head.startswith('{"type":"batch"') and head.endswith("[") and lines.pop() == "]}":
        try:
            return [_taken(*_parsed(line.removesuffix(","))) for line in lines]
        except BadMessage:
            pass  # the same record, encoded differently
    batch, _ = _parsed(message)
    if not isinstance(batch, dict) or not isinstance(batch.get("records"), list):
        raise BadMessage(f"expected a batch of records, found {shown(message)}")
    return [_taken(record, None) for record in batch["records"]]


def _parsed(text: str) -> tuple[Any, str | None]:
    """The JSON's value, and its text where that can be kept as it is."""
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
    """A record of a program. One that is wrong leaves word of itself."""
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
    """With the text that came, where that begins as a recorder writes it and says nothing twice."""
    seq, step, kind = record["seq"], record.get("step", 0), record["type"]
    head = None if text is None else _HEAD.match(text)
    if text is None or head is None or (int(head[1]), int(head[2]), head[3]) != (seq, step, kind):
        text = encode(record)
    return Line(seq, step, kind, text)
