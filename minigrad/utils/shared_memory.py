"""Keep tensors that share memory sharing it after they are saved and loaded.

A safetensors file stores every tensor separately. For a tensor that is a view of another saved tensor, the metadata
hold its offset in that tensor and its strides. `load` then makes it a view of that tensor again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..backend import CPU
from ..core.tensor import Tensor, wrap
from ..ops.conversion.interop import distance, looking_into, owner_of

SHARED = "minigrad.shared"
"""The key of the metadata that lists which tensors share memory."""


def noted(tensors: Mapping[str, Tensor]) -> dict[str, str]:
    """Return the metadata that lists which of `tensors` are views of others; empty if none is."""
    groups: dict[int, list[str]] = {}
    for name, tensor in tensors.items():
        if tensor._backend is CPU and tensor._array.size:
            groups.setdefault(id(owner_of(tensor)), []).append(name)
    views: dict[str, Any] = {}
    for names in groups.values():
        whole = next((name for name in names if _is_whole(tensors[name])), None)
        if whole is None:
            continue
        for name in names:
            if name != whole:
                array, owner = tensors[name]._array, tensors[whole]._array
                steps = [step // array.itemsize for step in array.strides]
                views[name] = [whole, steps, distance(CPU, owner, array) // array.itemsize]
    return {SHARED: json.dumps(views)} if views else {}


def _is_whole(tensor: Tensor) -> bool:
    """Return whether the tensor covers all of its memory, row by row."""
    array, owner = tensor._array, owner_of(tensor)
    return bool(array.flags.c_contiguous and array.size == owner.size and array.dtype == owner.dtype)


def tied(tensors: dict[str, Tensor], metadata: Mapping[str, str]) -> dict[str, Tensor]:
    """Return the loaded `tensors`, with those that `metadata` lists made views of others."""
    if SHARED not in metadata:
        return tensors
    for name, (whole, steps, offset) in json.loads(metadata[SHARED]).items():
        if name in tensors and whole in tensors:
            array, owner = tensors[name]._array, tensors[whole]._array
            reach = offset + sum((n - 1) * step for n, step in zip(array.shape, steps, strict=True))
            if array.dtype == owner.dtype and min([offset, *steps]) >= 0 and reach < owner.size:
                size = array.itemsize
                strides = tuple(step * size for step in steps)
                tensors[name] = wrap(looking_into(owner, array.shape, strides, offset * size, CPU), CPU)
    return tensors
