"""`make_tensor`: random tensors of any kind."""

from __future__ import annotations

from typing import Any

from .. import dtypes
from ..core.tensor import Tensor
from ..errors import ArgumentError
from ..ops.create.factories import tensor
from ..ops.random.distributions import rand


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
    size = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else tuple(shape)
    least, most = (0, 2) if dtype.kind == dtypes.BOOL else (0, 10) if dtype is dtypes.uint8 else (-9, 10)
    if dtype.kind >= dtypes.FLOAT:
        most = 9
    start, end = least if low is None else low, most if high is None else high
    if not start < end:
        raise ArgumentError(f"make_tensor: `low` must be less than `high`, but got low={start} and high={end}")
    spread = size if not noncontiguous or not size else (*size[:-1], 2 * size[-1])
    numbers = _scaled(rand(*spread, dtype=dtypes.float64), start, end)
    if dtype.is_complex:
        numbers = numbers + 1j * _scaled(rand(*spread, dtype=dtypes.float64), start, end)
    elif dtype.kind < dtypes.FLOAT:
        numbers = numbers.floor()
    made = numbers.to(dtype)
    if exclude_zero:
        made = made.masked_fill(made == 0, 1)
    result = tensor(made, device=device)
    if noncontiguous and size:
        result = result[..., ::2].detach()
    return result.requires_grad_() if requires_grad else result


def _scaled(numbers: Tensor, low: float, high: float) -> Tensor:
    return numbers * (high - low) + low
