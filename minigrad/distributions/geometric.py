"""`Geometric`: failures before the first success."""

from __future__ import annotations

from typing import Any

from ..core.grad_mode import no_grad
from ..core.tensor import Tensor
from ..errors import ArgumentError
from ..nn.functional import binary_cross_entropy_with_logits
from ..ops.create.like import zeros_like
from . import constraints
from .chances import Chances
from .draws import open_uniform
from .utils import broadcast_all


class Geometric(Chances):
    """The number of failures before the first success: log p(k) = k log(1 - p) + log p.

    >>> import minigrad as mg
    >>> Geometric(mg.tensor(0.25)).mean
    tensor(3.)
    """

    support = constraints.nonnegative_integer

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._take(probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)
        if self._validate_args and probs is not None and not bool((self.probs > 0).all()):
            raise ArgumentError(
                f"Expected parameter probs (Tensor of shape {tuple(self.probs.shape)}) of distribution {self!r} to be "
                f"positive but found invalid values:\n{self.probs}"
            )

    @property
    def mean(self) -> Tensor:
        """(1 - p) / p."""
        return 1 / self.probs - 1

    @property
    def mode(self) -> Tensor:
        """0."""
        return zeros_like(self.probs)

    @property
    def variance(self) -> Tensor:
        """(1 - p) / p²."""
        return (1 / self.probs - 1) / self.probs

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw floor(log u / log(1 - p)), with u uniform between 0 and 1."""
        with no_grad():
            u = open_uniform(self._extended_shape(sample_shape), self.probs)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the probability."""
        value, probs = broadcast_all(self._checked(value), self.probs)
        never = probs.eq(1) & value.eq(0)
        return value * (-probs.masked_fill(never, 0)).log1p() + probs.log()

    def entropy(self) -> Tensor:
        """The entropy of one trial, divided by p."""
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs
