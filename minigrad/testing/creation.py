"""`make_tensor`: random tensors of any kind."""

from __future__ import annotations

import math
from typing import Any

from .. import dtypes
from ..core.tensor import Tensor
from ..errors import ArgumentError
from ..ops.create.factories import empty
from ..ops.elementwise.complex import view_as_complex
from ..ops.random.distributions import randint


def make_tensor(
    *shape: Any,
    dtype: dtypes.dtype,
    device: Any = "cpu",
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
) -> Tensor:
    """A tensor of random numbers from [low, high): by default from -9 to 9 (booleans 0 or 1, uint8 from 0).

    With `noncontiguous` its elements do not lie side by side; with `exclude_zero` none is zero.

    >>> import minigrad as mg
    >>> mg.testing.make_tensor((2, 3), dtype=mg.float64, low=0, high=1).shape
    minigrad.Size([2, 3])
    """
    size = list(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else list(shape)
    least, most = (0, 2) if dtype.kind == dtypes.BOOL else (0, 10) if dtype is dtypes.uint8 else (-9, 10)
    if dtype.kind >= dtypes.FLOAT:
        most = 9
    start, end = least if low is None else low, most if high is None else high
    if not start < end:
        raise ArgumentError(f"make_tensor: `low` must be less than `high`, but got low={start} and high={end}")
    with_gaps = noncontiguous and bool(size)
    if with_gaps:
        size[-1] *= 2
    if dtype.kind < dtypes.FLOAT:
        made = randint(math.ceil(start), math.ceil(end), size, dtype=dtype, device=device)
    elif dtype.is_complex:
        made = view_as_complex(empty(*size, 2, dtype=dtypes.real_of(dtype), device=device).uniform_(start, end))
    else:
        made = empty(size, dtype=dtype, device=device).uniform_(start, end)
    if exclude_zero:
        made.masked_fill_(made == 0, 1 if dtype.kind < dtypes.FLOAT else dtypes.finfo(dtype).tiny)
    result = made[..., 1::2].detach() if with_gaps else made
    return result.requires_grad_() if requires_grad else result
