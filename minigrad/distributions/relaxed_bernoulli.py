"""`RelaxedBernoulli`: a continuous approximation of `Bernoulli`, so that gradients flow through draws."""

from __future__ import annotations

from typing import Any

from ..core.size import Size
from ..core.tensor import Tensor
from . import constraints
from .chances import Chances
from .draws import open_uniform
from .transformed_distribution import TransformedDistribution
from .transforms import SigmoidTransform
from .utils import broadcast_all, clamp_probs


class LogitRelaxedBernoulli(Chances):
    """The log-odds of `RelaxedBernoulli` (Maddison et al., 2017)."""

    support = constraints.real
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        self._take(probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw (log-odds of a uniform number + log-odds of the probability) / temperature."""
        probs = clamp_probs(self.probs.expand(self._extended_shape(sample_shape)))
        u = clamp_probs(open_uniform(Size(probs.shape), probs))
        return (u.log() - (-u).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        logits, value = broadcast_all(self.logits, self._checked(value))
        distance = logits - value.mul(self.temperature)
        temperature = self.temperature
        log = temperature.log() if isinstance(temperature, Tensor) else logits.new_tensor(temperature).log()
        return log + distance - 2 * distance.exp().log1p()


class RelaxedBernoulli(TransformedDistribution):
    """A distribution over (0, 1) whose draws approach 0 or 1 as `temperature` falls.

    >>> import minigrad as mg
    >>> chance = mg.tensor(0.3, requires_grad=True)
    >>> RelaxedBernoulli(0.5, probs=chance).rsample().requires_grad
    True
    """

    arg_constraints = Chances.arg_constraints
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)

    @property
    def temperature(self) -> Any:
        """The temperature. Draws from a low one are almost discrete."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        """The log-odds."""
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        """The probability of a success."""
        return self.base_dist.probs
