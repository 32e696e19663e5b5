"""Summarise an array in few bytes, without saying anything untrue.

`measure` looks at an array once and keeps no reference to it. The result has statistics over all elements, and the
elements: all of them if they are few, else a thumbnail. It says which.
"""

from __future__ import annotations

import math
from base64 import b64encode
from functools import lru_cache
from struct import pack
from typing import Any

import numpy as np

FULL = 4096
"""A tensor of at most this many elements is kept whole."""

SIDE = 32
"""The most rows and columns of a thumbnail."""

FAINT = 1e-24
"""If the squares add up to less than this, some may have underflowed in single precision."""


def measure(array: Any, elements: bool = True) -> dict[str, Any]:
    """The protocol's `Value` of a NumPy array. Without `elements`, more than one have statistics only.

    >>> import numpy as np
    >>> value = measure(np.array([[1.0, 2.0], [3.0, np.nan]]))
    >>> value["kind"], value["rows"], value["cols"], value["max"], value["nan"]
    ('full', 2, 2, 3.0, 1)
    """
    if array.size == 1:
        return _single(array)
    with np.errstate(all="ignore"):
        if array.dtype.kind == "c":
            array = np.abs(array)
        elif array.dtype.kind != "f" or array.dtype.itemsize == 2:
            array = array.astype(np.float32 if array.dtype.kind in "fV" else np.float64)
        if not elements:
            return {"kind": "stats", "rows": 0, "cols": 0, **_statistics(array.ravel(order="K"))}
        if array.size <= FULL:
            return _whole(array)
        return _sampled(array)


def plain_sum(a: Any, b: Any) -> dict[str, Any]:
    """The value of the sum of two arrays that have not been added yet."""
    with np.errstate(all="ignore"):
        return measure(np.asarray(a + b))


def said_loss(loss: float | None) -> dict[str, Any]:
    """The fields of a record for a loss: JSON cannot write NaN or infinity as numbers.

    >>> said_loss(0.5), said_loss(math.nan), said_loss(-math.inf)
    ({'loss': 0.5}, {'loss': None, 'not_finite': 'nan'}, {'loss': None, 'not_finite': '-inf'})
    """
    if loss is None or math.isfinite(loss):
        return {"loss": loss}
    return {"loss": None, "not_finite": str(loss)}


def is_broken(value: dict[str, Any] | None) -> bool:
    """Whether there is a NaN or an infinity in a measured value."""
    return value is not None and (value.get("nan", 0) > 0 or value.get("inf", 0) > 0)


def _single(array: Any) -> dict[str, Any]:
    element = array.item()
    x = abs(element) if isinstance(element, complex) else float(element)
    finite = math.isfinite(x)
    known = x if finite else None
    try:
        data = pack("<f", x)
    except OverflowError:
        data = pack("<f", math.copysign(math.inf, x))
    return {
        "kind": "full", "rows": 1, "cols": 1, "data": b64encode(data).decode(),
        "min": known, "max": known, "mean": known, "std": 0.0 if finite else None,
        "norm": None if known is None else abs(known), "nan": int(x != x), "inf": int(math.isinf(x)),
    }  # fmt: skip


def _whole(array: Any) -> dict[str, Any]:
    rows, cols = folded(array)
    statistics = _statistics(array.ravel().astype(np.float64))
    return {"kind": "full", "rows": rows, "cols": cols, "data": encoded(array), **statistics}


def _sampled(array: Any) -> dict[str, Any]:
    rows, cols = folded(array)
    sampled = picked(array.reshape(rows, cols))
    statistics = _statistics(array.ravel(order="K"))
    return {"kind": "sampled", "rows": len(sampled), "cols": sampled.shape[1], "data": encoded(sampled), **statistics}


def encoded(elements: Any) -> str:
    """The elements as base64 of little-endian float32, row by row.

    >>> encoded(np.array([1.0, -2.0]))
    'AACAPwAAAMA='
    """
    return b64encode(np.ascontiguousarray(elements, "<f4").data).decode()


def picked(table: Any) -> Any:
    """At most 32 rows and columns of an array, evenly spaced, copied."""
    rows, cols, places = _grid(*table.shape)
    return table.ravel().take(places) if table.flags.c_contiguous else table[rows, cols]


@lru_cache(maxsize=256)
def _grid(rows: int, cols: int) -> tuple[Any, Any, Any]:
    """The indices of at most 32 rows and columns, and of their elements in a contiguous array."""
    high, wide = min(rows, SIDE), min(cols, SIDE)
    down, across = np.ix_(np.arange(high) * rows // high, np.arange(wide) * cols // wide)
    return down, across, down * cols + across


def folded(array: Any) -> tuple[int, int]:
    """The numbers of rows and columns of an array whose leading axes are all taken as rows."""
    if array.ndim == 0:
        return 1, 1
    cols = array.shape[-1]
    return (array.size // cols if cols else 0), cols


def _statistics(flat: Any) -> dict[str, Any]:
    """Statistics of all elements; NaN and infinities are only counted."""
    squares = float(np.dot(flat, flat))
    nan = inf = 0
    if not math.isfinite(squares):  # a NaN, an infinity, or a number too large to square
        nan, inf = int(np.isnan(flat).sum()), int(np.isinf(flat).sum())
        flat = flat[np.isfinite(flat)].astype(np.float64)
        squares = float(np.dot(flat, flat))
    elif squares < FAINT and flat.dtype != np.float64:
        wide = flat.astype(np.float64)
        squares = float(np.dot(wide, wide))
    count = flat.size
    if not count:
        nothing = dict.fromkeys(("min", "max", "mean", "std", "norm"))
        return {**nothing, "nan": nan, "inf": inf}
    low, high = float(np.minimum.reduce(flat)), float(np.maximum.reduce(flat))
    mean = float(np.add.reduce(flat)) / count
    variance = squares / count - mean * mean
    if variance < 1e-3 * mean * mean:  # cancellation has lost the digits: compute it again
        centred = flat - flat.dtype.type(mean)
        variance = float(np.dot(centred, centred)) / count
    statistics: dict[str, Any] = {
        "min": low, "max": high, "mean": mean, "std": math.sqrt(max(variance, 0.0)), "norm": math.sqrt(squares),
        "nan": nan, "inf": inf,
    }  # fmt: skip
    if not (math.isfinite(mean) and math.isfinite(variance) and math.isfinite(squares)):
        statistics.update({key: None for key in ("mean", "std", "norm") if not math.isfinite(statistics[key])})
    return statistics


def counted(value: dict[str, Any]) -> str:
    """The numbers of NaN and infinities as text, such as "2,814 NaN and 1 infinity"."""
    parts = [f"{value['nan']:,} NaN"] if value["nan"] else []
    if value["inf"]:
        parts.append(f"{value['inf']:,} {'infinity' if value['inf'] == 1 else 'infinities'}")
    return " and ".join(parts)
