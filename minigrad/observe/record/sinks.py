"""The targets of records: any object with ``send(record)`` and ``close()``."""

from __future__ import annotations

import gzip
import json
import math
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache
from typing import IO, Any, Protocol


class Sink(Protocol):
    """Takes records, in order, from one thread at a time. The explorer's `Publisher` is one.

    A sink that handles several records at once more cheaply also has ``send_all(records)``.
    """

    def send(self, record: dict[str, Any]) -> None:
        """Take a record, which does not change any more."""

    def close(self) -> None:
        """Close the sink: no more records come."""


def _plain(value: Any) -> Any:
    """Convert what JSON cannot write: NumPy's scalars to numbers, everything else to text."""
    item = getattr(value, "item", None)
    return item() if callable(item) and getattr(value, "ndim", None) == 0 else str(value)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in value]
    return value


_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False, default=_plain)


@cache
def _fast() -> Callable[..., bytes] | None:
    """Pydantic's encoder, five times as fast as Python's; None where it is not to be had, as in WebAssembly."""
    try:
        from pydantic_core import to_json
    except ImportError:
        return None
    return to_json


def encode(record: Any) -> str:
    """A record as one line of JSON. NaN and infinity, which JSON lacks, become null."""
    return _line(record).decode()


def _line(record: Any) -> bytes:
    fast = _fast()
    if fast is not None:
        with suppress(ValueError):  # a lone surrogate, which only Python's encoder writes
            written = fast(record, inf_nan_mode="null", fallback=_plain)
            if written.isascii():  # else Python's encoder escapes what some programs take for the end of a line
                return written
    try:
        return _ENCODER.encode(record).encode()
    except ValueError:
        return _ENCODER.encode(_finite(record)).encode()


def encode_all(records: Iterable[Any], between: str = "\n") -> str:
    """Encode each record as `encode` does, with `between` between them.

    >>> encode_all([{"seq": 1}, {"seq": 2}], "; ")
    '{"seq":1}; {"seq":2}'
    """
    return between.encode().join(map(_line, records)).decode()


BUFFER = 1 << 18
"""A trace file is written in pieces of this many bytes, unless it is flushed before."""


class File:
    """A trace file: JSON Lines, compressed where the name ends in ``.gz``."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        packed = self.path.endswith(".gz")
        opened: Any = gzip.open(self.path, "wb", 3) if packed else open(self.path, "wb", BUFFER)  # noqa: SIM115
        self._file: IO[bytes] = opened

    def send(self, record: dict[str, Any]) -> None:
        """Write a record as one line."""
        self.send_all([record])

    def send_all(self, records: Sequence[dict[str, Any]]) -> None:
        """Write several lines."""
        self._file.write(b"\n".join([*map(_line, records), b""]))

    def flush(self) -> None:
        """Hand the written lines to the system, so that they outlive this process."""
        self._file.flush()

    def close(self) -> None:
        """Finish the file."""
        self._file.close()


class Calls:
    """Calls a function with every record."""

    def __init__(self, function: Callable[[dict[str, Any]], object]) -> None:
        self._function = function

    def send(self, record: dict[str, Any]) -> None:
        """Call the function with a record."""
        self._function(record)

    def close(self) -> None:
        """Nothing to do."""


def as_sink(target: Any) -> Sink:
    """Make a sink of a path, a function, or a sink."""
    if isinstance(target, (str, os.PathLike)):
        return File(target)
    if hasattr(target, "send"):
        return target
    if callable(target):
        return Calls(target)
    raise TypeError(f"a recorder writes to a path, a function or an object with send(record), not to {target!r}")


def hand_over(sink: Sink, records: Sequence[dict[str, Any]]) -> None:
    """Give `sink` the records, all at once if it has ``send_all``."""
    send_all = getattr(sink, "send_all", None)
    if send_all is not None:
        send_all(records)
        return
    for record in records:
        sink.send(record)
