"""The ways to send bytes between ranks: `Transport`, with `Alone` for a world of one, which needs no MPI.

All buffers are contiguous NumPy arrays (or CuPy's, if MPI reads GPU memory). Each call starts an exchange and
returns a `Request`; nothing blocks. `mpi.py` has the transport over MPI.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ..errors import DistributedError
from .reduction import ReduceOp

Buffer = Any
ANY = -1
"""In place of a source: whichever rank sends first."""


class Request(Protocol):
    """An exchange that is in progress."""

    source: int
    """The rank that sent a received message."""
    count: int
    """The bytes of a received message."""

    def done(self) -> bool:
        """Whether the exchange is complete. Calling this also makes progress."""


class Transport(ABC):
    """Ranks 0 to ``size - 1`` that exchange arrays."""

    rank: int
    size: int
    name: str
    on_device = False
    """Whether the transport reads and writes the memory of a GPU."""

    @abstractmethod
    def barrier(self) -> Request: ...

    @abstractmethod
    def broadcast(self, buffer: Buffer, root: int) -> Request: ...

    @abstractmethod
    def all_reduce(self, buffer: Buffer, op: ReduceOp) -> Request: ...

    @abstractmethod
    def reduce(self, given: Buffer, out: Buffer, op: ReduceOp, root: int) -> Request: ...

    @abstractmethod
    def reduce_scatter(self, given: Buffer, out: Buffer, op: ReduceOp) -> Request: ...

    @abstractmethod
    def all_gather(self, given: Buffer, out: Buffer) -> Request: ...

    @abstractmethod
    def gather(self, given: Buffer, out: Buffer | None, root: int) -> Request: ...

    @abstractmethod
    def scatter(self, given: Buffer | None, out: Buffer, root: int) -> Request: ...

    @abstractmethod
    def all_to_all(self, given: Buffer, out: Buffer, sent: Sequence[int], received: Sequence[int]) -> Request:
        """Exchange parts of arrays; `sent` and `received` are the numbers of elements for, and from, each rank."""

    @abstractmethod
    def send(self, given: Buffer, to: int, tag: int) -> Request: ...

    @abstractmethod
    def receive(self, out: Buffer, source: int, tag: int) -> Request: ...

    @abstractmethod
    def waiting(self, tag: int) -> bool:
        """Whether a message with this tag waits to be received."""

    @abstractmethod
    def subgroup(self, ranks: Sequence[int]) -> Transport | None:
        """A new transport between these ranks, in this order; None on the other ranks. Every rank calls it."""

    def duplicate(self) -> Transport:
        """Another transport between the same ranks; messages of the two never meet."""
        made = self.subgroup(range(self.size))
        assert made is not None
        return made

    @staticmethod
    def host_buffer(values: Any, dtype: str = "uint8") -> Any:
        """A buffer with these values."""
        return np.array(values, dtype)


class Done:
    """An exchange that is complete."""

    source = count = 0

    def done(self) -> bool:
        return True


class Message(Done):
    """A message of this rank to itself that has not arrived yet."""

    def __init__(self, box: list[Any], out: Any) -> None:
        self._box, self._out = box, out
        self.count = out.nbytes

    def done(self) -> bool:
        if self._out is not None and self._box:
            self._out[...] = self._box.pop(0)
            self._out = None
        return self._out is None


class Alone(Transport):
    """A world of one rank: every exchange is at most a copy."""

    rank, size, name, on_device = 0, 1, "a world of one", True

    def __init__(self) -> None:
        self._boxes: dict[int, list[Any]] = {}

    def barrier(self) -> Request:
        return Done()

    def broadcast(self, buffer: Buffer, root: int) -> Request:
        return Done()

    def all_reduce(self, buffer: Buffer, op: ReduceOp) -> Request:
        return Done()

    def reduce(self, given: Buffer, out: Buffer, op: ReduceOp, root: int) -> Request:
        return self._copied(given, out)

    def reduce_scatter(self, given: Buffer, out: Buffer, op: ReduceOp) -> Request:
        return self._copied(given, out)

    def all_gather(self, given: Buffer, out: Buffer) -> Request:
        return self._copied(given, out)

    def gather(self, given: Buffer, out: Buffer | None, root: int) -> Request:
        return self._copied(given, out)

    def scatter(self, given: Buffer | None, out: Buffer, root: int) -> Request:
        return self._copied(given, out)

    def all_to_all(self, given: Buffer, out: Buffer, sent: Sequence[int], received: Sequence[int]) -> Request:
        return self._copied(given, out)

    def send(self, given: Buffer, to: int, tag: int) -> Request:
        self._boxes.setdefault(tag, []).append(given.copy())
        return Done()

    def receive(self, out: Buffer, source: int, tag: int) -> Request:
        return Message(self._boxes.setdefault(tag, []), out)

    def waiting(self, tag: int) -> bool:
        return bool(self._boxes.get(tag))

    def subgroup(self, ranks: Sequence[int]) -> Transport | None:
        return Alone() if len(ranks) else None

    @staticmethod
    def _copied(given: Buffer, out: Buffer) -> Request:
        if given.size != out.size:
            raise DistributedError(f"{given.size} elements were given, but there is room for {out.size}")
        out.reshape(-1)[...] = given.reshape(-1)
        return Done()
