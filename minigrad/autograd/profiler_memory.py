"""What autograd holds in memory: parameters, their gradients, and what nodes keep for backward.

Counted by memory, not by tensors: a view is its base's, and what several nodes keep is there once. It counts what the
profiler has seen used; arrays in passing, such as a result that nobody keeps, are not autograd's.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from .. import events
from ..core.graph import AccumulateGrad
from ..core.tensor import Tensor
from ..core.view import known_place


class Held:
    """Listens, and keeps the bytes of the present and those of the peak."""

    def __init__(self) -> None:
        self.parameters: dict[int, tuple[Any, int]] = {}
        self.gradients: dict[int, tuple[Any, int]] = {}
        self._saved: dict[int, tuple[Any, int]] = {}
        self._keepers: Counter[int] = Counter()
        self._kept_by: dict[int, list[int]] = {}
        self.peak = 0

    def __call__(self, event: Any) -> None:
        """Take an event."""
        if isinstance(event, events.NodeRecorded):
            for each in event.inputs:
                self._met(each)
        elif isinstance(event, events.TensorSaved):
            self._save(event.node, event.tensor)
        elif isinstance(event, events.SavedReleased):
            self._release(event.node)
        elif isinstance(event, events.GradAccumulated) and isinstance(event.edge[0], AccumulateGrad):
            self._grew(event.edge[0].variable, event.total)
        else:
            return
        self.peak = max(self.peak, self.now)

    @property
    def now(self) -> int:
        """Bytes held at present."""
        saved = sum(size for key, (_, size) in self._saved.items() if key not in self.parameters)
        return saved + sum(size for kind in (self.parameters, self.gradients) for _, size in kind.values())

    def _met(self, tensor: Any) -> None:
        if not isinstance(tensor, Tensor) or not tensor.requires_grad:
            return
        place = known_place(tensor)
        if place is not None and not place[0].begins:
            return
        key, memory = _memory_of(tensor)
        self.parameters.setdefault(key, memory)
        if tensor.grad is not None:
            self._grew(tensor, tensor.grad)

    def _grew(self, leaf: Any, grad: Any) -> None:
        self.gradients[id(leaf)] = (leaf, grad._array.nbytes)

    def _save(self, node: Any, tensor: Any) -> None:
        key, memory = _memory_of(tensor)
        self._saved[key] = memory
        self._keepers[key] += 1
        self._kept_by.setdefault(id(node), []).append(key)

    def _release(self, node: Any) -> None:
        for key in self._kept_by.pop(id(node), ()):
            self._keepers[key] -= 1
            if not self._keepers[key]:
                del self._keepers[key], self._saved[key]


def _memory_of(tensor: Any) -> tuple[int, tuple[Any, int]]:
    """A key for the memory a tensor looks into, and that memory with its size; held, so that the key stays its own."""
    array = tensor._array
    while getattr(array, "base", None) is not None and hasattr(array.base, "nbytes"):
        array = array.base
    return id(array), (array, array.nbytes)
