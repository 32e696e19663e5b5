"""Statistics of an array that are cheap enough for every op of every step.

A `Glimpse` has the norm, the extremes and the numbers of NaN and infinities, and a copy of some elements. It has the
form of a value in a record. `filled` adds the remaining statistics and the encoded elements when the record is kept.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .values import FULL, encoded, folded, measure, picked

LARGEST = 1 << 22
"""Larger arrays get no extremes: their norm alone tells whether all elements are finite."""


class Glimpse(dict[str, Any]):
    """A value that can be completed later.

    ``elements`` copies all elements, or an even grid of them; None if none were copied.
    """

    __slots__ = ("elements", "whole")

    elements: Any
    whole: bool


def glimpse(array: Any) -> Any:
    """Take a `Glimpse` of an array, which must not change meanwhile.

    >>> seen = glimpse(np.array([[3.0, -4.0]]))
    >>> seen["norm"], seen["min"], seen["max"], seen["nan"]
    (5.0, -4.0, 3.0, 0)
    >>> filled(seen)["kind"]
    'full'
    """
    if array.size == 1 or array.dtype.kind != "f" or array.dtype.itemsize == 2:
        if array.size <= FULL:
            return measure(array)
        with np.errstate(all="ignore"):
            array = np.abs(array) if array.dtype.kind == "c" else array.astype(np.float32)
    flat = array.ravel(order="K")
    with np.errstate(all="ignore"):
        squares = float(np.dot(flat, flat))
    seen = Glimpse(kind="stats", rows=0, cols=0)
    if math.isfinite(squares):
        low = high = None
        if flat.size and flat.size <= LARGEST:
            low, high = float(np.minimum.reduce(flat)), float(np.maximum.reduce(flat))
        seen.update(min=low, max=high, norm=math.sqrt(squares), nan=0, inf=0)
    else:
        seen.update(_partly_finite(flat))
    seen.whole = array.size <= FULL
    seen.elements = array.copy() if seen.whole else _some(array)
    return seen


def _partly_finite(flat: Any) -> dict[str, Any]:
    nan, inf = int(np.isnan(flat).sum()), int(np.isinf(flat).sum())
    flat = flat[np.isfinite(flat)].astype(np.float64)
    if not flat.size:
        return {"min": None, "max": None, "norm": None, "nan": nan, "inf": inf}
    with np.errstate(all="ignore"):
        norm = math.sqrt(float(np.dot(flat, flat)))
    finite = norm if math.isfinite(norm) else None
    return {"min": float(flat.min()), "max": float(flat.max()), "norm": finite, "nan": nan, "inf": inf}


def _some(array: Any) -> Any:
    """A copy of elements on an even grid; None if the array is not contiguous: picking would copy it all."""
    if not array.flags.c_contiguous:
        return None
    rows, cols = folded(array)
    return picked(array.reshape(rows, cols))


def filled(value: Any) -> dict[str, Any]:
    """The complete value, as plain data. A value that is no `Glimpse` is complete already."""
    if type(value) is not Glimpse:
        return value
    elements = value.elements
    if elements is None:
        return dict(value)
    if value.whole:
        return measure(elements)
    rows, cols = elements.shape
    return {**value, "kind": "sampled", "rows": rows, "cols": cols, "data": encoded(elements)}
