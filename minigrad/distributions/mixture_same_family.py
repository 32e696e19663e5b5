"""`MixtureSameFamily`: a mixture of several distributions of one class."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.grad_mode import no_grad
from ..core.tensor import Tensor
from ..errors import ArgumentError
from ..ops.nn.softmax import log_softmax
from . import constraints
from .categorical import Categorical
from .distribution import Distribution


class MixtureSameFamily(Distribution):
    """A mixture: `mixture_distribution` selects a component along the last batch dimension of `component_distribution`.

    >>> import minigrad as mg
    >>> from minigrad.distributions import Categorical, Normal
    >>> mixture = MixtureSameFamily(Categorical(mg.ones(2)), Normal(mg.tensor([-1.0, 1.0]), 1.0))
    >>> mixture.mean
    tensor(0.)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {}

    def __init__(
        self, mixture_distribution: Any, component_distribution: Any, validate_args: bool | None = None
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ArgumentError(
                f"mixture_distribution must be a Categorical, got {type(mixture_distribution).__name__}"
            )
        if not isinstance(component_distribution, Distribution):
            raise ArgumentError(
                f"component_distribution must be a Distribution, got {type(component_distribution).__name__}"
            )
        batch = component_distribution.batch_shape[:-1]
        for a, b in zip(reversed(mixture_distribution.batch_shape), reversed(batch), strict=False):
            if 1 not in (a, b) and a != b:
                raise ArgumentError(
                    f"`mixture_distribution.batch_shape` ({mixture_distribution.batch_shape}) is not compatible with "
                    f"`component_distribution.batch_shape[:-1]`({batch})"
                )
        count = mixture_distribution.param_shape[-1]
        if count != component_distribution.batch_shape[-1]:
            raise ArgumentError(
                f"`mixture_distribution component` ({count}) does not equal `component_distribution.batch_shape[-1]` "
                f"({component_distribution.batch_shape[-1]})"
            )
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        self._num_component = count
        super().__init__(batch, component_distribution.event_shape, validate_args=validate_args)

    def _expanded(self, origin: Any, batch_shape: Any) -> None:
        self._mixture_distribution = origin._mixture_distribution.expand(batch_shape)
        self._component_distribution = origin._component_distribution.expand((*batch_shape, self._num_component))

    @property
    def mixture_distribution(self) -> Any:
        """The distribution that selects a component."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Any:
        """The distribution of the components."""
        return self._component_distribution

    @property
    def support(self) -> Any:
        """What every component allows."""
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def _weights(self) -> Tensor:
        probs = self._mixture_distribution.probs
        return probs.reshape((*probs.shape, *[1] * len(self._event_shape)))

    @property
    def _dim(self) -> int:
        """The dimension of components."""
        return -1 - len(self._event_shape)

    @property
    def mean(self) -> Tensor:
        """The weighted mean of the means."""
        return (self._weights * self._component_distribution.mean).sum(self._dim)

    @property
    def variance(self) -> Tensor:
        """The mean of the variances plus the variance of the means."""
        means = self._component_distribution.mean
        within = (self._weights * self._component_distribution.variance).sum(self._dim)
        return within + (self._weights * (means - self.mean.unsqueeze(self._dim)) ** 2).sum(self._dim)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw from every component, and select one draw."""
        with no_grad():
            chosen = self._mixture_distribution.sample(sample_shape)
            drawn = self._component_distribution.sample(sample_shape)
            chosen = chosen.reshape((*chosen.shape, *[1] * (len(self._event_shape) + 1)))
            chosen = chosen.expand((*drawn.shape[: drawn.dim() + self._dim], 1, *self._event_shape))
            return drawn.gather(self._dim, chosen).squeeze(self._dim)

    def _padded(self, value: Tensor) -> Tensor:
        return value.unsqueeze(self._dim)

    def log_prob(self, value: Tensor) -> Tensor:
        """log Σ wᵢ pᵢ(x)."""
        each = self._component_distribution.log_prob(self._padded(self._checked(value)))
        return (each + log_softmax(self._mixture_distribution.logits, dim=-1)).logsumexp(dim=-1)

    def cdf(self, value: Tensor) -> Tensor:
        """Σ wᵢ Fᵢ(x)."""
        return (self._component_distribution.cdf(self._padded(value)) * self._mixture_distribution.probs).sum(-1)

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self._mixture_distribution},\n  {self._component_distribution})"
