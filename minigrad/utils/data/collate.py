"""Collate a list of samples into a batch of the same structure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ... import dtypes
from ...core.tensor import Tensor
from ...errors import ArgumentTypeError, ShapeError
from ...ops.create.factories import as_tensor, tensor
from ...ops.shape.join import stack


def default_collate(batch: Sequence[Any]) -> Any:
    """Stack tensors, arrays and numbers along a new first dimension; keep the structure of tuples and dictionaries.

    >>> import minigrad as mg
    >>> default_collate([(mg.tensor([1.0]), 0), (mg.tensor([2.0]), 1)])
    [tensor([[1.],
            [2.]]), tensor([0, 1])]
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return _stacked(list(batch))
    if hasattr(first, "__array__"):
        return _stacked([as_tensor(each) for each in batch])
    if isinstance(first, float):
        return tensor(batch, dtype=dtypes.float64)
    if isinstance(first, (bool, int)):
        return tensor(batch)
    if isinstance(first, (str, bytes)):
        return list(batch)
    if isinstance(first, Mapping):
        return {key: default_collate([each[key] for each in batch]) for key in first}
    if isinstance(first, Sequence):
        lengths = sorted({len(each) for each in batch})
        if len(lengths) > 1:
            raise ShapeError(f"each element in list of batch should be of equal size, but they have {lengths} parts")
        parts = [default_collate(part) for part in zip(*batch, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else parts
    raise ArgumentTypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found "
        f"{type(first).__name__}. Pass a collate_fn that knows what to do with it."
    )


def default_convert(data: Any) -> Any:
    """Convert arrays to tensors at any depth of `data`; other values stay unchanged.

    >>> import numpy as np
    >>> default_convert({"x": [np.ones(2), "name"]})
    {'x': [tensor([1., 1.], dtype=minigrad.float64), 'name']}
    """
    if isinstance(data, (Tensor, str, bytes)):
        return data
    if hasattr(data, "__array__") and getattr(data, "dtype", None) is not None and data.dtype.kind not in "SUO":
        return as_tensor(data)
    if isinstance(data, Mapping):
        return {key: default_convert(each) for key, each in data.items()}
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(default_convert(each) for each in data))
    if isinstance(data, Sequence):
        return [default_convert(each) for each in data]
    return data


def _stacked(tensors: list[Tensor]) -> Tensor:
    shapes = {tuple(each.shape) for each in tensors}
    if len(shapes) > 1:
        found = " and ".join(str(list(shape)) for shape in sorted(shapes)[:3])
        raise ShapeError(
            f"stack expects each tensor to be equal size, but samples of this batch have shapes {found}. "
            "Pad them, or pass a collate_fn that does."
        )
    return stack(tensors)
