"""The records that a publisher must still deliver, as JSON, until the server confirms that they are stored."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from minigrad.observe.publish.wire import BETWEEN, PROTOCOL_VERSION, write_batch
from minigrad.observe.record.sinks import encode, encode_all

AT_ONCE = 4_000
"""How many records to write as JSON before the connection is checked again."""

TOGETHER = 64
"""How many records are written as JSON, sent and acknowledged as one piece."""

BATCH = 1024 * 1024
"""The approximate number of characters in a batch."""


class Piece(NamedTuple):
    """Some records as JSON: the number of the last one, how many they are, and their lines in a batch."""

    last: int
    records: int
    text: str


class Outbox:
    """Records as JSON, from when they are written until they are acknowledged. Not thread-safe."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._unsent: deque[Piece] = deque()
        self._unacknowledged: deque[Piece] = deque()
        self._count = 0
        self._size = 0
        self._sent = 0
        self.started: Mapping[str, Any] | None = None
        """The run's first record, once it has come."""

    def __len__(self) -> int:
        return self._count

    @property
    def full_batch(self) -> bool:
        """Whether more records wait than one batch should hold."""
        return len(self._unsent) * TOGETHER > 1_000

    def fill(self, inbox: deque[Mapping[str, Any]]) -> None:
        """Write records as JSON while there is room, but not all at once: a busy program always adds more."""
        for _ in range(AT_ONCE // TOGETHER):
            records = _first(inbox, TOGETHER) if self._size < self._limit else []
            if not records:
                return
            if self.started is None:
                self.started = records[0]
            text = _encode_all(records)
            self._unsent.append(Piece(records[-1]["seq"], len(records), text))
            self._count += len(records)
            self._size += len(text)

    def hello(self) -> dict[str, Any]:
        """The greeting message, made from the run's first record."""
        first = self.started or {}
        known = {name: first[name] for name in ("schema_version", "name", "started") if name in first}
        return {"type": "hello", "protocol": PROTOCOL_VERSION, "run": first.get("id", ""), **known}

    def resume(self, have: int) -> None:
        """Send all records after number `have` again: the server has stored those up to it."""
        self._unsent.extendleft(reversed(self._unacknowledged))
        self._unacknowledged.clear()
        self._forget(self._unsent, have)
        self._sent = have

    def batch(self) -> str:
        """The next batch to send; empty if there is none."""
        texts: list[str] = []
        size, first = 0, self._sent + 1
        while self._unsent and size < BATCH:
            piece = self._unsent.popleft()
            self._unacknowledged.append(piece)
            self._sent = piece.last
            texts.append(piece.text)
            size += len(piece.text)
        return write_batch(first, self._sent, texts) if texts else ""

    def acknowledge(self, seq: int) -> None:
        """Note that the server has stored all records up to `seq`."""
        self._forget(self._unacknowledged, seq)

    def _forget(self, queue: deque[Piece], seq: int) -> None:
        """Forget the pieces that the server has in full. Of a piece that it has in part, it ignores what it has."""
        while queue and queue[0].last <= seq:
            piece = queue.popleft()
            self._count -= piece.records
            self._size -= len(piece.text)


def _first(inbox: deque[Mapping[str, Any]], count: int) -> list[Mapping[str, Any]]:
    """Take at most `count` records out of a queue that another thread may be emptying."""
    records: list[Mapping[str, Any]] = []
    with contextlib.suppress(IndexError):
        while len(records) < count:
            records.append(inbox.popleft())
    return records


def _encode_all(records: Sequence[Mapping[str, Any]]) -> str:
    """The records' lines in a batch. A record that cannot be written as JSON is replaced by `dropped`."""
    try:
        return encode_all(records, BETWEEN)
    except Exception:  # a user's object may raise anything when it is converted to text
        return BETWEEN.join(map(_encode, records))


def _encode(record: Mapping[str, Any]) -> str:
    try:
        return encode(record)
    except Exception as error:
        place = {"seq": record["seq"], "t": 0.0, "step": int(record.get("step", 0))}
        return encode({**place, "type": "dropped", "count": 1, "reason": f"not to be written as JSON: {error!r}"})
