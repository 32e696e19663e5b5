"""Python numbers written into a tensor: which ones its dtype can hold, and which are an error.

Adding 300 to a uint8 wraps around, as in C; writing 300 into a uint8 tensor is an error: 44 is never intended.
"""

from __future__ import annotations

import functools
import math
from typing import Any

from ... import dtypes
from ...errors import DtypeError


def held(number: Any, target: dtypes.dtype, name: str = "") -> Any:
    """Return `number` as the dtype `target` stores it. DtypeError, with `name` in its text, if that changes the number.

    A fraction is cut off. For an unsigned dtype, negative numbers wrap around.

    >>> from minigrad import dtypes
    >>> held(1.7, dtypes.int64), held(-1, dtypes.uint8)
    (1, 255)
    """
    if target.kind == dtypes.BOOL:
        return bool(number)
    if target.kind == dtypes.COMPLEX:
        return number
    if isinstance(number, complex):
        if number.imag:
            raise _lost(number, target, name)
        number = number.real
    if target.kind == dtypes.INTEGER:
        limits = limits_of(target)
        low = limits.min or -limits.max
        if not low <= number <= limits.max:  # also false for a NaN
            raise _lost(number, target, name)
        whole = int(number)
        return whole if whole >= limits.min else whole + limits.max + 1
    if math.isfinite(number) and abs(number) > limits_of(target).max:
        raise _lost(number, target, name)
    return number


@functools.cache
def limits_of(target: dtypes.dtype) -> Any:
    """Return the limits of a dtype."""
    return dtypes.iinfo(target) if target.kind == dtypes.INTEGER else dtypes.finfo(target)


def _lost(number: Any, target: dtypes.dtype, name: str) -> DtypeError:
    where = f" (in {name})" if name else ""
    return DtypeError(f"value cannot be converted to type {target.c_name} without overflow: {number!r}{where}")
