"""`ContinuousBernoulli`: numbers between 0 and 1, such as pixel brightness."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..core.tensor import Tensor
from ..nn.functional import binary_cross_entropy_with_logits
from ..ops.elementwise.where import where
from . import constraints
from .bernoulli import Bernoulli
from .distribution import ExponentialFamily
from .draws import uniform
from .utils import broadcast_all, clamp_probs, lazy_property, logits_to_probs, one_of, probs_to_logits


class ContinuousBernoulli(ExponentialFamily):
    """Numbers x in [0, 1] with log p(x) = x log λ + (1 - x) log(1 - λ) + log C(λ), λ = `probs` = σ(`logits`).

    Loaiza-Ganem and Cunningham, "The continuous Bernoulli: fixing a pervasive error in variational autoencoders"
    (2019). Between the `lims` around ½, where the formulas divide by zero, a Taylor series is used.

    >>> import minigrad as mg
    >>> ContinuousBernoulli(mg.tensor(0.3)).log_prob(mg.tensor(1.0))
    tensor(-0.4534)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        self._chosen = one_of(self, probs, logits)
        (given,) = broadcast_all(probs if logits is None else logits)
        if self._chosen == "probs":
            if validate_args is not False and not constraints.allowed(self.arg_constraints["probs"], given)[1]:
                Bernoulli(probs=given, validate_args=True)  # raises the right error
            given = clamp_probs(given)
        setattr(self, self._chosen, given)
        self._lims = lims
        super().__init__(given.shape, validate_args=validate_args)

    @lazy_property
    def probs(self) -> Tensor:
        """λ, which is not a probability here."""
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    @lazy_property
    def logits(self) -> Tensor:
        """log λ - log(1 - λ)."""
        return probs_to_logits(self.probs, is_binary=True)

    def _expanded(self, origin: Any, batch_shape: Any) -> None:
        for name in ("probs", "logits"):
            if name != self._chosen:
                self.__dict__.pop(name, None)

    @property
    def _far(self) -> Tensor:
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    @property
    def _cut(self) -> Tensor:
        """λ, with the lower limit in place of values close to ½."""
        return where(self._far, self.probs, self._lims[0])

    @property
    def _log_norm(self) -> Tensor:
        """log C(λ) = log (2 artanh(1 - 2λ) / (1 - 2λ))."""
        cut = self._cut
        exact = ((-cut).log1p() - cut.log()).abs().log() - (2 * cut - 1).abs().log()
        square = (self.probs - 0.5) ** 2
        return where(self._far, exact, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * square) * square)

    @property
    def mean(self) -> Tensor:
        """λ / (2λ - 1) + 1 / (log(1 - λ) - log λ)."""
        cut = self._cut
        exact = cut / (2 * cut - 1) + 1 / ((-cut).log1p() - cut.log())
        x = self.probs - 0.5
        return where(self._far, exact, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x**2) * x)

    @property
    def variance(self) -> Tensor:
        """λ (λ - 1) / (1 - 2λ)² + 1 / (log(1 - λ) - log λ)²."""
        cut = self._cut
        exact = cut * (cut - 1) / (1 - 2 * cut) ** 2 + 1 / ((-cut).log1p() - cut.log()) ** 2
        square = (self.probs - 0.5) ** 2
        return where(self._far, exact, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * square) * square)

    @property
    def param_shape(self) -> Any:
        """The shape of the parameter."""
        return getattr(self, self._chosen).shape

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Apply the inverse distribution function to uniform random numbers."""
        return self.icdf(uniform(self._extended_shape(sample_shape), self.probs))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        logits, value = broadcast_all(self.logits, self._checked(value))
        return self._log_norm - binary_cross_entropy_with_logits(logits, value, reduction="none")

    def cdf(self, value: Tensor) -> Tensor:
        """The probability that a draw is at most `value`."""
        cut = self._cut
        exact = (cut ** self._checked(value) * (1 - cut) ** (1 - value) + cut - 1) / (2 * cut - 1)
        inside = where(self._far, exact, value)
        return where(value <= 0, 0.0, where(value >= 1, 1.0, inside))

    def icdf(self, value: Tensor) -> Tensor:
        """The quantile: the number below which a draw lies with probability `value`."""
        cut = self._cut
        exact = ((-cut + value * (2 * cut - 1)).log1p() - (-cut).log1p()) / (cut.log() - (-cut).log1p())
        return where(self._far, exact, value)

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        zero, one = (-self.probs).log1p(), self.probs.log()
        return self.mean * (zero - one) - self._log_norm - zero
