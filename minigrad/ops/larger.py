"""The larger and the smaller of two elements. Where they tie, each gets half of the gradient."""

from __future__ import annotations

from typing import Any

from ..core.dispatch import binary
from .arguments import accepts_out, of_tensors
from .choose import where
from .families import Elementwise, sample, short_roads

__all__ = ["fmax", "fmin", "maximum", "minimum"]


class _Extreme(Elementwise, abstract=True):
    """The larger, or the smaller, of two elements; where they tie, each gets half the gradient."""

    __slots__ = ()
    kinds = "bif"
    samples = (sample((2, 3), (2, 3)), sample((2, 3), (3,)), sample((2, 1), (1, 3)), sample((0, 3), (3,)))

    def loses(self, a: Any, b: Any) -> Any:
        """Where `a` is not the chosen one."""
        raise NotImplementedError

    def grad_a(self, grad, a, b):
        r"\bar y \text{ where } a \text{ was chosen, half of it in a tie}"
        return where(a == b, grad * 0.5, grad).masked_fill(self.loses(a, b), 0)

    def grad_b(self, grad, a, b):
        r"\bar y \text{ where } b \text{ was chosen, half of it in a tie}"
        return where(a == b, grad * 0.5, grad).masked_fill(self.loses(b, a), 0)


class Maximum(_Extreme):
    """The larger of two elements; nan where one is nan."""

    __slots__ = ()
    formula = r"\max(a, b)"

    def forward(self, xp, a, b):
        return xp.maximum(a, b)

    def loses(self, a, b):
        return a < b


class Minimum(_Extreme):
    """The smaller of two elements; nan where one is nan."""

    __slots__ = ()
    formula = r"\min(a, b)"

    def forward(self, xp, a, b):
        return xp.minimum(a, b)

    def loses(self, a, b):
        return a > b


class Fmax(_Extreme):
    """The larger of two elements; a nan loses against a number."""

    __slots__ = ()
    formula = r"\max(a, b)"

    def forward(self, xp, a, b):
        return xp.fmax(a, b)

    def grad_a(self, grad, a, b):
        r"\bar y \text{ where } a \ge b"
        return grad.masked_fill(((a >= b) | b.isnan()).logical_not(), 0)

    def grad_b(self, grad, a, b):
        r"\bar y \text{ where } a < b"
        return grad.masked_fill((a >= b) | b.isnan(), 0)


class Fmin(_Extreme):
    """The smaller of two elements; a nan loses against a number."""

    __slots__ = ()
    formula = r"\min(a, b)"

    def forward(self, xp, a, b):
        return xp.fmin(a, b)

    def grad_a(self, grad, a, b):
        r"\bar y \text{ where } a \le b"
        return grad.masked_fill(((a <= b) | b.isnan()).logical_not(), 0)

    def grad_b(self, grad, a, b):
        r"\bar y \text{ where } a > b"
        return grad.masked_fill((a <= b) | b.isnan(), 0)


maximum = accepts_out(of_tensors(binary(Maximum)))
minimum = accepts_out(of_tensors(binary(Minimum)))
fmax = accepts_out(of_tensors(binary(Fmax)))
fmin = accepts_out(of_tensors(binary(Fmin)))

METHODS = short_roads(maximum, minimum, fmax, fmin)
