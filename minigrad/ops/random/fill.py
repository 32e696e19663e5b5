"""Filling a tensor with random numbers, in place."""

from __future__ import annotations

import math
from typing import Any

from ... import dtypes
from ...core.interpreter import drawing
from ...core.tensor import Tensor, wrap
from ...errors import DomainError
from .distributions import gaussian, source, uniform


def _overwrite(self: Tensor, drawn: Any) -> Tensor:
    return self.copy_(wrap(self._backend.asarray(drawn), self._backend))


@drawing
def uniform_(self: Tensor, from_: float = 0.0, to: float = 1.0, *, generator: Any = None, **bounds: Any) -> Tensor:
    """Fill with numbers drawn evenly from [from, to)."""
    low = bounds.get("from", from_)
    if low > to:
        raise DomainError(f"uniform_ expects to return a [from, to) range, but found from={low} > to={to}")
    drawn = uniform(source(generator, self._backend), self._array.shape, self.dtype)
    return _overwrite(self, drawn * (to - low) + low)


@drawing
def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with normal numbers."""
    if std < 0:
        raise DomainError(f"normal expects std >= 0.0, but found std {std}")
    return _overwrite(self, gaussian(source(generator, self._backend), self._array.shape, self.dtype) * std + mean)


@drawing
def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """Fill with 1 with probability `p`, else 0."""
    chance = p._array if isinstance(p, Tensor) else p
    return _overwrite(self, source(generator, self._backend).random(self._array.shape) < chance)


@drawing
def exponential_(self: Tensor, lambd: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with waiting times of rate `lambd`."""
    if lambd <= 0:
        raise DomainError(f"exponential_ expects lambda > 0.0, but found lambda={lambd}")
    return _overwrite(self, source(generator, self._backend).standard_exponential(self._array.shape) / lambd)


@drawing
def log_normal_(self: Tensor, mean: float = 1.0, std: float = 2.0, *, generator: Any = None) -> Tensor:
    """Fill with numbers whose logarithms are normal."""
    if std <= 0:
        raise DomainError(f"log_normal_ expects std > 0.0, but found std={std}")
    backend = self._backend
    drawn = gaussian(source(generator, backend), self._array.shape, self.dtype)
    return _overwrite(self, backend.exp(drawn * std + mean))


@drawing
def geometric_(self: Tensor, p: float, *, generator: Any = None) -> Tensor:
    """Fill with the number of trials up to the first success, which has the chance `p`."""
    if not 0 < p < 1:
        raise DomainError(f"geometric_ expects p to be in (0, 1), but got p={p}")
    return _overwrite(self, source(generator, self._backend).geometric(p, self._array.shape))


@drawing
def cauchy_(self: Tensor, median: float = 0.0, sigma: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with numbers from the Cauchy distribution."""
    chance = source(generator, self._backend).random(self._array.shape)
    return _overwrite(self, self._backend.tan(math.pi * (chance - 0.5)) * sigma + median)


@drawing
def random_(self: Tensor, from_: int = 0, to: int | None = None, *, generator: Any = None) -> Tensor:
    """Fill with integers from [from, to), or from all that the type can hold exactly."""
    low, high = (from_, to) if to is not None else (0, from_ or _largest(self.dtype))
    return _overwrite(self, source(generator, self._backend).integers(low, high, self._array.shape))


def _largest(dtype: dtypes.dtype) -> int:
    if dtype.is_floating_point:
        return int(2 ** {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}[dtype.name])
    return 2 if dtype is dtypes.bool_ else min(2 ** (8 * dtype.itemsize - dtype.is_signed), 2**63 - 1)


INPLACE = {
    "uniform_": uniform_, "normal_": normal_, "bernoulli_": bernoulli_, "exponential_": exponential_,
    "random_": random_,
    "log_normal_": log_normal_, "geometric_": geometric_, "cauchy_": cauchy_,
}  # fmt: skip
