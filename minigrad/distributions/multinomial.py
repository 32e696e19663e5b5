"""`Multinomial`: how often each class occurs in several draws."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.grad_mode import no_grad
from ..core.tensor import Tensor
from ..errors import MissingRuleError
from . import constraints
from .binomial import Binomial
from .categorical import Categorical
from .distribution import Distribution
from .utils import broadcast_all


class Multinomial(Distribution):
    """The counts of each class in `total_count` draws: log p(k) = log n! - Σ log kᵢ! + Σ kᵢ log pᵢ.

    >>> import minigrad as mg
    >>> Multinomial(4, mg.tensor([1.0, 3.0])).mean
    tensor([1., 3.])
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"probs": constraints.simplex, "logits": constraints.real_vector}

    def __init__(
        self, total_count: int = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        if not isinstance(total_count, int):
            raise MissingRuleError("inhomogeneous total_count is not supported: give one int")
        self.total_count = total_count
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def _given(self) -> list[str]:
        return []

    def _expanded(self, origin: Any, batch_shape: Any) -> None:
        self._categorical = origin._categorical.expand(batch_shape)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        """Counts that sum to `total_count`."""
        return constraints.multinomial(self.total_count)

    @property
    def probs(self) -> Tensor:
        """The probabilities of the classes."""
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        """The log-probabilities of the classes."""
        return self._categorical.logits

    @property
    def param_shape(self) -> Any:
        """The shape of the given parameter, `probs` or `logits`."""
        return self._categorical.param_shape

    @property
    def mean(self) -> Tensor:
        """n p."""
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        """n p (1 - p)."""
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw counts of classes."""
        shape = (self.total_count, *((sample_shape,) if isinstance(sample_shape, int) else sample_shape))
        with no_grad():
            drawn = self._categorical.sample(shape).movedim(0, -1)
            counts = self.probs.new_zeros(self._extended_shape(shape[1:]))
            return counts.scatter_add(-1, drawn, counts.new_ones(drawn.shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the probability."""
        logits, k = broadcast_all(self.logits, self._checked(value))
        logits = logits.masked_fill((k == 0) & (logits == -float("inf")), 0)
        return (k.sum(-1) + 1).lgamma() - (k + 1).lgamma().sum(-1) + (logits * k).sum(-1)

    def entropy(self) -> Tensor:
        """n times the entropy of one draw, minus the part that is due to the order of draws."""
        n = self.total_count
        one = Binomial(n, self.probs, validate_args=False)
        counts = one.enumerate_support(False)[1:]
        orders = (one.log_prob(counts).exp() * (counts + 1).lgamma()).sum((0, -1))
        return n * self._categorical.entropy() - self.probs.new_tensor(n + 1.0).lgamma() + orders
