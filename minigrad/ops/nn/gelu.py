"""The Gaussian error linear unit: x times the probability that a standard normal number is below x.

In float32 that probability is approximated (error below 2e-7, about two units in the last place) by the logistic
function of an odd polynomial, and computed in blocks that fit the cache, since transformers spend much time here.
"""

from __future__ import annotations

import math
from typing import Any

from ...core.tensor import Tensor
from ...errors import GradError
from ..common.arguments import accepts_out
from ..common.bases import Elementwise
from ..common.halves import in_float32
from ..common.samples import sample

ODD = (
    1.5957698830267326,
    0.07266616857391006,
    -6.51891782608159e-05,
    -0.00011061278245597289,
    7.929577048016351e-06,
    -2.645352845065161e-07,
    3.5126387539838416e-09,
)
"""Coefficients of x, x³, ...: fitted to the logarithm of the odds, log(chance / (1 - chance)), for |x| < 5.6, so that
the largest error of the chance is smallest (3e-8). It rises everywhere: far out the chance is 0 or 1, as it should."""

BLOCK = 1 << 16
"""The number of elements in a block: a few blocks fit the processor's cache, and few calls are needed."""

STEEP, CUBIC = math.sqrt(2 / math.pi), 0.044715


class Gelu(Elementwise):
    """x times the probability that a standard normal number is below x."""

    formula = r"x\,\Phi(x)"
    samples = (sample((2, 3)), sample((0,)))

    def forward(self, xp, x):
        def fill(out: Any, x: Any, spare: Any) -> None:
            fill_inverse_chance(xp, out, x, spare)
            xp.divide(x, out, out=out)

        quick = xp.compiled("gelu", x)
        if quick is not None:
            return quick(x)
        return in_blocks(xp, fill, x) if of_float32(xp, x) else x * chance(xp, x)

    def grad_x(self, grad, x):
        r"\bar y \odot (\Phi(x) + x\,\varphi(x))"
        return GeluBackward()(grad, x)


class GeluBackward(Elementwise):
    """The gradient of `Gelu`, given that of its output, and its input."""

    formula = r"g \odot (\Phi(x) + x\,\varphi(x))"
    samples = (sample((2, 3), (2, 3)),)

    def forward(self, xp, g, x):
        if not of_float32(xp, x) or g.dtype != x.dtype or g.shape != x.shape:
            density = xp.exp(x * x * -0.5) / math.sqrt(2 * math.pi)
            return g * (chance(xp, x) + x * density)
        g = xp.ascontiguousarray(g)  # the gradient of a sum is one expanded number
        quick = xp.compiled("gelu_backward", x, g)
        if quick is not None:
            return quick(g, x)
        return in_blocks(xp, lambda *block: fill_slope(xp, *block), x, g)

    def grad_g(self, grad, x):
        r"\bar x \odot (\Phi(x) + x\,\varphi(x))"
        return GeluBackward()(grad, x)

    def grad_x(self, grad, g, x):
        r"\bar x \odot g \odot \varphi(x)\,(2 - x^2)"
        square = x * x
        return grad * g * (square * -0.5).exp() * (2 - square) * (1 / math.sqrt(2 * math.pi))


class GeluTanh(Elementwise):
    """x times the probability that a standard normal number is below x, approximated by a tanh (to 0.001)."""

    formula = r"\tfrac12 x \left(1 + \tanh\big(\sqrt{2/\pi}\,(x + 0.044715\,x^3)\big)\right)"
    grad_name = "GeluBackward0"
    samples = (sample((2, 3)), sample((0,)))

    def forward(self, xp, x):
        inner = x * x
        inner *= CUBIC * STEEP
        inner += STEEP
        inner *= x
        out = xp.tanh(inner, out=inner)
        out += 1
        out *= x
        out *= 0.5
        return out

    def grad_x(self, grad, x):
        r"\bar y \odot \tfrac12 \big(1 + t + x\,(1 - t^2)\,u'\big),\; t = \tanh u"
        return _tanh_gradient(grad, x)


@in_float32
def _tanh_gradient(grad: Any, x: Any) -> Any:
    square = x * x
    t = (x * (square * (CUBIC * STEEP) + STEEP)).tanh()
    slope = square * (3 * CUBIC * STEEP) + STEEP
    return grad * ((t + 1 + x * (1 - t * t) * slope) * 0.5)


# On arrays ------------------------------------------------------------------------------------------------------------


def chance(xp: Any, x: Any) -> Any:
    """Return the probability that a standard normal number is below x."""
    return (xp.special("erf")(x * x.dtype.type(math.sqrt(0.5))) + 1) * x.dtype.type(0.5)


def of_float32(xp: Any, x: Any) -> bool:
    """Return whether the approximation applies: contiguous float32 arrays on the CPU."""
    return bool(x.dtype == "float32" and xp.device.type == "cpu" and x.flags.c_contiguous)


def in_blocks(xp: Any, fill: Any, *arrays: Any) -> Any:
    """Return a new array, filled by ``fill(out, *arrays, spare)`` block by block."""
    result = xp.empty_like(arrays[0])
    spare = xp.empty(min(BLOCK, result.size), result.dtype)
    flat = [each.reshape(-1) for each in (result, *arrays)]
    with xp.errstate(over="ignore"):
        for start in range(0, result.size, BLOCK):
            block = [each[start : start + BLOCK] for each in flat]
            fill(*block, spare[: len(block[0])])
    return result


def fill_inverse_chance(xp: Any, out: Any, x: Any, spare: Any) -> None:
    """Write 1 / `chance`, which is ``1 + exp(-odd(x))``, to `out`, and x² to `spare`."""
    square = xp.multiply(x, x, out=spare)
    xp.multiply(square, -ODD[-1], out=out)
    for coefficient in ODD[-2:0:-1]:
        out -= coefficient
        out *= square
    out -= ODD[0]
    out *= x
    xp.exp(out, out=out)
    out += 1


def fill_slope(xp: Any, out: Any, x: Any, g: Any, spare: Any) -> None:
    """Write ``g * (chance + x * density)`` to `out`."""
    fill_inverse_chance(xp, out, x, spare)
    xp.reciprocal(out, out=out)
    density = spare
    density *= -0.5
    xp.exp(density, out=density)
    density *= 1 / math.sqrt(2 * math.pi)
    density *= x
    out += density
    out *= g


@accepts_out
def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """``x * Phi(x)``, with Phi the normal distribution function; with ``approximate="tanh"`` an approximation."""
    if approximate not in ("none", "tanh"):
        raise GradError(f"approximate argument must be either none or tanh, not {approximate!r}.")
    return GeluTanh()(input) if approximate == "tanh" else Gelu()(input)
