"""Tensors that look into the same memory go on doing so when they are loaded.

A safetensors file has every tensor by itself. What looked into the memory of another one that is saved too is noted in
the file's metadata: where in that one it begins, and its strides. `load` then takes a view of that one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..backend import CPU
from ..core.tensor import Tensor, wrap
from ..ops.conversion.interop import distance, looking_into, owner_of

SHARED = "minigrad.shared"
"""The key of the metadata that says which tensors share memory."""


def noted(tensors: Mapping[str, Tensor]) -> dict[str, str]:
    """The metadata that says which of `tensors` look into which; empty where none do."""
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
    """Whether it is all of the memory that it looks into, row by row."""
    array, owner = tensor._array, owner_of(tensor)
    return bool(array.flags.c_contiguous and array.size == owner.size and array.dtype == owner.dtype)


def tied(tensors: dict[str, Tensor], metadata: Mapping[str, str]) -> dict[str, Tensor]:
    """`tensors` as they were read, those that `metadata` says so made views of others."""
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
