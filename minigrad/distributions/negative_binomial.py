"""`NegativeBinomial`: successes before a given number of failures."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.grad_mode import no_grad
from ..core.tensor import Tensor
from ..nn.functional import logsigmoid
from ..ops.random.distributions import poisson
from . import constraints
from .chances import Chances
from .gamma import Gamma
from .utils import broadcast_all


class NegativeBinomial(Chances):
    """The number of successes before `total_count` failures.

    >>> import minigrad as mg
    >>> NegativeBinomial(2.0, mg.tensor(0.5)).mean
    tensor(2.)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._take(probs, logits)
        self.total_count, given = broadcast_all(total_count, self._param)
        self.total_count = self.total_count.type_as(given)
        setattr(self, self._chosen, given)
        super().__init__(given.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """n p / (1 - p)."""
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Tensor:
        """(n - 1) p / (1 - p), rounded down and at least 0."""
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Tensor:
        """n p / (1 - p)²."""
        return self.mean / (-self.logits).sigmoid()

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw Poisson counts with gamma-distributed rates."""
        with no_grad():
            rate = Gamma(self.total_count, (-self.logits).exp(), validate_args=False).sample(sample_shape)
            return poisson(rate)

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the probability."""
        n, k = self.total_count, self._checked(value)
        area = (1 + k).lgamma() + n.lgamma() - (n + k).lgamma()
        area = area.masked_fill(n + k == 0, 0.0)
        return n * logsigmoid(-self.logits) + k * logsigmoid(self.logits) - area
