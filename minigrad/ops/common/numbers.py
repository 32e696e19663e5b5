"""Python numbers on their way into a tensor: what its element type can hold, and what is an error.

Adding 300 to a uint8 wraps, as in C; writing 300 into one is an error, since nobody means 44.
"""

from __future__ import annotations

import math
from typing import Any

from ... import dtypes
from ...errors import DtypeError


def held(number: Any, target: dtypes.dtype, name: str = "") -> Any:
    """`number` as `target` will hold it; DtypeError, which names `name`, where that would be another number.

    A fraction is cut off. An unsigned type counts negative numbers down from its end.

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
        limits = dtypes.iinfo(target)
        low = limits.min or -limits.max
        if not low <= number <= limits.max:  # a nan is not between them either
            raise _lost(number, target, name)
        whole = int(number)
        return whole if whole >= limits.min else whole + limits.max + 1
    if math.isfinite(number) and abs(number) > dtypes.finfo(target).max:
        raise _lost(number, target, name)
    return number


def _lost(number: Any, target: dtypes.dtype, name: str) -> DtypeError:
    where = f" (in {name})" if name else ""
    return DtypeError(f"value cannot be converted to type {target.c_name} without overflow: {number!r}{where}")
