"""Piecewise and smooth activations. (relu and tanh are in `pointwise`.)"""

from __future__ import annotations

from typing import Any

from ...core.inplace import inplace
from ...core.tensor import Tensor
from ...errors import ArgumentError, ShapeError
from ..common.arguments import accepts_out
from ..common.bases import Elementwise, conj, connected
from ..common.halves import HALVES, in_float32
from ..common.samples import exactly, sample
from ..create.factories import scalar_tensor
from .slopes import EluBackward, HardswishBackward, LeakyReluBackward, SiluBackward, Within

KINK = exactly([-2.0, -0.5, 0.5, 2.0])


class LeakyRelu(Elementwise):
    """Multiply negative elements by `slope`. At 0 the gradient is `slope`."""

    formula = r"\max(x, 0) + \alpha \min(x, 0)"
    samples = (sample((2, 3), slope=0.1), sample((0,), slope=0.1))
    slope: float

    def forward(self, xp, x):
        if 0 < self.slope <= 1:
            below = x * self.slope
            return xp.maximum(x, below, out=xp.asarray(below))
        return xp.where(x > 0, x, x * self.slope)

    def grad_x(self, grad, x):
        r"\bar y \text{ where } x > 0, \text{ else } \alpha \bar y"
        if 0 < self.slope <= 1:
            return LeakyReluBackward(self.slope)(grad, x)
        return connected(grad.where(x > 0, grad * self.slope), x)


class Elu(Elementwise):
    """A scaled function that approaches `-alpha` for negative numbers; its settings make it elu, selu or celu."""

    formula = r"s \max(x, 0) + s \alpha\,(e^{\gamma \min(x, 0)} - 1)"
    samples = (sample((2, 3), alpha=1.0, scale=1.0, rate=1.0), sample((2, 3), alpha=1.7, scale=1.1, rate=0.5))
    alpha: float
    scale: float
    rate: float

    def forward(self, xp, x):
        below = xp.expm1(xp.at_most(x, 0) * self.rate) * (self.alpha * self.scale)
        return xp.where(x > 0, x * self.scale, below)

    def grad_x(self, grad, x):
        r"s\,\bar y \text{ where } x > 0, \text{ else } s \alpha \gamma e^{\gamma x} \odot \bar y"
        return EluBackward(self.alpha, self.scale, self.rate)(grad, x)


class Silu(Elementwise):
    """x times its sigmoid; also called swish."""

    kinds = "fc"
    formula = r"x\,\sigma(x)"
    samples = (sample((2, 3)), sample((0,)))

    def forward(self, xp, x):
        below = xp.asarray(xp.exp(-x))
        below += 1
        return xp.divide(x, below, out=below)

    def grad_x(self, grad, x):
        r"\bar y \odot \sigma(x)\,(1 + x\,(1 - \sigma(x)))"
        if not x.is_complex():
            return SiluBackward()(grad, x)
        s = x.sigmoid()
        return grad * conj(s * (x * (1 - s) + 1))


class Mish(Elementwise):
    """x times the tanh of its softplus."""

    formula = r"x \tanh(\log(1 + e^x))"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return x * xp.tanh(softplus_of(xp, x))

    def grad_x(self, grad, x):
        r"\bar y \odot (t + x\,(1 - t^2)\,\sigma(x)),\; t = \tanh(\log(1 + e^x))"
        return _mish_gradient(grad, x)


@in_float32
def _mish_gradient(grad: Any, x: Any) -> Any:
    t = softplus(x).tanh()
    return grad * (t + x * (1 - t * t) * x.sigmoid())


class Softplus(Elementwise):
    """A smooth relu; above `threshold` it is x itself, to avoid overflow."""

    formula = r"\tfrac1\beta \log(1 + e^{\beta x})"
    samples = (sample((2, 3), beta=1.0, threshold=20.0), sample((2, 3), beta=2.0, threshold=1.0))
    beta: float
    threshold: float

    def forward(self, xp, x):
        steep = x * self.beta
        smooth = softplus_of(xp, steep) / self.beta
        return xp.where(steep > self.threshold, x, smooth)

    def grad_x(self, grad, x):
        r"\bar y \odot \sigma(\beta x)"
        steep = x * self.beta
        return grad.where(steep > self.threshold, grad * steep.sigmoid())


class LogSigmoid(Elementwise):
    """The logarithm of the sigmoid, without overflow."""

    formula = r"\log \sigma(x)"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return -softplus_of(xp, -x)

    def grad_x(self, grad, x):
        r"\bar y \odot \sigma(-x)"
        return grad * (-x).sigmoid()


class Hardtanh(Elementwise):
    """x clipped to [`floor`, `ceiling`]. At the bounds its gradient is 0."""

    formula = r"\min(\max(x, a), b)"
    kinds = "if"
    samples = (sample((2, 3), floor=-1.0, ceiling=1.0), sample((0,), floor=-1.0, ceiling=1.0))
    floor: float
    ceiling: float

    def forward(self, xp, x):
        return xp.clip(x, self.floor, self.ceiling).astype(x.dtype, copy=False)

    def grad_x(self, grad, x):
        r"\bar y \text{ where } a < x < b, \text{ else } 0"
        return Within(self.floor, self.ceiling, True)(grad, x)


class Hardswish(Elementwise):
    """x times a linear ramp from 0 at -3 to 1 at 3."""

    formula = r"x \min(\max(\tfrac{x + 3}{6}, 0), 1)"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        out = x + 3
        out = xp.clip(out, 0, 6, out=xp.asarray(out))
        out *= x
        out /= 6
        return out

    def grad_x(self, grad, x):
        r"\bar y \odot (\tfrac x3 + \tfrac12) \text{ between, } 0 \text{ below, } \bar y \text{ above}"
        return HardswishBackward()(grad, x)


class Prelu(Elementwise):
    """A leaky relu with a learnt slope."""

    formula = r"\max(x, 0) + w \min(x, 0)"
    grad_name = "PreluKernelBackward0"
    samples = (sample((2, 3), (3,)),)

    def forward(self, xp, x, weight):
        return xp.where(x > 0, x, x * weight)

    def grad_x(self, grad, x, weight):
        r"\bar y \text{ where } x > 0, \text{ else } w \odot \bar y"
        return connected(grad.where(x > 0, grad * weight), x)

    def grad_weight(self, grad, x):
        r"x \odot \bar y \text{ where } x \le 0, \text{ else } 0"
        return grad * x.clamp(max=0)


def softplus_of(xp: Any, x: Any) -> Any:
    """log(1 + exp(x)) as max(x, 0) + log1p(exp(-|x|)), which NumPy vectorises, unlike `logaddexp`."""
    if x.dtype.itemsize < 4 or not x.ndim:
        return xp.logaddexp(x, x.dtype.type(0))
    out = xp.abs(x)
    xp.negative(out, out=out)
    xp.exp(out, out=out)
    xp.log1p(out, out=out)
    out += xp.maximum(x, xp.zeros_like(x))
    return out


class Hardsigmoid(Elementwise):
    """A linear ramp from 0 at -3 to 1 at 3. At the ends, and for NaN, its gradient is 0."""

    formula = r"\min(\max(\tfrac{x + 3}{6}, 0), 1)"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        out = x + 3
        out = xp.clip(out, 0, 6, out=xp.asarray(out))
        out /= 6
        return out

    def grad_x(self, grad, x):
        r"\tfrac16 \bar y \text{ where } |x| < 3, \text{ else } 0"
        return Within(-3.0, 3.0, False)(grad / 6, x)


class Threshold(Elementwise):
    """Keep elements above `threshold`, and NaN; replace others by `value`."""

    kinds = "if"
    formula = r"x \text{ where } x > t, \text{ else } v"
    samples = (sample((2, 3), threshold=0.1, value=0.5),)
    threshold: float
    value: float

    def forward(self, xp, x):
        return xp.where(x <= self.threshold, x.dtype.type(self.value), x)

    def grad_x(self, grad, x):
        r"\bar y \text{ where } x > t, \text{ else } 0"
        return connected(grad.masked_fill(x <= self.threshold, 0), x)


class Hardshrink(Elementwise):
    """Keep elements outside of [-`bound`, `bound`], and NaN; replace others by 0."""

    formula = r"x \text{ where } |x| > \lambda, \text{ else } 0"
    samples = (sample((2, 3), bound=0.3),)
    bound: float

    def forward(self, xp, x):
        return xp.where((x >= -self.bound) & (x <= self.bound), x.dtype.type(0), x)

    def grad_x(self, grad, x):
        r"\bar y \text{ where } |x| > \lambda, \text{ else } 0"
        return connected(grad.masked_fill((x >= -self.bound) & (x <= self.bound), 0), x)


class Softshrink(Elementwise):
    """Move elements towards 0 by `bound`, and smaller ones to 0."""

    formula = r"x - \min(\max(x, -\lambda), \lambda)"
    samples = (sample((2, 3), bound=0.3),)
    bound: float

    def forward(self, xp, x):
        return x - xp.clip(x, -self.bound, self.bound)

    def grad_x(self, grad, x):
        r"\bar y \text{ where } |x| > \lambda, \text{ else } 0"
        return connected(grad.masked_fill((x >= -self.bound) & (x <= self.bound), 0), x)


def _apply(op: Any, input: Tensor, in_place: bool) -> Tensor:
    return inplace(op, input) if in_place else op(input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """`input`, with negative elements multiplied by `negative_slope`."""
    return _apply(LeakyRelu(negative_slope), input, inplace)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`input` where positive, ``alpha * (exp(x) - 1)`` elsewhere."""
    return _apply(Elu(alpha, 1.0, 1.0), input, inplace)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """elu with the constants that keep mean 0 and variance 1 from layer to layer."""
    return _apply(_named(Elu(1.6732632423543772, 1.0507009873554805, 1.0), "EluBackward0"), input, inplace)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """``max(0, x) + min(0, alpha * (exp(x / alpha) - 1))``."""
    return _apply(_named(Elu(alpha, 1.0, 1.0 / alpha), "CeluBackward0"), input, inplace)


def _named(op: Any, name: str) -> Any:
    op.grad_name = name
    return op


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * sigmoid(x)``."""
    return _apply(Silu(), input, inplace)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * tanh(softplus(x))``."""
    return _apply(Mish(), input, inplace)


@accepts_out
def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """``log(1 + exp(beta * x)) / beta``; x itself where ``beta * x > threshold``."""
    return Softplus(float(beta), float(threshold))(input)


@accepts_out
def logsigmoid(input: Tensor) -> Tensor:
    """The logarithm of the sigmoid."""
    return LogSigmoid()(input)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """`input` clipped to [`min_val`, `max_val`]."""
    if min_val > max_val:
        raise ArgumentError(f"min_val cannot be greater than max_val, but they are {min_val} and {max_val}")
    return _apply(Hardtanh(float(min_val), float(max_val)), input, inplace)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """`input` clipped to [0, 6]."""
    return hardtanh(input, 0.0, 6.0, inplace)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * relu6(x + 3) / 6``."""
    return _apply(Hardswish(), input, inplace)


@accepts_out
def hardshrink(input: Any, lambd: float = 0.5) -> Tensor:
    """`input` where it is outside [-lambd, lambd], 0 inside."""
    if input.dtype in HALVES:
        lambd = scalar_tensor(lambd, dtype=input.dtype).item()
    return Hardshrink(lambd)(input)


def prelu(input: Any, weight: Any) -> Tensor:
    """A leaky relu with the slope `weight`: one for all, or one for each channel (dimension 1)."""
    if weight._array.ndim > 1:
        raise ShapeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight._array.ndim}")
    count = weight.numel()
    if count != 1:
        channels = input._array.shape[1] if input._array.ndim > 1 else 1
        if count != channels:
            raise ShapeError(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{count} and channel size = {channels}."
            )
        weight = weight.reshape(1, count, *(1,) * (input._array.ndim - 2))
    elif weight._array.ndim:
        weight = weight.reshape(())
    return Prelu()(input, weight)


METHODS = {"hardshrink": hardshrink, "prelu": prelu}
