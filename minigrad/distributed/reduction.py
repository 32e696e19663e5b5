"""`ReduceOp`: how to combine the elements of all ranks."""

from __future__ import annotations

import enum
from typing import Any

from .. import dtypes
from ..errors import ArgumentTypeError, DtypeError


class ReduceOp(enum.Enum):
    """The reductions of `all_reduce`, `reduce` and `reduce_scatter`; AVG is the sum divided by the number of ranks.

    >>> ReduceOp.SUM
    <ReduceOp.SUM: 'sum'>
    """

    SUM = "sum"
    AVG = "avg"
    PRODUCT = "product"
    MIN = "min"
    MAX = "max"
    BAND = "band"
    BOR = "bor"
    BXOR = "bxor"


BITWISE = (ReduceOp.BAND, ReduceOp.BOR, ReduceOp.BXOR)
ORDERED = (ReduceOp.MIN, ReduceOp.MAX)


def checked(op: Any, dtype: dtypes.dtype) -> ReduceOp:
    """`op`, if it can reduce elements of `dtype`; else raises an error."""
    if not isinstance(op, ReduceOp):
        raise ArgumentTypeError(f"op must be a ReduceOp, such as ReduceOp.SUM, got {op!r}")
    floating, complex_ = dtype.is_floating_point, dtype.is_complex
    if (op in BITWISE and (floating or complex_)) or (op in ORDERED and complex_):
        raise DtypeError(f"Cannot use ReduceOp.{op.name} with {dtype}: use SUM, AVG or PRODUCT")
    if op is ReduceOp.AVG and not (floating or complex_):
        raise DtypeError(f"Cannot use ReduceOp.AVG with {dtype}: a mean is no whole number. Use SUM, or convert first.")
    return op
