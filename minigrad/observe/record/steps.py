"""Find where one training step ends and the next begins.

An optimiser announces its step; several that move the leaves of one loss take it together. A program without one
changes its leaves after backward, and then computes again: the first op that is recorded after that begins a step. A
program in the functional style has no leaves: there a step begins where a transform such as `func.grad` is called again
from the same place, as in a loop. A step also ends if it becomes too large to be shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import CodeType, FrameType
from typing import Any

from ..framework import Framework
from .identity import KnownTensor, Loss

LARGEST = 50_000
"""The most nodes in a step."""


Place = tuple[CodeType, int]
"""An instruction of the program: its code, and the index in it."""


def place_of(frame: FrameType) -> Place:
    """The instruction that `frame` is at."""
    return frame.f_code, frame.f_lasti


def runs_at(place: Place, frame: FrameType | None) -> bool:
    """Whether `frame`, or one that called it, is at this place."""
    while frame is not None:
        if frame.f_lasti == place[1] and frame.f_code is place[0]:
            return True
        frame = frame.f_back
    return False


class Leaf:
    """A leaf as it was when backward ended."""

    __slots__ = ("known", "ref", "version", "memory", "grad", "grad_version", "used", "returned")

    def __init__(self, known: KnownTensor, tensor: Any, framework: Framework, returned: Any) -> None:
        self.known = known
        self.ref = known.ref
        self.version = framework.version(tensor)
        self.memory = framework.memory(tensor)
        grad = framework.grad(tensor)
        self.grad = id(grad)
        self.grad_version = None if grad is None else framework.version(grad)
        self.used: Any = None
        """The value of its gradient when the leaf was last written to: the gradient that moved the leaf."""
        self.returned = returned
        """The value of its gradient when backward ended, if that was returned, or may change without an event."""

    def changed(self, framework: Framework) -> bool:
        """Whether the leaf was written to, got other memory, or lost its gradient."""
        tensor = self.ref()
        if tensor is None:
            return True
        lost = framework.grad(tensor) is None and self.grad != id(None)
        return lost or framework.version(tensor) != self.version or framework.memory(tensor) != self.memory

    def cleared(self, framework: Framework) -> bool:
        """Whether its gradient is 0 since, as after ``w.grad.zero_()``."""
        tensor = self.ref()
        grad = None if tensor is None else framework.grad(tensor)
        if not framework.has_elements(grad) or (id(grad), framework.version(grad)) == (self.grad, self.grad_version):
            return False
        return framework.squares(grad) == 0.0

    def moved_by(self, value: Callable[[Any], Any], framework: Framework) -> Any:
        """The gradient that moved the leaf, or would if it were moved now; None if there is none."""
        leaf = self.ref()
        if self.used is not None:
            return self.used
        accumulated = self.grad != id(None)
        if not framework.tells_writes and (accumulated or leaf is None or framework.version(leaf) != self.version):
            return self.returned
        return None if leaf is None else value(framework.grad(leaf))


class Boundary:
    """The step that a thread is in: its loss, and the leaves that backward has reached.

    `value` returns the value of a tensor, or None.
    """

    def __init__(self, value: Callable[[Any], Any], framework: Framework) -> None:
        self._value = value
        self._framework = framework
        self.leaves: list[Leaf] = []
        """The leaves that this step's backward passes have reached; empty before the first."""
        self.loss: Loss | None = None
        self.returned_to: Place | None = None
        """Where the program called the last transform that gave it gradients of this step."""
        self.moves: list[tuple[Any, dict[str, Any]]] = []
        """The optimisers that have moved some of the leaves, while another may follow, with what each came to."""
        self.moved_by: Loss | None = None
        """The loss by which they moved them."""
        self.moved: set[int] = set()
        """Their parameters."""
        self._at: dict[int, Leaf] = {}
        """The same leaves, by the addresses of their memory and of their gradients."""
        self._written = False

    def after_backward(self, reached: Iterable[KnownTensor], returned: Mapping[int, Any]) -> None:
        """Note that backward ended and `reached` these leaves; `returned` are the values of gradients, by number."""
        framework = self._framework
        fresh = [(known, leaf) for known in reached if framework.has_elements(leaf := known.ref())]
        leaves = [Leaf(known, leaf, framework, returned.get(known.id)) for known, leaf in fresh]
        if self.leaves:
            again = {id(leaf) for _, leaf in fresh}
            leaves[:0] = [old for old in self.leaves if (leaf := old.ref()) is not None and id(leaf) not in again]
        self.leaves = leaves
        self._at = {address: leaf for leaf in self.leaves for address in (leaf.memory, leaf.grad)}
        self._written = False

    def written(self, tensor: Any) -> Any:
        """Note that a tensor was changed in place. Returns the leaf whose memory or gradient it is, or None."""
        leaf = self._at.get(self._framework.memory(tensor)) or self._at.get(id(tensor))
        if leaf is None:
            return None
        self._written = True
        written = leaf.ref()
        grad = None if written is None else self._framework.grad(written)
        if grad is not None and grad is not tensor:
            leaf.used = self._value(grad)
        elif grad is None and leaf.returned is not None:
            leaf.used = leaf.returned
        return written

    def moves_on(self, parameters: Iterable[Any]) -> bool:
        """Note that an optimiser moved these parameters. Return whether backward reached leaves that none has moved."""
        self.moved.update(map(id, parameters))
        alive = (leaf.ref() for leaf in self.leaves)
        return any(leaf is not None and id(leaf) not in self.moved for leaf in alive)

    def crossed(self, by_hand: bool) -> bool:
        """Whether a recorded op would now begin a new step.

        A write by way of ``.data`` leaves no trace. So in a program without optimisers (`by_hand`) whose framework does
        not tell of writes, a gradient that was set to 0 ends the step too.
        """
        if not self.leaves:
            return False
        framework = self._framework
        if self.moves or self._written or any(leaf.changed(framework) for leaf in self.leaves):
            return True
        return by_hand and not framework.tells_writes and any(leaf.cleared(framework) for leaf in self.leaves)

    def reset(self) -> None:
        """Begin a new step."""
        self.leaves = []
        self.loss = None
        self.returned_to = None
        self.moves = []
        self.moved_by = None
        self.moved = set()
        self._at = {}
        self._written = False
