"""`Bernoulli`: one trial."""

from __future__ import annotations

from typing import Any

from ..core.grad_mode import no_grad
from ..core.tensor import Tensor
from ..nn.functional import binary_cross_entropy_with_logits
from ..ops.create.factories import arange
from ..ops.random.distributions import bernoulli
from . import constraints
from .chances import Chances
from .distribution import ExponentialFamily
from .utils import broadcast_all


class Bernoulli(Chances, ExponentialFamily):
    """1 with probability `probs`, else 0: log p(k) = k log p + (1 - k) log(1 - p).

    >>> import minigrad as mg
    >>> Bernoulli(0.25).log_prob(mg.tensor(1.0))
    tensor(-1.3863)
    """

    support = constraints.boolean
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._take(probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """The mean, `probs`."""
        return self.probs

    @property
    def mode(self) -> Tensor:
        """1 or 0, whichever is more probable; NaN if both are equally probable."""
        mode = (self.probs >= 0.5).to(self.probs.dtype)
        return mode.masked_fill(self.probs == 0.5, float("nan"))

    @property
    def variance(self) -> Tensor:
        """p (1 - p)."""
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw random numbers. No gradient flows through them."""
        with no_grad():
            return bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the probability."""
        logits, value = broadcast_all(self.logits, self._checked(value))
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        """-p log p - (1 - p) log(1 - p)."""
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """The values 0 and 1, along a new first dimension."""
        values = arange(2, dtype=self._param.dtype, device=self._param.device)
        values = values.reshape((-1, *[1] * len(self._batch_shape)))
        return values.expand((-1, *self._batch_shape)) if expand else values
