"""`Independent`: a batch of distributions as one distribution over several numbers."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.size import Size
from ..core.tensor import Tensor
from ..errors import ArgumentError, MissingRuleError
from . import constraints
from .distribution import Distribution
from .utils import sum_rightmost


class Independent(Distribution):
    """Makes the last `reinterpreted_batch_ndims` batch dimensions of `base_distribution` part of the event.

    >>> import minigrad as mg
    >>> from minigrad.distributions import Normal
    >>> Independent(Normal(mg.zeros(3), 1.0), 1).log_prob(mg.zeros(3))
    tensor(-2.7568)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {}

    def __init__(
        self, base_distribution: Any, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        batch = base_distribution.batch_shape
        if reinterpreted_batch_ndims > len(batch):
            raise ArgumentError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {reinterpreted_batch_ndims} vs {len(batch)}"
            )
        shape = batch + base_distribution.event_shape
        cut = len(batch) - reinterpreted_batch_ndims
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def _expanded(self, origin: Any, batch_shape: Any) -> None:
        inner = origin.event_shape[: self.reinterpreted_batch_ndims]
        self.base_dist = origin.base_dist.expand(Size((*batch_shape, *inner)))

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether the base distribution has `rsample`."""
        return bool(self.base_dist.has_rsample)

    @property
    def has_enumerate_support(self) -> bool:  # type: ignore[override]
        """Whether the base distribution has it; False if dimensions are joined."""
        return self.reinterpreted_batch_ndims == 0 and bool(self.base_dist.has_enumerate_support)

    @property
    def support(self) -> Any:
        """The support of the base, with more event dimensions."""
        inner = self.base_dist.support
        joined = self.reinterpreted_batch_ndims
        return constraints.independent(inner, joined) if joined else inner

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.base_dist.mean

    @property
    def mode(self) -> Tensor:
        """The value of highest probability."""
        return self.base_dist.mode

    @property
    def variance(self) -> Tensor:
        """The variance of each element."""
        return self.base_dist.variance

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw random numbers. No gradient flows through them."""
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw random numbers through which gradients flow to the parameters."""
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        """The log-probability of the base, summed over the joined dimensions."""
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        """The entropy of the base, summed over the joined dimensions."""
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values of the base distribution."""
        if self.reinterpreted_batch_ndims > 0:
            raise MissingRuleError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand)

    def __repr__(self) -> str:
        return f"Independent({self.base_dist}, {self.reinterpreted_batch_ndims})"
