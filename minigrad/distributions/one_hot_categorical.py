"""`OneHotCategorical`: one of several classes, as a one-hot row."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.tensor import Tensor
from ..nn.functional import one_hot
from ..ops.create.factories import eye
from . import constraints
from .categorical import Categorical
from .distribution import Distribution


class OneHotCategorical(Distribution):
    """A distribution over one-hot rows: zeros with a 1 for the class; see `Categorical`.

    >>> import minigrad as mg
    >>> OneHotCategorical(mg.tensor([0.0, 1.0])).sample()
    tensor([0., 1.])
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

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

    @property
    def param_shape(self) -> Any:
        """The shape of the given parameter, `probs` or `logits`."""
        return self._categorical.param_shape

    @property
    def mean(self) -> Tensor:
        """The probabilities."""
        return self.probs

    @property
    def mode(self) -> Tensor:
        """The one-hot row of the most probable class."""
        return one_hot(self.probs.argmax(dim=-1), self.event_shape[0]).to(self.probs.dtype)

    @property
    def variance(self) -> Tensor:
        """p (1 - p)."""
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw one-hot rows."""
        return one_hot(self._categorical.sample(sample_shape), self.event_shape[0]).to(self.probs.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        """The log-probability of the class that is 1."""
        return self._categorical.log_prob(self._checked(value).max(-1)[1])

    def entropy(self) -> Tensor:
        """-Σ p log p."""
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """The one-hot rows of all classes, along a new first dimension."""
        n = self.event_shape[0]
        values = eye(n, dtype=self.probs.dtype, device=self.probs.device)
        values = values.reshape((n, *[1] * len(self._batch_shape), n))
        return values.expand((n, *self._batch_shape, n)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """One-hot draws whose gradient flows to the probabilities as if the draw were `probs` (Bengio et al., 2013)."""

    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw one-hot rows with the gradient of `probs`."""
        return self.sample(sample_shape) + (self.probs - self.probs.detach())
