"""Events: what the core reports to listeners.

The core emits events, small records of live objects: a tensor was created, a node was recorded, a gradient arrived. It
does not know the listeners, and this module imports nothing of minigrad. A listener is any callable that takes one
event:

>>> from minigrad import events
>>> seen = []
>>> with events.listening(seen.append):
...     events.emit(events.StepTaken(None, 3))
>>> seen
[StepTaken(optimizer=None, step=3, seen=True)]

An event is built only if there is a listener. So the hot path reads ``if LISTENERS: emit(Happened(...))``: one test of
one global list and nothing else. A listener may also have an attribute ``skips`` with the kinds of events that it does
not need; events that all listeners skip are not built. Events contain live objects, not copies; a listener must copy
what a later line of the program may change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

LISTENERS: list[Callable[[Any], None]] = []
"""All listeners. The list is never rebound, so that a module may import it; change it with `listen`."""


RULES: list[Callable[[Any], None]] = []
"""The listeners that also get events of ops inside gradient rules. If it is empty, these ops emit no events."""

SKIPPED: set[type] = set()
"""Kinds of events that every listener skips by its attribute ``skips``: the core need not build them."""


def listen(listener: Callable[[Any], None], rules: bool = True) -> Callable[[], None]:
    """Call `listener` with every event from now on. Return a function that stops this.

    With ``rules=False``, skip events for ops that run inside gradient rules, unless ``create_graph`` records them.
    There are many such ops, and they then cost nothing.
    """
    wanted = (LISTENERS, RULES) if rules else (LISTENERS,)
    for listeners in wanted:
        listeners.append(listener)
    tune()

    def stop() -> None:
        for listeners in wanted:
            if listener in listeners:
                listeners.remove(listener)
        tune()

    return stop


def tune() -> None:
    """Recompute `SKIPPED` after a change of a listener's ``skips``. The listener may still get such events."""
    skips: list[frozenset[type]] = [getattr(listener, "skips", frozenset()) for listener in LISTENERS]
    skipped = skips[0].intersection(*skips) if skips else frozenset()
    SKIPPED.intersection_update(skipped)
    SKIPPED.update(skipped)


@contextmanager
def listening(listener: Callable[[Any], None], rules: bool = True) -> Iterator[None]:
    """Listen while the ``with`` block runs."""
    stop = listen(listener, rules)
    try:
        yield
    finally:
        stop()


def emit(event: Any) -> None:
    """Call every listener with `event`. Exceptions are not caught: a breakpoint may stop the program."""
    for listener in tuple(LISTENERS):
        listener(event)


# Forward ------------------------------------------------------------------------------------------------------------


class TensorCreated(NamedTuple):
    """A tensor was created without an op: from data, by a factory, as a parameter."""

    tensor: Any


class OpEntered(NamedTuple):
    """An op is about to run its forward on these inputs; `NodeRecorded` follows when it has."""

    op: Any
    inputs: tuple[Any, ...] = ()


class NodeRecorded(NamedTuple):
    """An op ran. `node` is the op itself; `recorded` is False under no_grad, or if no input needs a gradient."""

    node: Any
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    recorded: bool = True


class TensorSaved(NamedTuple):
    """`node` saved `tensor`, at this version, under `name` for its backward."""

    node: Any
    name: str
    tensor: Any
    version: int


class SavedReleased(NamedTuple):
    """`node` released everything it had saved."""

    node: Any


class Mutated(NamedTuple):
    """`tensor` was changed in place; its version is the new one. `node` is the op that did so, if any."""

    tensor: Any
    node: Any | None


class Detached(NamedTuple):
    """`tensor`, on the memory of `source`, is outside the graph. ``detach_`` emits this just before it detaches."""

    tensor: Any
    source: Any


# Backward -----------------------------------------------------------------------------------------------------------


class BackwardStarted(NamedTuple):
    """A backward pass began. `roots` are (edge, gradient) pairs; an edge is (node, output number).

    `captures`: the gradients are returned (`autograd.grad`, ``inputs=``) and not added to the leaves' ``.grad``.
    """

    run: int
    roots: tuple[tuple[Any, Any], ...]
    create_graph: bool
    retain_graph: bool
    captures: bool = False


class NodeReady(NamedTuple):
    """All gradients that `node` waits for have arrived; `waiting` is the number of other ready nodes in the queue."""

    run: int
    node: Any
    waiting: int


class NodeEntered(NamedTuple):
    """`node` starts its backward with these gradients, one per output, None where none arrived."""

    run: int
    node: Any
    grads: tuple[Any | None, ...]


class NodeLeft(NamedTuple):
    """`node` finished its backward; events for its results follow."""

    run: int
    node: Any


class GradComputed(NamedTuple):
    """`node` computed the gradient of input number `index`, which is sent along `edge`: (node, output number)."""

    run: int
    node: Any
    index: int  # type: ignore[assignment]  # a tuple has a method of that name
    edge: tuple[Any, int]
    grad: Any


class GradReduced(NamedTuple):
    """The gradient of input `index` was summed to the shape of the input, which had been broadcast."""

    run: int
    node: Any
    index: int  # type: ignore[assignment]  # a tuple has a method of that name
    before: Any
    after: Any


class GradAccumulated(NamedTuple):
    """A `contribution` was added to the gradient at `edge`. `total` is the sum (for a leaf, ``.grad``)."""

    run: int
    edge: tuple[Any, int]
    contribution: Any
    total: Any
    leaf: Any | None = None


class HookRan(NamedTuple):
    """A hook got `before` and returned `after` (the same object if it changed nothing)."""

    kind: str
    hook: Any
    target: Any
    before: Any
    after: Any


class BackwardFinished(NamedTuple):
    """The backward pass ended; `error` is the exception if it failed."""

    run: int
    nodes: int
    error: BaseException | None = None


class AnomalyFound(NamedTuple):
    """Something is wrong at `node`: a NaN, a stale saved tensor, or a write that autograd did not notice."""

    kind: str
    node: Any
    message: str


# The program around it ------------------------------------------------------------------------------------------------


class ScopeEntered(NamedTuple):
    """A module's forward, or a named region, began. `owner` is the module, if there is one."""

    name: str
    owner: Any | None = None


class ScopeLeft(NamedTuple):
    """The innermost scope ended."""

    name: str
    owner: Any | None = None


class StepTaken(NamedTuple):
    """An optimiser did its step number `step`; `seen` says whether events told of the backward before it."""

    optimizer: Any
    step: int
    seen: bool = True


class CollectiveRan(NamedTuple):
    """Ranks exchanged data: `kind` is "all_reduce", "broadcast", ...; `seconds` is the time that this rank took.

    `reduction` is "sum", "mean", ... With `grads`, the ``.grad`` of the tensors was exchanged. `before` holds copies of
    this rank's old values, one for each tensor. `waited` is the part of the seconds in which this rank only waited for
    others.

    `bucket` is the number of the bucket of gradients, `filling` the seconds that it took to fill before the exchange
    began, and `late` the seconds from the end of the exchange to this event. `clock` is the difference from this rank's
    clock to that of rank 0.
    """

    kind: str
    tensors: tuple[Any, ...]
    seconds: float
    reduction: str = ""
    grads: bool = False
    before: tuple[Any, ...] = ()
    waited: float = 0.0
    bucket: int | None = None
    filling: float = 0.0
    late: float = 0.0
    clock: float = 0.0
