"""Trigonometric and hyperbolic functions, and their inverses."""

from __future__ import annotations

import math
from typing import Any

from ...core.dispatch import binary, unary
from ..common.arguments import accepts_out, of_tensors
from ..common.bases import Elementwise, conj, in_place, in_places, sample, short_roads
from .exponential import Smooth

__all__ = [
    "acos", "acosh", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "asin", "asinh", "atan",
    "atan2", "atanh", "cos", "cosh", "deg2rad", "hypot", "rad2deg", "sin", "sinc", "sinh", "tan",
]  # fmt: skip


class Sin(Smooth):
    """The sine of each angle, in radians."""

    __slots__ = ()
    formula = r"\sin x"
    samples = (sample((2, 3)), sample((0,)))

    def forward(self, xp, x):
        return xp.sin(x)

    def grad_x(self, grad, x):
        r"\bar y \odot \cos x"
        return grad * conj(x.cos())


class Cos(Smooth):
    """The cosine of each angle, in radians."""

    __slots__ = ()
    formula = r"\cos x"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return xp.cos(x)

    def grad_x(self, grad, x):
        r"-\bar y \odot \sin x"
        return -grad * conj(x.sin())


class Tan(Smooth):
    """The tangent of each angle, in radians."""

    __slots__ = ()
    formula = r"\tan x"
    samples = (sample((2, 3), low=-1.2, high=1.2),)

    def forward(self, xp, x):
        return xp.tan(x)

    def grad_x(self, grad, out):
        r"\bar y \odot (1 + y^2)"
        return grad * conj(out * out + 1)


class Asin(Smooth):
    """The inverse of the sine, in radians."""

    __slots__ = ()
    formula = r"\arcsin x"
    samples = (sample((2, 3), low=-0.9, high=0.9),)

    def forward(self, xp, x):
        return xp.arcsin(x)

    def grad_x(self, grad, x):
        r"\bar y \oslash \sqrt{1 - x^2}"
        return grad * conj((1 - x * x).rsqrt())


class Acos(Smooth):
    """The inverse of the cosine, in radians."""

    __slots__ = ()
    formula = r"\arccos x"
    samples = (sample((2, 3), low=-0.9, high=0.9),)

    def forward(self, xp, x):
        return xp.arccos(x)

    def grad_x(self, grad, x):
        r"-\bar y \oslash \sqrt{1 - x^2}"
        return -grad * conj((1 - x * x).rsqrt())


class Atan(Smooth):
    """The inverse of the tangent, in radians."""

    __slots__ = ()
    formula = r"\arctan x"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return xp.arctan(x)

    def grad_x(self, grad, x):
        r"\bar y \oslash (1 + x^2)"
        return grad / conj(x * x + 1)


class Sinh(Smooth):
    """The hyperbolic sine of each element."""

    __slots__ = ()
    formula = r"\sinh x"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return xp.sinh(x)

    def grad_x(self, grad, x):
        r"\bar y \odot \cosh x"
        return grad * conj(x.cosh())


class Cosh(Smooth):
    """The hyperbolic cosine of each element."""

    __slots__ = ()
    formula = r"\cosh x"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return xp.cosh(x)

    def grad_x(self, grad, x):
        r"\bar y \odot \sinh x"
        return grad * conj(x.sinh())


class Asinh(Smooth):
    """The inverse of the hyperbolic sine."""

    __slots__ = ()
    formula = r"\operatorname{arsinh} x"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return xp.arcsinh(x)

    def grad_x(self, grad, x):
        r"\bar y \oslash \sqrt{x^2 + 1}"
        return grad * conj((x * x + 1).rsqrt())


class Acosh(Smooth):
    """The inverse of the hyperbolic cosine."""

    __slots__ = ()
    formula = r"\operatorname{arcosh} x"
    samples = (sample((2, 3), low=1.2, high=3),)

    def forward(self, xp, x):
        return xp.arccosh(x)

    def grad_x(self, grad, x):
        r"\bar y \oslash (\sqrt{x - 1} \sqrt{x + 1})"
        if not x.is_complex():
            return grad * (x * x - 1).rsqrt()
        return grad * conj((x - 1).rsqrt() * (x + 1).rsqrt())


class Atanh(Smooth):
    """The inverse of the hyperbolic tangent."""

    __slots__ = ()
    formula = r"\operatorname{artanh} x"
    samples = (sample((2, 3), low=-0.9, high=0.9),)

    def forward(self, xp, x):
        return xp.arctanh(x)

    def grad_x(self, grad, x):
        r"\bar y \oslash (1 - x^2)"
        return grad / conj(1 - x * x)


class Sinc(Smooth):
    r"""sin(πx) / (πx), and 1 at 0."""

    __slots__ = ()
    formula = r"\frac{\sin \pi x}{\pi x}"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return xp.sinc(x).astype(x.dtype, copy=False)

    def grad_x(self, grad, x):
        r"\bar y \odot (\cos \pi x - \operatorname{sinc} x) \oslash x"
        angle, square = x * math.pi, x * x * math.pi  # the square of a tiny number is 0
        slope = (angle * angle.cos() - angle.sin()) / square
        return grad * conj(slope.masked_fill(square == 0, 0))


class Atan2(Elementwise):
    """The angle of the point (b, a) from the x axis, from -π to π."""

    __slots__ = ()
    promotion = "floating"
    formula = r"\operatorname{atan2}(a, b)"
    samples = (sample((2, 3), (2, 3)), sample((2, 1), (3,)))

    def forward(self, xp, a, b):
        return xp.arctan2(a, b)

    def grad_a(self, grad, a, b):
        r"\bar y \odot b \oslash (a^2 + b^2)"
        square = a * a + b * b
        return (grad * b / square).masked_fill(square == 0, 0)

    def grad_b(self, grad, a, b):
        r"-\bar y \odot a \oslash (a^2 + b^2)"
        square = a * a + b * b
        return (-grad * a / square).masked_fill(square == 0, 0)


class Hypot(Elementwise):
    """The length of the hypotenuse of a right triangle with these legs."""

    __slots__ = ()
    formula = r"\sqrt{a^2 + b^2}"
    samples = (sample((2, 3), (2, 3)), sample((2, 1), (3,)))

    def forward(self, xp, a, b):
        return xp.hypot(a, b)

    def grad_a(self, grad, a, out):
        r"\bar y \odot a \oslash y"
        return grad * (a / out)

    def grad_b(self, grad, b, out):
        r"\bar y \odot b \oslash y"
        return grad * (b / out)


class Deg2Rad(Smooth):
    """Convert degrees to radians."""

    __slots__ = ()
    kinds = "bif"
    formula = r"\tfrac{\pi}{180} x"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return x * x.dtype.type(math.pi / 180)

    def grad_x(self, grad):
        r"\tfrac{\pi}{180} \bar y"
        return grad * (math.pi / 180)


class Rad2Deg(Smooth):
    """Convert radians to degrees."""

    __slots__ = ()
    kinds = "bif"
    formula = r"\tfrac{180}{\pi} x"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return x * x.dtype.type(180 / math.pi)

    def grad_x(self, grad):
        r"\tfrac{180}{\pi} \bar y"
        return grad * (180 / math.pi)


sin, cos, tan = accepts_out(unary(Sin)), accepts_out(unary(Cos)), accepts_out(unary(Tan))
asin, acos, atan = accepts_out(unary(Asin)), accepts_out(unary(Acos)), accepts_out(unary(Atan))
sinh, cosh = accepts_out(unary(Sinh)), accepts_out(unary(Cosh))
asinh, acosh, atanh = accepts_out(unary(Asinh)), accepts_out(unary(Acosh)), accepts_out(unary(Atanh))
sinc, deg2rad, rad2deg = accepts_out(unary(Sinc)), accepts_out(unary(Deg2Rad)), accepts_out(unary(Rad2Deg))
atan2, hypot = accepts_out(of_tensors(binary(Atan2))), accepts_out(of_tensors(binary(Hypot)))
arcsin, arccos, arctan, arctan2 = asin, acos, atan, atan2
arcsinh, arccosh, arctanh = asinh, acosh, atanh

_ONE = (sin, cos, tan, asin, acos, atan, sinh, cosh, asinh, acosh, atanh, sinc, deg2rad, rad2deg)
_OTHER_NAMES: dict[str, Any] = {
    "arcsin": asin, "arccos": acos, "arctan": atan, "arcsinh": asinh, "arccosh": acosh, "arctanh": atanh,
    "arctan2": atan2,
}  # fmt: skip
METHODS = short_roads(*_ONE, atan2, hypot) | {name: each.__wrapped__ for name, each in _OTHER_NAMES.items()}
INPLACE = in_places(*_ONE, atan2, hypot) | {f"{name}_": in_place(each.op) for name, each in _OTHER_NAMES.items()}
