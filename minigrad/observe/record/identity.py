"""Give small numbers to living objects.

A trace calls a tensor "tensor 7" for as long as it lives, and never reuses that number. Python's own `id` cannot serve:
an address is used again as soon as its owner is gone. So every entry holds a weak reference, and an entry found by
address counts only if its reference leads to the object asked about. The table keeps no object alive.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterator
from typing import Any, Generic, Literal, NamedTuple, TypeVar

Outputs = tuple["KnownTensor", ...]


class Known:
    """The entry of one object in a trace: its number, and the last step that has a record of it."""

    __slots__ = ("ref", "id", "step")

    def __init__(self, thing: Any, number: int) -> None:
        self.ref: weakref.ref[Any] = weakref.ref(thing)
        self.id = number
        self.step = -1


class Loss(NamedTuple):
    """The loss that a backward run began at: the number of the run, the value, and the variable that held it."""

    run: int
    value: float
    name: str | None


class KnownTensor(Known):
    """A tensor: its name, where it was made and last changed, whether it is broken, what was added to its ``.grad``."""

    __slots__ = ("name", "at", "written", "broken", "arrived", "loss", "cut")

    def __init__(self, thing: Any, number: int) -> None:
        self.ref = weakref.ref(thing)
        self.id = number
        self.step = -1
        self.name: str | None = None
        self.at: dict[str, Any] | None = None
        self.written: dict[str, Any] | None = None
        self.broken: Literal["", "asked", "data", "told"] = ""
        """Why the tensor holds a NaN or an infinity, empty if it holds none: "asked", the program asked for an
        infinity, as in a mask; "data", a NaN that no op made; "told", already reported, or computed from a reported
        one."""
        self.arrived: list[Any] | tuple[()] = ()
        self.loss: Loss | None = None
        """The loss of the last backward run that reached this leaf, until a step has used its gradient."""
        self.cut: tuple[KnownTensor, dict[str, Any] | None] | None = None
        """The tensor at which the graph was cut to detach this one (or this one itself), and the place of the cut."""


class KnownNode(Known):
    """A node: its layer, its record without values, its outputs, the bytes it saves, which backward released them."""

    __slots__ = ("layer", "bare", "outputs", "bytes", "freed")

    def __init__(self, thing: Any, number: int) -> None:
        self.ref = weakref.ref(thing)
        self.id = number
        self.step = -1
        self.layer = 0
        self.bare: dict[str, Any] = {}
        self.outputs: Outputs = ()
        self.bytes = 0
        self.freed: dict[str, Any] | None = None


K = TypeVar("K", bound=Known)

FEWEST = 1024
"""Dead entries are purged from this many entries on."""


class Table(Generic[K]):
    """The known objects of one kind, by address. `kind` makes a new entry.

    >>> class Thing: ...
    >>> table, thing = Table(KnownTensor), Thing()
    >>> table.get(thing).id, table.get(Thing()).id, table.get(thing).id
    (1, 2, 1)
    """

    def __init__(self, kind: type[K]) -> None:
        self._kind = kind
        self._entries: dict[int, K] = {}
        self._numbers = itertools.count(1)
        self._enough = FEWEST

    def find(self, thing: Any) -> K | None:
        """The entry of `thing`, or None."""
        entry = self._entries.get(id(thing))
        return entry if entry is not None and entry.ref() is thing else None

    def get(self, thing: Any) -> K:
        """The entry of `thing`; a new one if it has none."""
        entry = self._entries.get(id(thing))
        if entry is None or entry.ref() is not thing:
            entry = self._entries[id(thing)] = self._kind(thing, self.new_number())
        return entry

    def new_number(self) -> int:
        """A number that no other object has."""
        return next(self._numbers)

    def numbered(self, number: int) -> K | None:
        """The entry with this number, or None.

        It searches all entries: good enough when a person asks, too slow for a loop.
        """
        return next((entry for entry in self if entry.id == number), None)

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[K]:
        return iter(list(self._entries.values()))

    def purge(self) -> None:
        """Remove the entries of dead objects, once there may be many of them."""
        if len(self._entries) > self._enough:
            self._entries = {key: entry for key, entry in self._entries.items() if entry.ref() is not None}
            self._enough = max(FEWEST, 2 * len(self._entries))
