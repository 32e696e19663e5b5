"""Stand-ins for PyTorch's nodes, and for values that were not seen.

PyTorch hands out a new Python object each time its node is looked at, and none of them can be referenced weakly. So
each call that makes nodes gets one `Call`, which the nodes themselves hold, in their ``metadata``: it lives as long as
they do, and holds no tensor. Most calls make one node; a `linear` makes two or three, which are one `Call` together.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from typing import Any, NamedTuple

Edge = tuple[Any, int]

KEY = "minigrad"
"""The attribute in which a node of PyTorch's keeps its `Inner`."""

_numbers = itertools.count(1)


class Call:
    """One call of the user's, as a node of the graph. Its edges lead to other calls and to `Sink`s, by input."""

    __slots__ = ("op", "names", "settings", "edges", "number", "written", "released", "unseen", "__weakref__")

    def __init__(self, op: str, names: list[str], settings: dict[str, Any], edges: list[Edge | None]) -> None:
        self.op = op
        self.names = names
        self.settings = settings
        self.edges = edges
        self.number = next(_numbers)
        self.written = False
        """Whether it wrote to memory that was there before."""
        self.released = False
        self.unseen: dict[int, Unseen] = {}
        """The outputs that no Python object has been seen of."""

    def output(self, index: int, shape: tuple[int, ...] = (), dtype: str = "float32") -> Unseen:
        """A stand-in for an output of the call."""
        known = self.unseen.get(index)
        if known is None:
            known = self.unseen[index] = Unseen(self, index, shape, dtype)
        return known

    def __repr__(self) -> str:
        return f"<{self.op} {self.number}>"


class Sink:
    """The node that accumulates into a leaf's ``.grad``. PyTorch's own is a new one in each graph."""

    __slots__ = ("ref", "number", "edges", "__weakref__")

    def __init__(self, leaf: Any) -> None:
        self.ref = weakref.ref(leaf)
        self.number = next(_numbers)
        self.edges: list[Edge | None] = []


class Unseen:
    """A result inside a composite call: its place, shape and type are known, its elements are not."""

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
    """The role of one node of PyTorch's in its `Call`."""

    call: Call
    outputs: dict[int, int]
    """By the number of its own output: which output of the call that is."""
    inputs: list[tuple[int, Edge] | None]
    """By the number of its own edge: as which input of the call that leaves it, and the call's edge there."""


class Sinks:
    """The `Sink` of each leaf, for as long as a call leads to it."""

    def __init__(self) -> None:
        self._known: weakref.WeakValueDictionary[int, Sink] = weakref.WeakValueDictionary()
        self._lock = threading.Lock()

    def find(self, leaf: Any) -> Sink | None:
        """The sink of `leaf`, if it has one."""
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
    """The state of this thread."""

    def __init__(self) -> None:
        self.runs: list[Any] = []
        self.busy = False
        """Whether it is our own code that runs now."""
        self.inside: list[Any] = []
        """The functions that are being looked into."""
        self.told: list[bool] = []
        """For each module that runs, whether an event was emitted."""
        self.sealed: Any = None
        """A module that runs alone, and the call that it is shown as."""


HERE = Here()
