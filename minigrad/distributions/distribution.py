"""`Distribution`: the base class of all distributions."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

from ..core.grad_mode import no_grad
from ..core.size import Size
from ..core.tensor import Tensor
from ..errors import ArgumentError, MissingRuleError
from . import constraints


class Distribution:
    """The base class of all distributions.

    `batch_shape` is the shape of the parameters, one distribution for each element. `event_shape` is the shape of
    one draw from one of them. ``sample(n)`` has the shape n + batch_shape + event_shape, `log_prob` of it the shape
    n + batch_shape.
    """

    has_rsample = False
    has_enumerate_support = False
    arg_constraints: ClassVar[dict[str, Any]] = {}
    support: Any = None
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Set whether distributions check parameters and values by default."""
        if value not in (True, False):
            raise ArgumentError(f"set_default_validate_args takes True or False, got {value!r}")
        Distribution._validate_args = value

    def __init__(self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None) -> None:
        self._batch_shape = Size(batch_shape)
        self._event_shape = Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            for name in self._given():
                self._check_parameter(name)

    def _given(self) -> list[str]:
        """The parameters that were given, not those computed from others."""
        return [name for name in self.arg_constraints if name in self.__dict__]

    def _check_parameter(self, name: str) -> None:
        constraint, value = self.arg_constraints[name], getattr(self, name)
        if constraints.is_dependent(constraint):
            return
        valid, all_valid = constraints.allowed(constraint, value)
        if all_valid:
            return
        raise ArgumentError(
            f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
            f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{_wrong(value, valid)}"
        )

    @property
    def batch_shape(self) -> Size:
        """The shape of the batch of distributions."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one draw."""
        return self._event_shape

    @property
    def mean(self) -> Tensor:
        """The mean."""
        raise self._lacks("mean")

    @property
    def mode(self) -> Tensor:
        """The value of highest probability."""
        raise self._lacks("mode")

    @property
    def variance(self) -> Tensor:
        """The variance."""
        raise self._lacks("variance")

    @property
    def stddev(self) -> Tensor:
        """The standard deviation, the root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw random numbers. No gradient flows through them."""
        with no_grad():
            return self.rsample(sample_shape)

    def sample_n(self, n: int) -> Tensor:
        """`sample` of `n` draws, by an older name."""
        warnings.warn("sample_n will be deprecated. Use .sample((n,)) instead", UserWarning, stacklevel=2)
        return self.sample((n,))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw random numbers differentiable in the parameters; `has_rsample` says if that is supported."""
        raise self._lacks("rsample")

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the probability (or probability density) at `value`."""
        raise self._lacks("log_prob")

    def cdf(self, value: Tensor) -> Tensor:
        """The probability that a draw is at most `value`."""
        raise self._lacks("cdf")

    def icdf(self, value: Tensor) -> Tensor:
        """The quantile: the number below which a draw lies with probability `value`."""
        raise self._lacks("icdf")

    def entropy(self) -> Tensor:
        """The mean of -log_prob, in nats."""
        raise self._lacks("entropy")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values that can be drawn, along a new first dimension."""
        raise self._lacks("enumerate_support")

    def perplexity(self) -> Tensor:
        """The exponential of the entropy."""
        return self.entropy().exp()

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return the same distribution, expanded to this batch shape without a copy."""
        batch_shape = Size(batch_shape)
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        for name in self._given():
            constraint = self.arg_constraints[name]
            dims = constraint.event_dim
            value = getattr(self, name)
            other.__dict__[name] = value.expand((*batch_shape, *value.shape[value.dim() - dims :]))
        other._batch_shape = batch_shape
        other._expanded(self, batch_shape)
        return other

    def _expanded(self, origin: Any, batch_shape: Size) -> None:
        """Expand attributes that are not parameters."""

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        sizes = (sample_shape,) if isinstance(sample_shape, int) else tuple(sample_shape)
        return Size((*sizes, *self._batch_shape, *self._event_shape))

    def _validate_sample(self, value: Any) -> None:
        """Raise ArgumentError if `value` is not in the support."""
        if not isinstance(value, Tensor):
            raise ArgumentError("The value argument to log_prob must be a Tensor")
        count = len(self._event_shape)
        if value.shape[value.dim() - count :] != self._event_shape:
            raise ArgumentError(
                f"The right-most size of value must match event_shape: {list(value.shape)} vs "
                f"{list(self._event_shape)}."
            )
        expected = (*self._batch_shape, *self._event_shape)
        for size, wanted in zip(reversed(value.shape), reversed(expected), strict=False):
            if 1 not in (size, wanted) and size != wanted:
                raise ArgumentError(
                    f"Value is not broadcastable with batch_shape+event_shape: {list(value.shape)} vs {list(expected)}."
                )
        support = self.support
        if support is None:
            return
        valid, all_valid = constraints.allowed(support, value)
        if all_valid:
            return
        raise ArgumentError(
            f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the support "
            f"({support!r}) of the distribution {self!r}, but found invalid values:\n{_wrong(value, valid)}"
        )

    def _checked(self, value: Tensor) -> Tensor:
        """Return `value`, checked if arguments are validated."""
        if self._validate_args:
            self._validate_sample(value)
        return value

    def _lacks(self, what: str) -> MissingRuleError:
        return MissingRuleError(f"{type(self).__name__} has no {what}")

    def __repr__(self) -> str:
        parts = []
        for name in self._given():
            value = self.__dict__[name]
            parts.append(f"{name}: {value if value.numel() == 1 else value.shape}")
        return f"{type(self).__name__}({', '.join(parts)})"


class ExponentialFamily(Distribution):
    """Distributions whose log-probability is linear in natural parameters."""


def _wrong(value: Tensor, valid: Tensor) -> str:
    """Return the invalid values, limited to a screenful."""
    return str(value if not valid.dim() or valid.shape != value.shape else value[~valid])
