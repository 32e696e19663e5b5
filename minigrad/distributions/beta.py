"""`Beta`: random probabilities."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.tensor import Tensor
from ..ops.shape.join import stack
from . import constraints
from .dirichlet import Dirichlet
from .distribution import ExponentialFamily
from .utils import broadcast_all


class Beta(ExponentialFamily):
    """The beta distribution on (0, 1): log p(x) = (α - 1) log x + (β - 1) log(1 - x) - log B(α, β).

    >>> Beta(1.0, 3.0).mean
    tensor(0.2500)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "concentration1": constraints.positive, "concentration0": constraints.positive,
    }  # fmt: skip
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        super().__init__(self.concentration1.shape, validate_args=validate_args)

    def _given(self) -> list[str]:
        return ["concentration1", "concentration0"]

    @property
    def _both(self) -> Dirichlet:
        return Dirichlet(stack([self.concentration1, self.concentration0], -1), validate_args=False)

    @property
    def mean(self) -> Tensor:
        """α / (α + β)."""
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Tensor:
        """(α - 1) / (α + β - 2)."""
        return self._both.mode[..., 0]

    @property
    def variance(self) -> Tensor:
        """αβ / ((α + β)² (α + β + 1))."""
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total**2 * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw two gamma numbers, and return the first divided by their sum."""
        return self._both.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        self._checked(value)
        return self._both.log_prob(stack([value, 1.0 - value], -1))

    def entropy(self) -> Tensor:
        """The entropy of the Dirichlet distribution of the two probabilities."""
        return self._both.entropy()
