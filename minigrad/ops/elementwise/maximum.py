"""The larger and the smaller of two elements.

For equal elements, `maximum` and `minimum` give each half of the gradient; `fmax` and `fmin` give it to the first.
"""

from __future__ import annotations

from typing import Any

from ...core.dispatch import binary
from ..common.arguments import accepts_out, of_tensors
from ..common.bases import Elementwise, sample, short_roads
from .where import where

__all__ = ["fmax", "fmin", "maximum", "minimum"]


class _Extreme(Elementwise, abstract=True):
    """The larger, or the smaller, of two elements."""

    __slots__ = ()
    kinds = "bif"
    samples = (sample((2, 3), (2, 3)), sample((2, 3), (3,)), sample((2, 1), (1, 3)), sample((0, 3), (3,)))


def _shared(grad: Any, a: Any, b: Any, lost: Any) -> Any:
    """Return one operand's gradient: zero where it has `lost`, half where the operands are equal."""
    return where(a == b, grad * 0.5, grad).masked_fill(lost, 0)


class Maximum(_Extreme):
    """The larger of two elements; NaN if one is NaN."""

    __slots__ = ()
    formula = r"\max(a, b)"

    def forward(self, xp, a, b):
        return xp.maximum(a, b)

    def grad_a(self, grad, a, b):
        r"\bar y \text{ where } a > b, \text{ half of it in a tie}"
        return _shared(grad, a, b, a < b)

    def grad_b(self, grad, a, b):
        r"\bar y \text{ where } a < b, \text{ half of it in a tie}"
        return _shared(grad, a, b, b < a)


class Minimum(_Extreme):
    """The smaller of two elements; NaN if one is NaN."""

    __slots__ = ()
    formula = r"\min(a, b)"

    def forward(self, xp, a, b):
        return xp.minimum(a, b)

    def grad_a(self, grad, a, b):
        r"\bar y \text{ where } a < b, \text{ half of it in a tie}"
        return _shared(grad, a, b, a > b)

    def grad_b(self, grad, a, b):
        r"\bar y \text{ where } a > b, \text{ half of it in a tie}"
        return _shared(grad, a, b, b > a)


class Fmax(_Extreme):
    """The larger of two elements; a number wins over NaN."""

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
    """The smaller of two elements; a number wins over NaN."""

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
