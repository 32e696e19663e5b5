"""Quantiles: values below which a given fraction of the elements lies."""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...core.tensor import Tensor
from ...errors import DomainError, DtypeError
from ..common.arguments import accepts_out
from ..common.dims import wrap_dim
from ..create.factories import as_tensor

__all__ = ["nanquantile", "quantile"]


@accepts_out
def quantile(
    input: Any, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """The quantile for a fraction `q` from 0 to 1, or for several in a vector.

    Between two elements, `interpolation` is "linear", "lower", "higher", "midpoint" or "nearest". Results for several
    `q` are stacked along a new first dimension.
    """
    return _quantile(input, q, dim, keepdim, interpolation, False)


@accepts_out
def nanquantile(
    input: Any, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """`quantile` of the elements that are not NaN."""
    return _quantile(input, q, dim, keepdim, interpolation, True)


_BETWEEN: dict[str, Any] = {
    "linear": lambda rank: rank,
    "midpoint": lambda rank: rank,
    "lower": lambda rank: rank.floor(),
    "higher": lambda rank: rank.ceil(),
    "nearest": lambda rank: rank.round(),
}
"""How each mode rounds a rank between two elements, before the elements are read."""


def _quantile(input: Any, q: Any, dim: int | None, keepdim: bool, interpolation: str, ignore_nan: bool) -> Any:
    if not input.numel():
        raise DomainError(f"{'nan' * ignore_nan}quantile() input tensor must be non-empty")
    if input.dtype not in (dtypes.float32, dtypes.float64):
        raise DtypeError(f"quantile() input tensor must be either float or double dtype, but it is {input.dtype}")
    if interpolation not in _BETWEEN:
        raise DomainError(f"quantile() interpolation must be one of {', '.join(_BETWEEN)}, but got {interpolation}")
    if isinstance(q, Tensor) and q.dtype != input.dtype:
        raise DtypeError(
            f"quantile() q tensor must be same dtype as the input tensor, but got {q.dtype} and {input.dtype}"
        )
    q = as_tensor(q, dtype=input.dtype)
    if ((q < 0) | (q > 1))._array.any():
        raise DomainError("quantile() q must be in the range [0, 1]")
    axis = 0 if dim is None else wrap_dim(dim, input.ndim)
    dim = dim if input.ndim else None  # a scalar is its own quantile
    line = (input.reshape(-1) if dim is None else input.movedim(axis, -1)).sort(-1).values
    missing = line.isnan()
    count = missing.logical_not().sum(-1, keepdim=True) if ignore_nan else line.shape[-1]
    rank = ((q if q.ndim else q.reshape(1)) * (count - 1)).expand((*line.shape[:-1], max(q.numel(), 1)))
    if not ignore_nan:  # NaN, which is sorted to the end, makes every quantile NaN
        rank = rank.masked_fill(missing.any(-1, keepdim=True), line.shape[-1] - 1)
    rank = _BETWEEN[interpolation](rank.clamp(min=0))
    low, high = rank.floor(), rank.ceil()
    result = line.gather(-1, low.long())
    if interpolation in ("linear", "midpoint"):
        share = rank - low if interpolation == "linear" else rank.new_full((), 0.5).expand_as(rank)
        result = result.lerp(line.gather(-1, high.long()), share)
    if keepdim:
        result = result.reshape((1,) * input.ndim + (-1,)) if dim is None else result.unsqueeze(axis)
    return result.movedim(-1, 0) if q.ndim else result.squeeze(-1)


METHODS = {"quantile": quantile, "nanquantile": nanquantile}
