"""Roots, squares, absolute values, and bounded activations, of each element."""

from __future__ import annotations

from typing import Any

from ...core.dispatch import binary, unary
from ...core.further import zeros_like
from ...core.inplace import inplace
from ...core.op import Op
from ...core.tensor import Tensor
from ...errors import DtypeError
from ..common.arguments import function
from ..common.bases import Elementwise, conj, in_places, sample, short_roads
from .exponential import Smooth

__all__ = ["abs", "absolute", "reciprocal", "relu", "rsqrt", "sigmoid", "sqrt", "square", "tanh"]


class Sqrt(Smooth):
    """The square root of each element. At 0 its derivative is infinite."""

    __slots__ = ()
    ufunc = "sqrt"
    formula = r"\sqrt{x}"
    samples = (sample((2, 3), low=0.1, high=3), sample((0,)))

    def forward(self, xp, x):
        return xp.sqrt(x)

    def grad_x(self, grad, out):
        r"\bar y \oslash (2 y)"
        return grad / conj(out * 2)


class Rsqrt(Smooth):
    """One over the square root of each element."""

    __slots__ = ()
    formula = r"1 / \sqrt{x}"
    samples = (sample((2, 3), low=0.2, high=3),)

    def forward(self, xp, x):
        return xp.reciprocal(xp.sqrt(x))

    def grad_x(self, grad, out):
        r"-\tfrac12\, \bar y \odot y^3"
        return grad * conj(out * out * out * -0.5)


class Reciprocal(Smooth):
    """One over each element."""

    __slots__ = ()
    ufunc = "reciprocal"
    formula = r"1 / x"
    samples = (sample((2, 3), low=0.2, high=3), sample((3,), low=-3, high=-0.2))

    def forward(self, xp, x):
        return xp.reciprocal(x)

    def grad_x(self, grad, out):
        r"-\bar y \odot y^2"
        return -grad * conj(out * out)


class Square(Elementwise):
    """Each element times itself."""

    __slots__ = ()
    formula = r"x^2"
    grad_name = "PowBackward0"
    kinds = "ifc"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return x.astype("int64") if x.dtype.kind == "b" else x * x

    def grad_x(self, grad, x):
        r"2\, \bar y \odot x"
        return grad * conj(x * 2)


class Abs(Elementwise):
    """The absolute value of each element. At 0 its gradient is 0."""

    __slots__ = ()
    formula = r"|x|"
    kinds = "ifc"
    samples = (sample((2, 3)), sample((0,)))

    def forward(self, xp, x):
        return xp.abs(x)

    def grad_x(self, grad, x):
        r"\bar y \odot \operatorname{sgn} x"
        return grad * x.sgn()

    jvp = Op.jvp  # |z| is not holomorphic


class Sigmoid(Smooth):
    """Map each element to (0, 1). The op saves its output y, because its derivative is y (1 - y)."""

    __slots__ = ()
    formula = r"\frac{1}{1 + e^{-x}}"
    samples = (sample((2, 3)), sample((0,)))

    def forward(self, xp, x):
        return xp.reciprocal(1 + xp.exp(-x))

    def grad_x(self, grad, out):
        r"\bar y \odot y \odot (1 - y)"
        return grad * conj((1 - out) * out) if out.is_complex() else sigmoid_backward(grad, out)


class Tanh(Smooth):
    """Map each element to (-1, 1). The op saves its output y, because its derivative is 1 - y²."""

    __slots__ = ()
    ufunc = "tanh"
    formula = r"\tanh x"
    samples = (sample((2, 3)), sample((0,)))

    def forward(self, xp, x):
        return xp.tanh(x)

    def grad_x(self, grad, out):
        r"\bar y \odot (1 - y^2)"
        return grad * conj(1 - out * out) if out.is_complex() else tanh_backward(grad, out)


class TanhBackward(Elementwise):
    """The gradient of tanh, given that of its output, `g`, and the output, computed in a single array."""

    __slots__ = ()
    formula = r"g \odot (1 - y^2)"
    grad_name = "TanhBackwardBackward0"
    samples = (sample((2, 3), (2, 3)), sample((), ()), sample((2, 1, 3), (3,)))

    def forward(self, xp, g, y):
        slope = xp.asarray(y * y)
        xp.subtract(1, slope, out=slope)
        return xp.multiply(slope, g, out=slope) if g.shape == slope.shape else slope * g

    def grad_g(self, grad, y):
        r"\bar x \odot (1 - y^2)"
        return tanh_backward(grad, y)

    def grad_y(self, grad, g, y):
        r"-2\, \bar x \odot g \odot y"
        return grad * g * y * -2


class SigmoidBackward(Elementwise):
    """The gradient of sigmoid, given that of its output, `g`, and the output, computed in a single array."""

    __slots__ = ()
    formula = r"g \odot y \odot (1 - y)"
    grad_name = "SigmoidBackwardBackward0"
    samples = (sample((2, 3), (2, 3)), sample((), ()), sample((2, 1, 3), (3,)))

    def forward(self, xp, g, y):
        slope = xp.asarray(1 - y)
        xp.multiply(slope, y, out=slope)
        return xp.multiply(slope, g, out=slope) if g.shape == slope.shape else slope * g

    def grad_g(self, grad, y):
        r"\bar x \odot y \odot (1 - y)"
        return sigmoid_backward(grad, y)

    def grad_y(self, grad, g, y):
        r"\bar x \odot g \odot (1 - 2 y)"
        return grad * g * (1 - y * 2)


class Relu(Elementwise):
    """Replace negative elements by zero. At 0 the gradient is 0."""

    __slots__ = ()
    formula = r"\max(x, 0)"
    kinds = "if"
    samples = (sample((2, 3)), sample((0,)))

    def forward(self, xp, x):
        return xp.at_least(x, 0)

    def grad_x(self, grad, out):
        r"\bar y \text{ where } y > 0, \text{ else } 0"
        return let_through(grad, out)


class LetThrough(Elementwise):
    """Pass a gradient where the gate, an output of relu, is not zero (or is NaN); else zero."""

    __slots__ = ()
    formula = r"x \text{ where } g \ne 0, \text{ else } 0"
    grad_name = "ThresholdBackwardBackward0"
    samples = (sample((2, 3), (2, 3)),)

    def forward(self, xp, x, gate):
        # Works on bits, because 0 times a NaN would be a NaN, and because `where` takes eight times as long.
        return (x.view(f"i{x.dtype.itemsize}") * (gate != 0)).view(x.dtype)

    def grad_x(self, grad, gate):
        r"\bar y \text{ where } g \ne 0, \text{ else } 0"
        return let_through(grad, gate)

    def grad_gate(self, grad):
        r"0"
        return zeros_like(grad)


let_through: Any = binary(LetThrough)
tanh_backward: Any = binary(TanhBackward)
sigmoid_backward: Any = binary(SigmoidBackward)

abs = function(unary(Abs))
reciprocal = function(unary(Reciprocal))
relu = function(unary(Relu))
rsqrt = function(unary(Rsqrt))
sigmoid = function(unary(Sigmoid))
sqrt = function(unary(Sqrt))
square = function(unary(Square))
tanh = function(unary(Tanh))
absolute = abs


def abs_(self: Tensor) -> Tensor:
    """`abs` in place. DtypeError for a complex tensor, since the result is real."""
    if self.is_complex():
        raise DtypeError("In-place abs is not supported for complex tensors: the result is real. Use abs() instead.")
    return inplace(Abs(), self)


_ALL = (abs, reciprocal, relu, rsqrt, sigmoid, sqrt, square, tanh)
METHODS = short_roads(*_ALL) | {"absolute": abs.__wrapped__}
INPLACE = in_places(*_ALL) | {"abs_": abs_, "absolute_": abs_}
OPERATORS = {"__abs__": abs.__wrapped__}
