"""The events of the core.

The core announces what it does as small records of live objects: a tensor was made, a node was recorded, a gradient
arrived. It never learns who listens, and this module imports nothing of minigrad. A listener is any callable that takes
one event:

>>> from minigrad import events
>>> seen = []
>>> with events.listening(seen.append):
...     events.emit(events.StepTaken(None, 3))
>>> seen
[StepTaken(optimizer=None, step=3)]

An event is built only when someone listens. The hot path therefore reads ``if LISTENERS: emit(Happened(...))``: one
test of one global list and nothing else. A listener may also say, in an attribute ``skips``, which kinds it does
without; what all do without is not built. Events carry live objects, not copies; a listener decides what to keep, and
must copy what a later line of the program may change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

LISTENERS: list[Callable[[Any], None]] = []
"""All listeners. Never rebound, so that a module may import the list itself; change it with `listen`."""


RULES: list[Callable[[Any], None]] = []
"""The listeners that also hear of ops inside gradient rules. Where there is none, these ops emit no events."""

SKIPPED: set[type] = set()
"""Kinds of events that every listener does without, as its attribute ``skips`` says: the core need not build them."""


def listen(listener: Callable[[Any], None], rules: bool = True) -> Callable[[], None]:
    """Call `listener` with every event from now on; the returned function stops that.

    With ``rules=False``, skip events for ops that run inside gradient rules, unless ``create_graph`` records them.
    These ops are many, and then cost nothing.
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
    """Work out `SKIPPED` again: a listener's ``skips`` has changed. It may get such an event all the same."""
    skips: list[frozenset[type]] = [getattr(listener, "skips", frozenset()) for listener in LISTENERS]
    skipped = skips[0].intersection(*skips) if skips else frozenset()
    SKIPPED.intersection_update(skipped)
    SKIPPED.update(skipped)


@contextmanager
def listening(listener: Callable[[Any], None], rules: bool = True) -> Iterator[None]:
    """Listen for as long as the ``with`` block runs."""
    stop = listen(listener, rules)
    try:
        yield
    finally:
        stop()


def emit(event: Any) -> None:
    """Tell every listener. One that raises is not hidden: a breakpoint may want to stop the program."""
    for listener in tuple(LISTENERS):
        listener(event)


# Forward ------------------------------------------------------------------------------------------------------------


class TensorCreated(NamedTuple):
    """A tensor came into being without an op: from data, a factory, a parameter."""

    tensor: Any


class OpEntered(NamedTuple):
    """An op is about to compute its forward on these inputs; `NodeRecorded` follows when it has."""

    op: Any
    inputs: tuple[Any, ...] = ()


class NodeRecorded(NamedTuple):
    """An op ran. `node` is the op itself; `recorded` is false under no_grad, or where no input needs a gradient."""

    node: Any
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    recorded: bool = True


class TensorSaved(NamedTuple):
    """`node` keeps `tensor`, at this version, under `name` for its backward."""

    node: Any
    name: str
    tensor: Any
    version: int


class SavedReleased(NamedTuple):
    """`node` let go of everything it had saved."""

    node: Any


class Mutated(NamedTuple):
    """`tensor`'s elements were overwritten; its version is the new one. `node` is the op that did so, if any."""

    tensor: Any
    node: Any | None


class Detached(NamedTuple):
    """`tensor` is outside the graph, on the memory of `source`; ``detach_`` says so just before it takes itself out."""

    tensor: Any
    source: Any


# Backward -----------------------------------------------------------------------------------------------------------


class BackwardStarted(NamedTuple):
    """One run of the engine began. `roots` are (edge, gradient) pairs; an edge is (node, output number).

    `captures`: the gradients are returned (`autograd.grad`, ``inputs=``) and not added to the leaves' ``.grad``.
    """

    run: int
    roots: tuple[tuple[Any, Any], ...]
    create_graph: bool
    retain_graph: bool
    captures: bool = False


class NodeReady(NamedTuple):
    """Every gradient that `node` waits for has come; `waiting` is how many ready nodes stand in the queue with it."""

    run: int
    node: Any
    waiting: int


class NodeEntered(NamedTuple):
    """`node` starts its backward with these gradients, one per output, None where none arrived."""

    run: int
    node: Any
    grads: tuple[Any | None, ...]


class NodeLeft(NamedTuple):
    """`node` finished its backward; what it computed follows."""

    run: int
    node: Any


class GradComputed(NamedTuple):
    """`node` computed the gradient of its input number `index`, which goes along `edge` to (node, output number)."""

    run: int
    node: Any
    index: int  # type: ignore[assignment]  # a tuple has a method of that name
    edge: tuple[Any, int]
    grad: Any


class GradReduced(NamedTuple):
    """The gradient of input `index` was larger than the input, which had been broadcast, and was summed down to it."""

    run: int
    node: Any
    index: int  # type: ignore[assignment]  # a tuple has a method of that name
    before: Any
    after: Any


class GradAccumulated(NamedTuple):
    """A `contribution` was added to what waits at `edge`, making `total`; at a leaf, `total` is its ``.grad``."""

    run: int
    edge: tuple[Any, int]
    contribution: Any
    total: Any
    leaf: Any | None = None


class HookRan(NamedTuple):
    """A hook saw `before` and left `after` (the same object where it changed nothing)."""

    kind: str
    hook: Any
    target: Any
    before: Any
    after: Any


class BackwardFinished(NamedTuple):
    """The engine run ended: with `error` where it failed."""

    run: int
    nodes: int
    error: BaseException | None = None


class AnomalyFound(NamedTuple):
    """Something is wrong at `node`: a NaN, a stale saved tensor, a write behind the back."""

    kind: str
    node: Any
    message: str


# The program around it ------------------------------------------------------------------------------------------------


class ScopeEntered(NamedTuple):
    """A module's forward, or a named region of the user's, began. `owner` is the module, where there is one."""

    name: str
    owner: Any | None = None


class ScopeLeft(NamedTuple):
    """The innermost scope ended."""

    name: str
    owner: Any | None = None


class StepTaken(NamedTuple):
    """An optimiser moved its parameters for the `step`-th time."""

    optimizer: Any
    step: int


class CollectiveRan(NamedTuple):
    """Ranks exchanged data: `kind` is "all_reduce", "broadcast", ...; `seconds` is how long this rank took.

    `reduction` is "sum", "mean", ... With `grads` it is the ``.grad`` of the tensors that was exchanged. `before` are
    copies of what this rank had until then, one for each tensor, for those who want to see both. `waited` is how many
    of the seconds this rank did nothing but wait for others.

    `bucket` is the number of the bucket whose gradients travelled together, `filling` how many seconds it took to fill
    before the exchange began, and `late` how many seconds the exchange had been complete when this is told. `clock` is
    what must be added to this rank's clock to get that of rank 0.
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
