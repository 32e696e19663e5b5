"""`Binomial`: successes in several trials."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.grad_mode import no_grad
from ..core.tensor import Tensor
from ..errors import MissingRuleError
from ..ops.create.factories import arange
from . import constraints
from .chances import Chances
from .draws import binomial
from .utils import broadcast_all


class Binomial(Chances):
    """The number of successes in `total_count` trials: log p(k) = log C(n, k) + k log p + (n - k) log(1 - p).

    >>> import minigrad as mg
    >>> Binomial(4, mg.tensor(0.5)).mean
    tensor(2.)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "total_count": constraints.nonnegative_integer, **Chances.arg_constraints,
    }  # fmt: skip
    has_enumerate_support = True

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._take(probs, logits)
        self.total_count, given = broadcast_all(total_count, self._param)
        self.total_count = self.total_count.type_as(given)
        setattr(self, self._chosen, given)
        super().__init__(given.shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        """The integers from 0 to `total_count`."""
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        """n p."""
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        """(n + 1) p, rounded down and at most n."""
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Tensor:
        """n p (1 - p)."""
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw random numbers. No gradient flows through them."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the probability."""
        n, k, logits = self.total_count, self._checked(value), self.logits
        combinations = (n + 1).lgamma() - (k + 1).lgamma() - (n - k + 1).lgamma()
        # n log(1 - p), computed with max(logit, 0) factored out so that no exponential overflows
        failures = n * ((logits + logits.abs()) / 2 + (-logits.abs()).exp().log1p())
        return combinations + k * logits - failures

    def entropy(self) -> Tensor:
        """Sum over all values; MissingRuleError if `total_count` differs within the batch."""
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(log_prob.exp() * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """The integers from 0 to `total_count`, along a new first dimension."""
        total = int(self.total_count.max().item())
        if not bool((self.total_count == total).all()):
            raise MissingRuleError("Inhomogeneous total count not supported by `enumerate_support`.")
        values = arange(1 + total, dtype=self._param.dtype, device=self._param.device)
        values = values.reshape((-1, *[1] * len(self._batch_shape)))
        return values.expand((-1, *self._batch_shape)) if expand else values
