"""Transforms from unconstrained numbers to those that satisfy a constraint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import MissingRuleError
from . import constraints, transforms

__all__ = ["biject_to", "transform_to"]


class ConstraintRegistry:
    """Looks up a transform by the class of a constraint; `register` adds one.

    >>> import minigrad as mg
    >>> transform_to(constraints.positive)(mg.tensor(0.0))
    tensor(1.)
    """

    def __init__(self) -> None:
        self._makers: dict[type, Callable[[Any], Any]] = {}

    def register(self, constraint: Any, factory: Callable[[Any], Any] | None = None) -> Any:
        """Use ``factory(constraint)`` for constraints of this class; a decorator if no factory is given."""
        if factory is None:
            return lambda given: self.register(constraint, given)
        self._makers[constraint if isinstance(constraint, type) else type(constraint)] = factory
        return factory

    def __call__(self, constraint: Any) -> Any:
        for kind in type(constraint).__mro__:
            if kind in self._makers:
                return self._makers[kind](constraint)
        raise MissingRuleError(f"Cannot transform {type(constraint).__name__} constraints")


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _above(constraint: Any) -> Any:
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.lower_bound, 1)]
    )


def _below(constraint: Any) -> Any:
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.upper_bound, -1)]
    )


def _between(constraint: Any) -> Any:
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, (int, float)) and isinstance(high, (int, float)) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)])


def _joined(registry: ConstraintRegistry) -> Callable[[Any], Any]:
    def make(constraint: Any) -> Any:
        base = registry(constraint.base_constraint)
        return transforms.IndependentTransform(base, constraint.reinterpreted_batch_ndims)

    return make


for _registry in (biject_to, transform_to):
    _registry.register(constraints.real, lambda constraint: transforms.identity_transform)
    _registry.register(constraints.positive, _above)
    _registry.register(constraints.less_than, _below)
    _registry.register(constraints.unit_interval, _between)
    _registry.register(constraints.independent, _joined(_registry))
    _registry.register(constraints.lower_cholesky, lambda constraint: transforms.LowerCholeskyTransform())
biject_to.register(constraints.simplex, lambda constraint: transforms.StickBreakingTransform())
transform_to.register(constraints.simplex, lambda constraint: transforms.SoftmaxTransform())
for _registry in (biject_to, transform_to):
    _registry.register(constraints.positive_definite, lambda constraint: transforms.PositiveDefiniteTransform())
    _registry.register(constraints.positive_semidefinite, lambda constraint: transforms.PositiveDefiniteTransform())
    _registry.register(constraints.corr_cholesky, lambda constraint: transforms.CorrCholeskyTransform())
