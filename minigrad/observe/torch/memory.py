"""The memory of PyTorch's tensors by kind, counted by storages (minigrad's is counted by arrays)."""

from __future__ import annotations

from typing import Any

import torch

from ... import events
from ...autograd.profiler_memory import Held
from .nodes import Sink
from .reading import is_leaf, is_wrapped, unguarded


class Storages(Held):
    """Counts storages by weak references: it keeps none alive."""

    def __init__(self) -> None:
        super().__init__()
        self._reached: dict[int, Sink] = {}

    def __call__(self, event: Any) -> None:
        """Take an event."""
        with unguarded():
            super().__call__(event)

    def is_tensor(self, value: Any) -> bool:
        """Whether `value` is a tensor with a storage of its own on this machine."""
        plain = isinstance(value, torch.Tensor) and value.layout is torch.strided
        return bool(plain and value.device.type != "meta" and not is_wrapped(value))

    def begins(self, tensor: Any) -> bool:
        """Whether the tensor is a leaf."""
        return is_leaf(tensor)

    def is_learnt(self, tensor: Any) -> bool:
        """Whether the tensor is a leaf that requires a gradient."""
        return bool(tensor.requires_grad and is_leaf(tensor))

    def grad_of(self, tensor: Any) -> Any:
        """The gradient of a leaf."""
        grad = tensor.grad
        return grad if self.is_tensor(grad) else None

    def owner_of(self, tensor: Any) -> Any:
        """The storage of a tensor, which stays the same object as long as it lives."""
        return tensor.untyped_storage()

    def size_of(self, owner: Any) -> int:
        """The bytes of a storage."""
        return int(owner.nbytes())

    def _saved(self, event: events.TensorSaved) -> None:
        if self.is_tensor(event.tensor):
            super()._saved(event)

    def _computed(self, event: events.GradComputed) -> None:
        super()._computed(event)
        if isinstance(event.edge[0], Sink):
            self._reached[event.edge[0].number] = event.edge[0]

    def _finished(self, event: events.BackwardFinished) -> None:
        super()._finished(event)
        for sink in self._reached.values():
            leaf = sink.ref()
            if leaf is not None and (grad := self.grad_of(leaf)) is not None:
                self._put(grad, "gradients")
        self._reached.clear()
