"""Proxy objects for PyTorch's nodes, and for values that were not seen.

PyTorch creates a new Python object each time a node is read, and these do not allow weak references. So each call that
makes nodes gets one `Call`. The nodes hold it in their ``metadata``, so it lives as long as they do; it holds no
tensor.
Most calls make one node; a `linear` makes two or three, which share one `Call`.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from typing import Any, NamedTuple

Edge = tuple[Any, int]

KEY = "minigrad"
"""The key under which a node of PyTorch keeps its `Inner`."""

_numbers = itertools.count(1)


class Call:
    """One call of the user, as a node of the graph. Its edges lead to other calls and to `Sink`s, by input."""

    __slots__ = ("op", "names", "settings", "edges", "number", "written", "released", "unseen", "__weakref__")

    def __init__(self, op: str, names: list[str], settings: dict[str, Any], edges: list[Edge | None]) -> None:
        self.op = op
        self.names = names
        self.settings = settings
        self.edges = edges
        self.number = next(_numbers)
        self.written = False
        """Whether the call wrote to memory that existed before."""
        self.released = False
        self.unseen: dict[int, Unseen] = {}
        """The outputs that no Python code has seen."""

    def output(self, index: int, shape: tuple[int, ...] = (), dtype: str = "float32") -> Unseen:
        """A proxy for an output of the call."""
        known = self.unseen.get(index)
        if known is None:
            known = self.unseen[index] = Unseen(self, index, shape, dtype)
        return known

    def __repr__(self) -> str:
        return f"<{self.op} {self.number}>"


class Sink:
    """The node that accumulates into a leaf's ``.grad``. PyTorch creates its own anew in each graph."""

    __slots__ = ("ref", "number", "edges", "__weakref__")

    def __init__(self, leaf: Any) -> None:
        self.ref = weakref.ref(leaf)
        self.number = next(_numbers)
        self.edges: list[Edge | None] = []


class Unseen:
    """A result inside a composite call: its place, shape and dtype are known, its elements are not."""

    __slots__ = ("_call", "index", "shape", "dtype", "__weakref__")

    def __init__(self, call: Call, index: int, shape: tuple[int, ...], dtype: str) -> None:
        self._call = weakref.ref(call)
        self.index = index
        self.shape = shape
        self.dtype = dtype

    @property
    def place(self) -> Edge | None:
        """The call that made the tensor."""
        call = self._call()
        return None if call is None else (call, self.index)


class Inner(NamedTuple):
    """The role of one of PyTorch's nodes in its `Call`."""

    call: Call
    outputs: dict[int, int]
    """For each output of the node, the number of the call's output."""
    inputs: list[tuple[int, Edge] | None]
    """For each edge of the node, the number of the call's input and the call's edge; None inside the call."""


class Sinks:
    """The `Sink` of each leaf, for as long as a call leads to it."""

    def __init__(self) -> None:
        self._known: weakref.WeakValueDictionary[int, Sink] = weakref.WeakValueDictionary()
        self._lock = threading.Lock()

    def find(self, leaf: Any) -> Sink | None:
        """The sink of `leaf`, or None."""
        known = self._known.get(id(leaf))
        return known if known is not None and known.ref() is leaf else None

    def of(self, leaf: Any) -> Sink:
        """The sink of `leaf`: the same one as long as the leaf lives."""
        known = self.find(leaf)
        if known is None:
            with self._lock:
                known = self.find(leaf) or Sink(leaf)
                self._known[id(leaf)] = known
        return known


SINKS = Sinks()


class Here(threading.local):
    """The state of each thread."""

    def __init__(self) -> None:
        self.runs: list[Any] = []
        self.busy = False
        """Whether our own code runs now."""
        self.inside: list[Any] = []
        """The functions whose inner ops are being emitted."""
        self.told: list[bool] = []
        """For each module that runs, whether an event was emitted."""
        self.sealed: Any = None
        """A module that is shown as one call, and the call."""


HERE = Here()
