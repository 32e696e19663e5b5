"""What is written: elements that are changed without an op, and tensors that are read at the same time."""

from __future__ import annotations

from typing import Any

from ... import events
from ...core.tensor import Tensor
from ...errors import GradError
from ...events import LISTENERS, emit


def changed(tensor: Tensor) -> None:
    """Record that `tensor` was changed in place: raise its version, and tell the listeners."""
    tensor._storage.version += 1
    if LISTENERS:
        emit(events.Mutated(tensor, None))


def read_before(value: Any, target: Tensor) -> Any:
    """Return `value`, as a copy if it is an element of `target`, which will be overwritten."""
    return value.clone() if isinstance(value, Tensor) and value._storage is target._storage else value


def check_not_read(name: str, target: Tensor, *others: Any) -> None:
    """Raise if the memory of `target` begins where that of another tensor does, which is read in another order."""
    for each in others:
        shared = isinstance(each, Tensor) and each._storage is target._storage and each.numel()
        if shared and each.data_ptr() == target.data_ptr():
            raise GradError(
                "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
                f"single memory location: {name}() cannot read what it writes. Please clone() the tensor before."
            )
