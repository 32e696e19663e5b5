"""`Categorical`: one of several classes."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import dtypes
from ..core.grad_mode import no_grad
from ..core.tensor import Tensor
from ..errors import ArgumentError
from ..ops.create.factories import arange
from ..ops.create.like import full_like
from ..ops.random.distributions import multinomial
from ..ops.shape.splitting import broadcast_tensors
from . import constraints
from .distribution import Distribution
from .utils import lazy_property, logits_to_probs, one_of, probs_to_logits


class Categorical(Distribution):
    """A distribution over class indices, with probabilities `probs` or unnormalised log-probabilities `logits`.

    The last dimension lists the classes; `probs` need not sum to 1.

    >>> import minigrad as mg
    >>> Categorical(mg.tensor([1.0, 3.0])).log_prob(mg.tensor(0))
    tensor(-1.3863)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._chosen = one_of(self, probs, logits)
        given: Tensor = probs if logits is None else logits
        if given.dim() < 1:
            raise ArgumentError(f"`{self._chosen}` parameter must be at least one-dimensional.")
        if logits is None:
            self.probs = given / given.sum(-1, keepdim=True)
        else:
            self.logits = given - given.logsumexp(dim=-1, keepdim=True)
        self._num_events = given.shape[-1]
        super().__init__(given.shape[:-1], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        """The class indices, from 0 on."""
        return constraints.integer_interval(0, self._num_events - 1)

    @lazy_property
    def logits(self) -> Tensor:
        """The log-probabilities."""
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> Tensor:
        """The probabilities."""
        return logits_to_probs(self.logits)

    @property
    def _param(self) -> Tensor:
        return self.__dict__[self._chosen]

    @property
    def param_shape(self) -> Any:
        """The shape of the given parameter, `probs` or `logits`."""
        return self._param.shape

    @property
    def mean(self) -> Tensor:
        """NaN: classes have no mean."""
        return full_like(self.probs[..., 0], float("nan"))

    @property
    def mode(self) -> Tensor:
        """The most probable class."""
        return self.probs.argmax(dim=-1)

    @property
    def variance(self) -> Tensor:
        """NaN: classes have no variance."""
        return full_like(self.probs[..., 0], float("nan"))

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw class indices."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            rows = self.probs.reshape(-1, self._num_events)
            return multinomial(rows, shape.numel() // max(len(rows), 1), True).T.reshape(shape)

    def log_prob(self, value: Tensor) -> Tensor:
        """The log-probability of each class in `value`."""
        value = self._checked(value).long().unsqueeze(-1)
        value, logits = broadcast_tensors(value, self.logits)
        return logits.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        """-Σ p log p."""
        logits = self.logits.clamp(min=dtypes.finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All class indices, along a new first dimension."""
        values = arange(self._num_events, dtype=dtypes.int64, device=self._param.device)
        values = values.reshape((-1, *[1] * len(self._batch_shape)))
        return values.expand((-1, *self._batch_shape)) if expand else values
