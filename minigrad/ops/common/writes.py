"""Elements that are overwritten without an op, as by an optimiser's step."""

from __future__ import annotations

from ... import events
from ...core.tensor import Tensor
from ...events import LISTENERS, emit


def changed(tensor: Tensor) -> None:
    """Say that `tensor`'s elements were overwritten: raise its version, and tell listeners."""
    tensor._storage.version += 1
    if LISTENERS:
        emit(events.Mutated(tensor, None))
