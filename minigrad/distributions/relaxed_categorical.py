"""`RelaxedOneHotCategorical`: a continuous approximation of one-hot rows, so that gradients flow through draws."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.size import Size
from ..core.tensor import Tensor
from . import constraints
from .categorical import Categorical
from .distribution import Distribution
from .draws import open_uniform
from .transformed_distribution import TransformedDistribution
from .transforms import ExpTransform
from .utils import broadcast_all


class ExpRelaxedCategorical(Distribution):
    """The logarithm of `RelaxedOneHotCategorical` (Jang et al., 2017; Maddison et al., 2017)."""

    arg_constraints: ClassVar[dict[str, Any]] = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        shape = self._categorical.param_shape
        super().__init__(self._categorical.batch_shape, shape[-1:], validate_args=validate_args)

    def _given(self) -> list[str]:
        return []

    def _expanded(self, origin: Any, batch_shape: Any) -> None:
        self._categorical = origin._categorical.expand(batch_shape)

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        """The log-probabilities."""
        return self._categorical.logits

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw the log-softmax of (logits + Gumbel numbers) / temperature."""
        shape = self._extended_shape(sample_shape)
        gumbel = -(-open_uniform(Size(shape), self.logits).log()).log()
        scores = (self.logits + gumbel) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        n = self._event_shape[0]
        logits, value = broadcast_all(self.logits, self._checked(value))
        t = self.temperature if isinstance(self.temperature, Tensor) else logits.new_tensor(self.temperature)
        scale = logits.new_tensor(float(n)).lgamma() + (n - 1) * t.log()
        score = logits - value * t
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + scale


class RelaxedOneHotCategorical(TransformedDistribution):
    """A distribution over rows that sum to 1, and approach one-hot rows as `temperature` falls: the Gumbel softmax.

    >>> import minigrad as mg
    >>> row = RelaxedOneHotCategorical(0.5, logits=mg.zeros(3)).rsample()
    >>> round(row.sum().item(), 4)
    1.0
    """

    arg_constraints: ClassVar[dict[str, Any]] = ExpRelaxedCategorical.arg_constraints
    support = constraints.simplex
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    @property
    def temperature(self) -> Any:
        """The temperature. Draws from a low one are almost discrete."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        """The log-probabilities."""
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self.base_dist.probs
