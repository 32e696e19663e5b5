"""Fill a tensor with random numbers, in place, in the order of its memory."""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...core.interpreter import drawing
from ...core.slices import check_writable
from ...core.tensor import Tensor, wrap
from ...errors import DomainError, MissingRuleError
from .distributions import bernoulli_array, check_bounds, continuous, in_memory_order, source


def _fill(self: Tensor, generator: Any, kind: str, *settings: Any) -> Tensor:
    """Overwrite with random numbers from the method `kind` of the source."""
    check_writable(self, self.requires_grad)
    draw = getattr(source(generator, self._backend), kind)
    return _overwrite(self, in_memory_order(self._array, lambda shape: draw(shape, self.dtype, *settings)))


def _overwrite(self: Tensor, drawn: Any) -> Tensor:
    return self.copy_(wrap(self._backend.asarray(drawn), self._backend))


def _check_continuous(self: Tensor, name: str) -> None:
    if not self.dtype.is_floating_point:
        raise DomainError(
            f"{name} distribution is a continuous probability distribution. dtype must be a floating point but you "
            f"specified {self.dtype.type_name}"
        )


@drawing
def uniform_(self: Tensor, from_: float = 0.0, to: float = 1.0, *, generator: Any = None, **bounds: Any) -> Tensor:
    """Fill with uniform random numbers in [from, to)."""
    low = bounds.get("from", from_)
    continuous(self.dtype, "check_uniform_bounds")
    if low > to:
        raise DomainError(f"uniform_ expects to return a [from, to) range, but found from={low} > to={to}")
    limit = dtypes.finfo(self.dtype).max
    for name, bound in (("from", low), ("to", to), ("to - from", to - low)):
        if not -limit <= bound <= limit:
            raise DomainError(f"uniform_: {name} is out of bounds for {self.dtype.name}: {bound}")
    return _fill(self, generator, "uniform", low, to)


@drawing
def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with normal numbers."""
    if std < 0:
        raise DomainError(f"normal expects std >= 0.0, but found std {std}")
    continuous(self.dtype, "normal_kernel_cpu")
    return _fill(self, generator, "normal", float(mean), float(std), not self._array.flags.c_contiguous)


@drawing
def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """Fill with 1 with probability `p`, else 0."""
    check_writable(self, self.requires_grad)
    return _overwrite(self, bernoulli_array(source(generator, self._backend), self._array, p))


@drawing
def exponential_(self: Tensor, lambd: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with exponential random numbers of rate `lambd`."""
    _check_continuous(self, "Exponential")
    if lambd <= 0:
        raise DomainError(f"exponential_ expects lambda > 0.0, but found lambda={lambd}")
    return _fill(self, generator, "exponential", lambd)


@drawing
def log_normal_(self: Tensor, mean: float = 1.0, std: float = 2.0, *, generator: Any = None) -> Tensor:
    """Fill with numbers whose logarithms are normal."""
    _check_continuous(self, "Log-normal")
    if std <= 0:
        raise DomainError(f"log_normal_ expects std > 0.0, but found std={std}")
    return _fill(self, generator, "log_normal", mean, std)


@drawing
def geometric_(self: Tensor, p: float, *, generator: Any = None) -> Tensor:
    """Fill with the number of trials up to the first success, of probability `p`."""
    if not 0 < p < 1:
        raise DomainError(f"geometric_ expects p to be in (0, 1), but got p={p}")
    return _fill(self, generator, "geometric", p)


@drawing
def cauchy_(self: Tensor, median: float = 0.0, sigma: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with numbers from the Cauchy distribution."""
    _check_continuous(self, "Cauchy")
    if sigma <= 0:
        raise DomainError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma}")
    return _fill(self, generator, "cauchy", median, sigma)


@drawing
def random_(self: Tensor, *bounds: int | None, to: int | None = None, generator: Any = None) -> Tensor:
    """Fill with integers: ``random_()`` from 0 to the largest exact one, ``random_(to)`` or ``random_(from, to)``.

    The largest exact one is the largest integer up to which the dtype represents all integers; ``random_(from, None)``
    draws from `from` up to it.
    """
    if self.dtype.is_complex:
        raise MissingRuleError(f'"random_kernel_cpu" not implemented for {self.dtype.type_name!r}')
    if not bounds and to is None:
        return _fill(self, generator, "any_integers")
    low, high = bounds if len(bounds) == 2 else (0, *bounds) if to is None else (*(bounds or (0,)), to)
    end = dtypes.largest_integer(self.dtype) + 1 if high is None else high
    check_bounds(low or 0, end, self.dtype)
    check_writable(self, self.requires_grad)
    draw = source(generator, self._backend)
    return _overwrite(self, in_memory_order(self._array, lambda shape: draw.integers(low, end, shape, self.dtype)))


INPLACE = {
    "uniform_": uniform_, "normal_": normal_, "bernoulli_": bernoulli_, "exponential_": exponential_,
    "random_": random_,
    "log_normal_": log_normal_, "geometric_": geometric_, "cauchy_": cauchy_,
}  # fmt: skip
