"""The normal distribution function, its logarithm and its inverse; entropy; and related functions."""

from __future__ import annotations

import math
from typing import Any

from ...core.dispatch import unary
from ...core.tensor import Tensor, as_operand
from ..common.arguments import accepts_out
from ..common.bases import Elementwise, sample, within
from .error_and_gamma import Special

__all__: list[str] = []


class Ndtr(Special):
    """The normal distribution function: the probability that a standard normal number is below each element."""

    __slots__ = ()
    formula = r"\Phi(x)"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return xp.special("erfc")(x * x.dtype.type(-math.sqrt(0.5))) * x.dtype.type(0.5)

    def grad_x(self, grad, x):
        r"\bar y \odot e^{-x^2/2} / \sqrt{2\pi}"
        return grad * (x * x * -0.5).exp() * (1 / math.sqrt(2 * math.pi))


class LogNdtr(Special):
    """The logarithm of the normal distribution function, accurate for tiny probabilities, too."""

    __slots__ = ()
    formula = r"\ln \Phi(x)"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return xp.special("log_ndtr")(x)

    def grad_x(self, grad, x):
        r"\bar y \odot e^{-x^2/2 - \ln \Phi(x)} / \sqrt{2\pi}"
        return grad * (x * x * -0.5 - log_ndtr(x)).exp() * (1 / math.sqrt(2 * math.pi))


class Ndtri(Special):
    """The inverse of the normal distribution function."""

    __slots__ = ()
    formula = r"\Phi^{-1}(x)"
    samples = (sample((2, 3), low=0.1, high=0.9),)

    def forward(self, xp, x):
        return xp.special("ndtri")(x)

    def grad_x(self, grad, out):
        r"\sqrt{2\pi}\, \bar y \odot e^{y^2/2}"
        return grad * (out * out * 0.5).exp() * math.sqrt(2 * math.pi)


class Entr(Special):
    """-x ln x, the contribution of a probability to the entropy; 0 at 0, and -inf below."""

    __slots__ = ()
    formula = r"-x \ln x"
    samples = (sample((2, 3), low=0.1, high=2),)

    def forward(self, xp, x):
        inside = -x * xp.log(xp.where(x > 0, x, x.dtype.type(1)))
        return xp.where(x < 0, x.dtype.type(-math.inf), xp.where(xp.isnan(x), x, inside))

    def grad_x(self, grad, x):
        r"\bar y \odot (-\ln x - 1)"
        return grad * (-x.log() - 1)


class Erfcx(Special):
    """The complementary error function times the exponential of x²."""

    __slots__ = ()
    formula = r"e^{x^2} \operatorname{erfc} x"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return xp.special("erfcx")(x)

    def grad_x(self, grad, x):
        r"\bar y \odot (2 x e^{x^2} \operatorname{erfc} x - 2 / \sqrt\pi)"
        return grad * (2 * x * erfcx(x) - 2 / math.sqrt(math.pi))


class Xlog1py(Elementwise):
    """x ln(1 + y), and 0 where x is 0, whatever y is."""

    __slots__ = ()
    promotion = "floating"
    formula = r"x \ln(1 + y)"
    kinds = "bif"
    samples = (sample((2, 3), within((2, 3), 0.2, 2)), sample((2, 3), 2.0), sample(2.0, within((3,), 0.2, 2)))

    def forward(self, xp, x, y):
        return xp.where((x == 0) & ~xp.isnan(y), y.dtype.type(0), x * xp.log1p(y))

    def grad_x(self, grad, x, y):
        r"\bar y \ln(1 + y)"
        y = y if isinstance(y, Tensor) else x.new_full((), y)
        return Xlog1py()(grad, y).masked_fill((x == 0) & (y <= -1), 0)

    def grad_y(self, grad, x, y):
        r"\bar y \odot x \oslash (1 + y)"
        return grad * x / (y + 1)


ndtr = accepts_out(unary(Ndtr))
log_ndtr = accepts_out(unary(LogNdtr))
ndtri = accepts_out(unary(Ndtri))
entr = accepts_out(unary(Entr))
erfcx = accepts_out(unary(Erfcx))


@accepts_out
def xlog1py(input: Any, other: Any) -> Tensor:
    """``input * log1p(other)``, and 0 where `input` is 0."""
    return Xlog1py()(as_operand(input), as_operand(other))
