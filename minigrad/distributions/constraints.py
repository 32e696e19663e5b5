"""Constraints on parameters and samples: ``constraint.check(value)`` tests values element by element.

>>> import minigrad as mg
>>> positive.check(mg.tensor([-1.0, 2.0]))
tensor([False,  True])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.grad_mode import no_grad
from ..dtypes import finfo
from ..errors import ArgumentError, MissingRuleError
from ..ops.linalg.error_codes import cholesky_ex
from ..ops.linalg.functions import eigvalsh
from ..ops.shape.join import cat as cat_tensors
from ..ops.shape.join import stack as stack_tensors

__all__ = [
    "Constraint", "MixtureSameFamilyConstraint", "boolean", "cat", "corr_cholesky", "dependent", "dependent_property",
    "greater_than", "greater_than_eq", "half_open_interval", "independent", "integer_interval", "interval",
    "is_dependent", "less_than", "lower_cholesky", "lower_triangular", "multinomial", "nonnegative",
    "nonnegative_integer", "one_hot", "positive", "positive_definite", "positive_integer", "positive_semidefinite",
    "real", "real_vector", "simplex", "square", "stack", "symmetric", "unit_interval",
]  # fmt: skip


class Constraint:
    """The base class: `event_dim` is the number of dimensions of one value."""

    is_discrete = False
    event_dim = 0

    def check(self, value: Any) -> Any:
        """Whether each value is allowed."""
        raise MissingRuleError(f"{type(self).__name__} needs a method check(self, value)")

    def __repr__(self) -> str:
        bounds = ", ".join(f"{name}={value}" for name, value in vars(self).items() if not name.startswith("_"))
        return f"{type(self).__name__.lstrip('_')}({bounds})"


class Dependent(Constraint):
    """A constraint that depends on other parameters; see `dependent_property`."""

    def __init__(self, *, is_discrete: bool = False, event_dim: int = 0) -> None:
        self.is_discrete = is_discrete
        self.event_dim = event_dim

    def __call__(self, *, is_discrete: bool = False, event_dim: int = 0) -> Dependent:
        return Dependent(is_discrete=is_discrete, event_dim=event_dim)

    def check(self, value: Any) -> Any:
        """Raise: this cannot be checked without the other parameters."""
        raise ArgumentError("Cannot determine validity of dependent constraint")


@no_grad()
def allowed(constraint: Any, value: Any) -> tuple[Any, bool]:
    """Whether each value is allowed, and whether all are. An observer does not record the ops of such a check."""
    each = constraint.check(value)
    return each, bool(each.all())


def is_dependent(constraint: Any) -> bool:
    """Whether `constraint` depends on other parameters."""
    return isinstance(constraint, (Dependent, dependent_property))


class dependent_property(property):
    """A property of a distribution whose value is a constraint, such as a support between two parameters."""

    def __init__(self, fn: Any = None, *, is_discrete: bool = False, event_dim: int = 0) -> None:
        super().__init__(fn)
        self.is_discrete = is_discrete
        self.event_dim = event_dim

    def __call__(self, fn: Any) -> dependent_property:
        return dependent_property(fn, is_discrete=self.is_discrete, event_dim=self.event_dim)


class Boolean(Constraint):
    """0 or 1."""

    is_discrete = True

    def check(self, value: Any) -> Any:
        """Whether each value is 0 or 1."""
        return (value == 0) | (value == 1)


class Real(Constraint):
    """Any number but NaN."""

    def check(self, value: Any) -> Any:
        """Whether each value is a number."""
        return value == value


class Interval(Constraint):
    """Values from `lower_bound` to `upper_bound`."""

    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound

    def check(self, value: Any) -> Any:
        """Whether each value lies between the bounds or on them."""
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class HalfOpenInterval(Interval):
    """Values from `lower_bound` up to, not including, `upper_bound`."""

    def check(self, value: Any) -> Any:
        """Whether each value lies between the bounds or on the lower one."""
        return (self.lower_bound <= value) & (value < self.upper_bound)


class IntegerInterval(Interval):
    """Integers from `lower_bound` to `upper_bound`."""

    is_discrete = True

    def check(self, value: Any) -> Any:
        """Whether each value is an integer within the bounds."""
        return (value % 1 == 0) & super().check(value)


class GreaterThan(Constraint):
    """Above `lower_bound`."""

    def __init__(self, lower_bound: Any) -> None:
        self.lower_bound = lower_bound

    def check(self, value: Any) -> Any:
        """Whether each value is above the bound."""
        return self.lower_bound < value


class GreaterThanEq(GreaterThan):
    """At least `lower_bound`."""

    def check(self, value: Any) -> Any:
        """Whether each value is at least the bound."""
        return self.lower_bound <= value


class IntegerGreaterThan(GreaterThan):
    """Integers from `lower_bound` on."""

    is_discrete = True

    def check(self, value: Any) -> Any:
        """Whether each value is an integer of at least the bound."""
        return (value % 1 == 0) & (value >= self.lower_bound)


class LessThan(Constraint):
    """Below `upper_bound`."""

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, value: Any) -> Any:
        """Whether each value is below the bound."""
        return value < self.upper_bound


class Simplex(Constraint):
    """Rows of non-negative numbers that sum to 1."""

    event_dim = 1

    def check(self, value: Any) -> Any:
        """Whether each row is non-negative and sums to 1."""
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class OneHot(Constraint):
    """One-hot rows: zeros with a single 1."""

    is_discrete = True
    event_dim = 1

    def check(self, value: Any) -> Any:
        """Whether each row is one-hot."""
        return ((value == 0) | (value == 1)).all(-1) & (value.sum(-1) == 1)


class Multinomial(Constraint):
    """Rows of counts that sum to `upper_bound`."""

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, value: Any) -> Any:
        """Whether each row has non-negative integers with at most that sum."""
        return (value >= 0).all(-1) & (value.sum(-1) <= self.upper_bound)


class Square(Constraint):
    """Square matrices."""

    event_dim = 2

    def check(self, value: Any) -> Any:
        """Whether the matrices are square."""
        return value.new_ones(value.shape[:-2], dtype=None).bool() & (value.shape[-2] == value.shape[-1])


class LowerTriangular(Square):
    """Lower triangular matrices."""

    def check(self, value: Any) -> Any:
        """Whether each matrix is lower triangular."""
        return (value.tril() == value).all(-1).all(-1)


class LowerCholesky(LowerTriangular):
    """Lower triangular matrices with a positive diagonal."""

    def check(self, value: Any) -> Any:
        """Whether each matrix can be a Cholesky factor."""
        return super().check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class Symmetric(Square):
    """Symmetric matrices."""

    def check(self, value: Any) -> Any:
        """Whether each matrix is symmetric up to rounding."""
        return ((value - value.mT).abs() <= 1e-6 + 1e-5 * value.abs()).all(-1).all(-1)


class PositiveDefinite(Symmetric):
    """Positive definite matrices."""

    def check(self, value: Any) -> Any:
        """Whether each matrix has a Cholesky factor."""
        return super().check(value) & (cholesky_ex(value).info == 0)


class PositiveSemidefinite(Symmetric):
    """Positive semidefinite matrices."""

    def check(self, value: Any) -> Any:
        """Whether each matrix has no negative eigenvalue."""
        return super().check(value) & (eigvalsh(value) >= 0).all(-1)


class CorrCholesky(Constraint):
    """Cholesky factors of correlation matrices: lower triangular, positive diagonal, and rows of norm 1."""

    event_dim = 2

    def check(self, value: Any) -> Any:
        """Whether each matrix is such a factor."""
        tolerance = finfo(value.dtype).eps * value.shape[-1] * 10
        rows = ((value.norm(dim=-1) - 1).abs() <= tolerance).all(-1)
        return LowerCholesky().check(value) & rows


class Cat(Constraint):
    """One constraint for each of several parts along `dim`, which have these `lengths`."""

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0, lengths: Sequence[int] | None = None) -> None:
        self.cseq, self.dim = list(cseq), dim
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """The number of dimensions of one value."""
        return max(each.event_dim for each in self.cseq)

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """Whether the values of any part are integers."""
        return any(each.is_discrete for each in self.cseq)

    def check(self, value: Any) -> Any:
        """Whether each value satisfies the constraint of its part."""
        parts = value.split(self.lengths, self.dim)
        return cat_tensors([each.check(part) for each, part in zip(self.cseq, parts, strict=True)], self.dim)


class Stack(Constraint):
    """One constraint for each slice along `dim`."""

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0) -> None:
        self.cseq, self.dim = list(cseq), dim

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """The number of dimensions of one value."""
        dims = max(each.event_dim for each in self.cseq)
        return dims + 1 if self.dim + dims < 0 else dims

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """Whether the values of any part are integers."""
        return any(each.is_discrete for each in self.cseq)

    def check(self, value: Any) -> Any:
        """Whether each value satisfies the constraint of its slice."""
        parts = value.unbind(self.dim)
        return stack_tensors([each.check(part) for each, part in zip(self.cseq, parts, strict=True)], self.dim)


class _Independent(Constraint):
    """Applies `base_constraint` to several last dimensions together."""

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        self._dims = base_constraint.event_dim + reinterpreted_batch_ndims

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """The number of dimensions of one value."""
        return self._dims

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """Whether the values are integers."""
        return self.base_constraint.is_discrete

    def check(self, value: Any) -> Any:
        """Whether all elements of each value are allowed."""
        allowed = self.base_constraint.check(value)
        for _ in range(self.reinterpreted_batch_ndims):
            allowed = allowed.all(-1)
        return allowed


class MixtureSameFamilyConstraint(Constraint):
    """Applies `base_constraint`, of all components of a mixture, to each value: it must be allowed in every one."""

    def __init__(self, base_constraint: Constraint) -> None:
        self.base_constraint = base_constraint

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """The number of dimensions of one value."""
        return self.base_constraint.event_dim

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """Whether the values are integers."""
        return self.base_constraint.is_discrete

    def check(self, value: Any) -> Any:
        """Whether each value is allowed in every component."""
        return self.base_constraint.check(value.unsqueeze(-1 - self.event_dim)).all(-1)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_constraint!r})"


boolean = Boolean()
dependent = Dependent()
real = Real()
real_vector = _Independent(real, 1)
positive = GreaterThan(0.0)
nonnegative = GreaterThanEq(0.0)
unit_interval = Interval(0.0, 1.0)
nonnegative_integer = IntegerGreaterThan(0)
positive_integer = IntegerGreaterThan(1)
simplex = Simplex()
one_hot = OneHot()
square = Square()
symmetric = Symmetric()
lower_triangular = LowerTriangular()
lower_cholesky = LowerCholesky()
positive_semidefinite = PositiveSemidefinite()
positive_definite = PositiveDefinite()
corr_cholesky = CorrCholesky()
cat, stack = Cat, Stack
interval, half_open_interval, integer_interval = Interval, HalfOpenInterval, IntegerInterval
greater_than, greater_than_eq, less_than = GreaterThan, GreaterThanEq, LessThan
multinomial, independent = Multinomial, _Independent
