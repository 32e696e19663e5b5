"""Elements that are changed without an op, as by an optimiser's step."""

from __future__ import annotations

from ... import events
from ...core.tensor import Tensor
from ...events import LISTENERS, emit


def changed(tensor: Tensor) -> None:
    """Record that `tensor` was changed in place: raise its version, and tell the listeners."""
    tensor._storage.version += 1
    if LISTENERS:
        emit(events.Mutated(tensor, None))
