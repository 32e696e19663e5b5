"""`Poisson`: counts of events."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.grad_mode import no_grad
from ..core.tensor import Tensor
from ..ops.random.distributions import poisson
from . import constraints
from .distribution import ExponentialFamily
from .utils import broadcast_all


class Poisson(ExponentialFamily):
    """The number of events if `rate` (λ) events are expected: log p(k) = k log λ - λ - log k!

    >>> import minigrad as mg
    >>> Poisson(1.0).log_prob(mg.tensor(0.0))
    tensor(-1.)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """The mean, `rate`."""
        return self.rate

    @property
    def mode(self) -> Tensor:
        """The rate, rounded down."""
        return self.rate.floor()

    @property
    def variance(self) -> Tensor:
        """The variance, `rate`."""
        return self.rate

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw random numbers. No gradient flows through them."""
        with no_grad():
            return poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the probability."""
        return self._checked(value).xlogy(self.rate) - self.rate - (value + 1).lgamma()
