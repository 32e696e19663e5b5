"""The memory in use, by kind: the arrays of all tensors that a listener has seen, until they are freed.

It counts memory, not tensors: a view counts with its base, and an array that several nodes keep counts once. An array
counts from the event that first shows it until its last reference is gone: from a node, a variable, an optimiser.
Temporary arrays inside an op, and inside a gradient rule, are not counted.

    parameters   leaves that want a gradient
    optimizer    what an optimiser remembers for them
    gradients    what is in a ``.grad``
    inputs       other leaves: data, constants
    saved        activations, and other results of ops, that a node keeps for its backward
    activations  other results of ops: a variable holds them, or the line that runs
    temporary    what backward has made and not put into a ``.grad``

The profiler's `peak_held` and the explorer's memory strip count with this.
"""

from __future__ import annotations

import weakref
from collections import Counter, deque
from collections.abc import Callable
from threading import get_ident
from typing import Any

from .. import events
from ..core.batch import Batch
from ..core.tensor import Tensor

KINDS = ("parameters", "optimizer", "gradients", "inputs", "saved", "activations", "temporary")


class Memory(weakref.ref[Any]):
    """A weak reference to an array that owns its memory. It tells its counter when the array is freed."""

    __slots__ = ("key", "size", "kind", "keepers", "recorded")
    key: int
    size: int
    kind: str
    keepers: int
    recorded: bool
    """Whether a recorded op made the array."""


class Keeper(weakref.ref[Any]):
    """A weak reference to a node, with the memory that the node keeps."""

    __slots__ = ("key", "kept")
    key: int
    kept: list[Memory]


class Held:
    """A listener that counts the bytes in use now, and those at the peak.

    >>> import minigrad as mg
    >>> held = Held()
    >>> with events.listening(held):
    ...     x = mg.ones(256, requires_grad=True)
    ...     y = x.exp()
    >>> {kind: size for kind, size in held.now.items() if size}
    {'parameters': 1024, 'saved': 1024}
    """

    def __init__(self) -> None:
        self.now = dict.fromkeys(KINDS, 0)
        self.total = 0
        self.peak = 0
        self.at_peak = dict(self.now)
        """The bytes of each kind at the peak."""
        self.crest = 0
        """The peak since the last reset."""
        self.changes = 0
        """A counter that grows with every change of a number."""
        self._known: dict[int, Memory] = {}
        self._keepers: dict[int, Keeper] = {}
        self._gone: deque[Memory | Keeper] = deque()
        """Memory and nodes freed since the last event; the thread that freed them adds them."""
        self._running: Counter[int] = Counter()
        """The number of backward passes that each thread is running."""
        self._takers: dict[type, Callable[[Any], None]] = {
            events.TensorCreated: self._created,
            events.NodeRecorded: self._recorded,
            events.TensorSaved: self._saved,
            events.SavedReleased: self._released,
            events.BackwardStarted: self._started,
            events.GradComputed: self._computed,
            events.GradAccumulated: self._accumulated,
            events.BackwardFinished: self._finished,
            events.StepTaken: self._stepped,
        }

    def __call__(self, event: Any) -> None:
        """Handle an event."""
        gone = self._gone
        while gone:
            self._forget(gone.popleft())
        taker = self._takers.get(type(event))
        if taker is not None:
            taker(event)
        if self.total > self.crest:
            self.crest = self.total
            if self.total > self.peak:
                self.peak = self.total
                self.at_peak = dict(self.now)

    def awake(self) -> None:
        """Reset the state that missed events may have left wrong: which threads run a backward pass."""
        self._running.clear()

    # Questions about tensors; subclasses answer them for other libraries

    def is_tensor(self, value: Any) -> bool:
        """Whether `value` is a tensor that takes memory."""
        return isinstance(value, Tensor)

    def begins(self, tensor: Any) -> bool:
        """Whether `tensor` is a leaf, not made by a recorded op."""
        return tensor._edge is None

    def is_learnt(self, tensor: Any) -> bool:
        """Whether `tensor` is a leaf that requires a gradient."""
        view = tensor._view
        return bool((tensor._requires_grad if view is None else view.leaf) and tensor._edge is None)

    def grad_of(self, tensor: Any) -> Any:
        """The ``.grad`` of `tensor`."""
        return tensor._grad

    def owner_of(self, tensor: Any) -> Any:
        """The object that owns the tensor's memory; it can be referenced weakly."""
        return owner_of(tensor)

    def size_of(self, owner: Any) -> int:
        """The bytes of an object that `owner_of` returned."""
        return int(owner.nbytes)

    # Events

    def _created(self, event: events.TensorCreated) -> None:
        self._meet(event.tensor, "temporary" if self._in_backward() else "inputs")

    def _recorded(self, event: events.NodeRecorded) -> None:
        if not event.recorded and self._in_backward():
            return  # inside a gradient rule, where only some listeners get events
        for each in event.inputs:
            if self.is_tensor(each):
                memory = self._meet(each, "inputs" if self.begins(each) else "activations")
                if event.recorded and memory.kind in ("activations", "temporary") and not memory.recorded:
                    self._move(memory, "inputs")  # data prepared without recording, or the initial gradient 1
        for each in event.outputs:
            if self.is_tensor(each):
                self._at(each, "activations").recorded |= event.recorded

    def _meet(self, tensor: Any, kind: str) -> Memory:
        """Return the memory of a tensor, counted as a parameter if the tensor is one, whatever it was before."""
        memory = self._at(tensor, kind)
        if self.is_learnt(tensor):
            if memory.kind != "parameters":
                self._move(memory, "parameters")
            grad = self.grad_of(tensor)
            if grad is not None:
                self._put(grad, "gradients")
        return memory

    def _saved(self, event: events.TensorSaved) -> None:
        memory, node = self._at(event.tensor, "saved"), event.node
        keeper = self._keepers.get(id(node))
        if keeper is None or keeper() is not node:
            keeper = Keeper(node, self._gone.append)
            keeper.key, keeper.kept = id(node), []
            self._keepers[keeper.key] = keeper
        keeper.kept.append(memory)
        memory.keepers += 1
        if memory.kind in ("activations", "temporary"):
            self._move(memory, "saved")

    def _released(self, event: events.SavedReleased) -> None:
        keeper = self._keepers.get(id(event.node))
        if keeper is not None and keeper() is event.node:
            self._let_go(keeper)

    def _started(self, event: events.BackwardStarted) -> None:
        self._running[get_ident()] += 1
        for _, grad in event.roots:
            if self.is_tensor(grad):
                self._at(grad, "temporary")

    def _computed(self, event: events.GradComputed) -> None:
        if self.is_tensor(event.grad):
            self._at(event.grad, "temporary")

    def _accumulated(self, event: events.GradAccumulated) -> None:
        if self.is_tensor(event.total):
            if event.leaf is None:
                self._at(event.total, "temporary")
            else:
                self._meet(event.leaf, "inputs")
                self._put(event.total, "gradients")

    def _finished(self, event: events.BackwardFinished) -> None:
        self._running[get_ident()] = max(0, self._running[get_ident()] - 1)

    def _stepped(self, event: events.StepTaken) -> None:
        for remembered in getattr(event.optimizer, "state", {}).values():
            for each in remembered.values():
                if self.is_tensor(each):
                    self._put(each, "optimizer")

    def _in_backward(self) -> bool:
        return self._running[get_ident()] > 0

    # Counting

    def _at(self, tensor: Any, kind: str) -> Memory:
        """Return the memory of a tensor, counted under `kind` if it is new."""
        array = self.owner_of(tensor)
        memory = self._known.get(id(array))
        if memory is not None:
            if memory() is array:
                return memory
            self._forget(memory)
        memory = Memory(array, self._gone.append)
        memory.key, memory.size, memory.kind = id(array), self.size_of(array), kind
        memory.keepers, memory.recorded = 0, False
        self._known[memory.key] = memory  # complete, since an interrupt may come at any line
        self.now[kind] += memory.size
        self.total += memory.size
        self.changes += 1
        return memory

    def _put(self, tensor: Any, kind: str) -> None:
        memory = self._at(tensor, kind)
        if memory.kind != kind:
            self._move(memory, kind)

    def _move(self, memory: Memory, kind: str) -> None:
        self.now[memory.kind] -= memory.size
        self.now[kind] += memory.size
        self.changes += 1
        memory.kind = kind

    def _forget(self, gone: Memory | Keeper) -> None:
        if isinstance(gone, Keeper):
            if self._keepers.get(gone.key) is gone:
                self._let_go(gone)
        elif self._known.get(gone.key) is gone:
            del self._known[gone.key]
            self.now[gone.kind] -= gone.size
            self.total -= gone.size
            self.changes += 1

    def _let_go(self, keeper: Keeper) -> None:
        del self._keepers[keeper.key]
        for memory in keeper.kept:
            memory.keepers -= 1
            if not memory.keepers and memory.kind == "saved" and self._known.get(memory.key) is memory:
                self._move(memory, "activations")


def owner_of(tensor: Tensor) -> Any:
    """The array that owns the memory of `tensor`: its own, or the base of a view."""
    array = tensor._array
    while type(array) is Batch:
        array = array.value._array
    while (base := array.base) is not None and type(base) is type(array) and base is array.base:
        array = base
    return array
