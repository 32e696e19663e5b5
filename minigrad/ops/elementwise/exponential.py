"""Exponentials and logarithms of each element.

Each op saves the value from which its derivative is cheapest to compute: exp its output, log its input. Complex
functions are holomorphic unless stated otherwise; their gradient is multiplied by the conjugate of the derivative.
"""

from __future__ import annotations

from typing import ClassVar

from ...core.declared import Promotion
from ...core.dispatch import unary
from ..common.arguments import function
from ..common.bases import Elementwise, conj, in_places, sample, short_roads

__all__ = ["exp", "exp2", "expm1", "log", "log10", "log1p", "log2"]

LN2, LN10 = 0.6931471805599453, 2.302585092994046


class Smooth(Elementwise, abstract=True):
    """A smooth function of one number. Integers become floats."""

    __slots__ = ()
    promotion: ClassVar[Promotion] = "floating"
    kinds: ClassVar[str] = "bifc"


class Exp(Smooth):
    """e to the power of each element."""

    __slots__ = ()
    ufunc = "exp"
    formula = r"e^x"
    samples = (sample((2, 3)), sample((0,)))

    def forward(self, xp, x):
        return xp.exp(x)

    def grad_x(self, grad, out):
        r"\bar y \odot y"
        return grad * conj(out)


class Exp2(Smooth):
    """2 to the power of each element."""

    __slots__ = ()
    formula = r"2^x"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return xp.exp2(x)

    def grad_x(self, grad, out):
        r"\bar y \odot y \ln 2"
        return grad * conj(out) * LN2


class Expm1(Smooth):
    """e to the power of each element, minus 1, accurate near 0."""

    __slots__ = ()
    ufunc = "expm1"
    formula = r"e^x - 1"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return xp.expm1(x)

    def grad_x(self, grad, out):
        r"\bar y \odot (y + 1)"
        return grad * conj(out + 1)


class Log(Smooth):
    """The natural logarithm of each element."""

    __slots__ = ()
    ufunc = "log"
    formula = r"\ln x"
    samples = (sample((2, 3), low=0.1, high=3), sample((0,)))

    def forward(self, xp, x):
        return xp.log(x)

    def grad_x(self, grad, x):
        r"\bar y \oslash x"
        return grad / conj(x)


class Log1p(Smooth):
    """The natural logarithm of 1 plus each element, accurate near 0."""

    __slots__ = ()
    grad_name = "Log1PBackward0"
    ufunc = "log1p"
    formula = r"\ln(1 + x)"
    samples = (sample((2, 3), low=-0.5, high=3),)

    def forward(self, xp, x):
        if x.dtype.kind == "c":  # NumPy adds 1 first, which loses small numbers
            a, b = x.real, x.imag
            near = 0.5 * xp.log1p(xp.where(xp.abs(x) < 1, a * (2 + a) + b * b, 0))
            real = xp.where(xp.abs(x) < 1, near, xp.log(xp.abs(1 + x)))
            return (real + 1j * xp.arctan2(b, 1 + a)).astype(x.dtype)
        return xp.log1p(x)

    def write(self, xp, target, *others):
        return target.dtype.kind != "c" and super().write(xp, target, *others)

    def grad_x(self, grad, x):
        r"\bar y \oslash (1 + x)"
        return grad / conj(x + 1)


class Log2(Smooth):
    """The logarithm to base 2 of each element."""

    __slots__ = ()
    formula = r"\log_2 x"
    samples = (sample((2, 3), low=0.1, high=3),)

    def forward(self, xp, x):
        return xp.log2(x)

    def grad_x(self, grad, x):
        r"\bar y \oslash (x \ln 2)"
        return grad / conj(x * LN2)


class Log10(Smooth):
    """The logarithm to base 10 of each element."""

    __slots__ = ()
    formula = r"\log_{10} x"
    samples = (sample((2, 3), low=0.1, high=3),)

    def forward(self, xp, x):
        return xp.log10(x)

    def grad_x(self, grad, x):
        r"\bar y \oslash (x \ln 10)"
        return grad / conj(x * LN10)


exp = function(unary(Exp))
exp2 = function(unary(Exp2))
expm1 = function(unary(Expm1))
log = function(unary(Log))
log10 = function(unary(Log10))
log1p = function(unary(Log1p))
log2 = function(unary(Log2))

_ALL = (exp, exp2, expm1, log, log10, log1p, log2)
METHODS = short_roads(*_ALL)
INPLACE = in_places(*_ALL)
