"""Notice backward passes while PyTorch is left alone, without a function mode.

A hook on one leaf of each optimiser runs when a gradient reaches that leaf. In the frames around it is PyTorch's own
function `backward`, whose argument is the loss. The threads of a GPU have no such frames: there nothing is noticed.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterable
from functools import partial
from types import FrameType
from typing import Any

import torch

from .engine import Engine, Run

Guard = Callable[[Callable[..., None]], Callable[..., None]]

DEEPEST = 40
"""How many frames around a hook are searched."""


class Ear:
    """Announces each backward pass that reaches one of the leaves that it has a hook on."""

    def __init__(self, engine: Engine, guard: Guard) -> None:
        self.reached: weakref.WeakSet[Any] = weakref.WeakSet()
        """The optimisers whose parameters a pass has reached."""
        self._engine = engine
        self._guard = guard
        self._hooks: list[Any] = []
        self._run: Run | None = None
        self._task = -1
        """PyTorch's number of the pass that was announced last."""

    def listen(self, optimizer: Any, parameters: Iterable[Any]) -> None:
        """Put a hook on the first of an optimiser's parameters that has a gradient."""
        leaf = next((each for each in parameters if each.is_leaf and each.grad is not None), None)
        if leaf is not None:
            heard = self._guard(partial(self._hear, weakref.ref(optimizer)))
            self._hooks.append(leaf.register_post_accumulate_grad_hook(heard))

    def stop(self) -> None:
        """Remove the hooks."""
        for hook in self._hooks:
            hook.remove()
        self._hooks = []
        self._end()

    def _hear(self, optimizer: weakref.ref[Any], leaf: Any) -> None:
        task = torch._C._current_graph_task_id()
        if task != self._task:
            self._end()
            given = passed(sys._getframe(1))
            if given is None:
                return
            roots, create = given
            self._task, self._engine.wants = task, "loss"
            self._run = self._engine.begin(roots, create, create, False)
            torch.autograd.Variable._execution_engine.queue_callback(self._guard(self._end))
        mover = optimizer()
        if mover is not None:
            self.reached.add(mover)

    def _end(self) -> None:
        """End the pass; an error may have broken it off earlier."""
        run, self._run = self._run, None
        if run is not None:
            self._engine.end(run, None)


def passed(frame: FrameType | None) -> tuple[list[tuple[Any, Any]], bool] | None:
    """The roots of the backward pass around `frame`, each with its gradient, and whether it creates a graph."""
    for _ in range(DEEPEST):
        if frame is None:
            return None
        if frame.f_code is torch.autograd.backward.__code__:
            given = frame.f_locals
            roots, grads = (_listed(given.get(name)) for name in ("tensors", "grad_tensors"))
            pairs = zip(roots, grads or [None] * len(roots), strict=False)
            return [pair for pair in pairs if isinstance(pair[0], torch.Tensor)], bool(given.get("create_graph"))
        frame = frame.f_back
    return None


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (tuple, list)) else [] if value is None else [value]
