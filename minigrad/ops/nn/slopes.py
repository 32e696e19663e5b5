"""The gradients of piecewise activations, as one op each: few passes, and one array.

Each is linear in `g`, the gradient of the activation's output, and multiplies it by the slope at `x`.
"""

from __future__ import annotations

from typing import Any

from ...core.further import zeros_like
from ..common.bases import Elementwise
from ..common.samples import exactly, sample

KINK = exactly([[-2.0, -0.5, 0.25], [0.5, 2.0, 4.0]])


class Within(Elementwise):
    """Pass a gradient where `x` is between two bounds, and where it is NaN if `nan` says so; else zero."""

    formula = r"g \text{ where } a < x < b, \text{ else } 0"
    grad_name = "HardtanhBackwardBackward0"
    samples = (
        sample((2, 3), KINK, floor=-1.0, ceiling=1.0, nan=True),
        sample((2, 3), KINK, floor=-3.0, ceiling=3.0, nan=False),
    )
    floor: float
    ceiling: float
    nan: bool

    def forward(self, xp, g, x):
        if self.nan:
            inside = x <= self.floor
            inside |= x >= self.ceiling
            inside = xp.logical_not(inside)
        else:
            inside = x > self.floor
            inside &= x < self.ceiling
        # On bits, as in `LetThrough`: 0 times infinity would be NaN.
        return (g.view(f"i{g.dtype.itemsize}") * inside).view(g.dtype)

    def grad_g(self, grad, x):
        r"\bar y \text{ where } a < x < b, \text{ else } 0"
        return self.again()(grad, x)

    def grad_x(self, grad):
        r"0"
        return zeros_like(grad)


class LeakyReluBackward(Elementwise):
    """The gradient of `LeakyRelu`, for slopes in (0, 1]."""

    formula = r"g \text{ where } x > 0, \text{ else } \alpha g"
    grad_name = "LeakyReluBackwardBackward0"
    samples = (sample((2, 3), KINK, slope=0.1),)
    slope: float

    def forward(self, xp, g, x):
        factor = xp.asarray(x > 0, dtype=g.dtype)
        xp.clip(factor, self.slope, 1, out=factor)
        return scaled(factor, g)

    def grad_g(self, grad, x):
        r"\bar y \text{ where } x > 0, \text{ else } \alpha \bar y"
        return self.again()(grad, x)

    def grad_x(self, grad):
        r"0"
        return zeros_like(grad)


class EluBackward(Elementwise):
    """The gradient of `Elu`."""

    formula = r"s\,g \text{ where } x > 0, \text{ else } s \alpha \gamma e^{\gamma x} g"
    grad_name = "EluBackwardBackward0"
    samples = (
        sample((2, 3), KINK, alpha=1.0, scale=1.0, rate=1.0),
        sample((2, 3), KINK, alpha=1.7, scale=1.1, rate=0.5),
    )
    alpha: float
    scale: float
    rate: float

    def forward(self, xp, g, x):
        slope = xp.asarray(xp.fmin(x, xp.zeros_like(x)))  # 0 for NaN
        slope *= self.rate
        xp.exp(slope, out=slope)
        at_zero = self.alpha * self.rate
        if at_zero != 1:  # the slope has a jump
            slope *= at_zero
            slope = xp.where(x <= 0, slope, 1.0)
        if self.scale != 1:
            slope *= self.scale
        return scaled(slope, g)

    def grad_g(self, grad, x):
        r"s\,\bar y \text{ where } x > 0, \text{ else } s \alpha \gamma e^{\gamma x} \odot \bar y"
        return self.again()(grad, x)

    def grad_x(self, grad, g, x):
        r"s \alpha \gamma^2 e^{\gamma x} \odot g \odot \bar y \text{ where } x < 0, \text{ else } 0"
        bend = (x.clamp(max=0) * self.rate).exp() * (self.alpha * self.scale * self.rate**2)
        return (grad * g * bend).where(x < 0, 0)


class SiluBackward(Elementwise):
    """The gradient of `Silu`."""

    formula = r"g \odot \sigma(x)\,(1 + x\,(1 - \sigma(x)))"
    grad_name = "SiluBackwardBackward0"
    samples = (sample((2, 3), (2, 3)),)

    def forward(self, xp, g, x):
        s = xp.asarray(xp.exp(-x))
        s += 1
        xp.reciprocal(s, out=s)
        slope = 1 - s
        slope *= x
        slope += 1
        slope *= s
        return scaled(slope, g)

    def grad_g(self, grad, x):
        r"\bar y \odot \sigma(x)\,(1 + x\,(1 - \sigma(x)))"
        return SiluBackward()(grad, x)

    def grad_x(self, grad, g, x):
        r"\bar y \odot g \odot \sigma\,(1 - \sigma)\,(2 + x\,(1 - 2 \sigma)),\; \sigma = \sigma(x)"
        s = x.sigmoid()
        return grad * g * (s * (1 - s) * (2 + x * (1 - s * 2)))


class HardswishBackward(Elementwise):
    """The gradient of `Hardswish`; for NaN it is `g`."""

    formula = r"g \odot (\tfrac x3 + \tfrac12) \text{ between } \pm 3, \; 0 \text{ below, } g \text{ above}"
    grad_name = "HardswishBackwardBackward0"
    samples = (sample((2, 3), KINK),)

    def forward(self, xp, g, x):
        out = x / 3
        out += 0.5
        out = scaled(out, g)
        out = xp.where(x < 3, out, g)
        return xp.where(x <= -3, 0.0, out)

    def grad_g(self, grad, x):
        r"\bar y \odot (\tfrac x3 + \tfrac12) \text{ between } \pm 3, \; 0 \text{ below, } \bar y \text{ above}"
        return HardswishBackward()(grad, x)

    def grad_x(self, grad, g, x):
        r"\tfrac13 \bar y \odot g \text{ where } |x| < 3, \text{ else } 0"
        return (grad * g / 3).where(x.abs() < 3, 0)


def scaled(slope: Any, g: Any) -> Any:
    """Return ``slope * g``, written over the slope, unless `g` is a batch."""
    if slope.shape != g.shape:
        return slope * g
    slope *= g
    return slope
