"""The parts of floating-point numbers: mantissa and exponent of 2, and each number's neighbours."""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...core.dispatch import binary
from ...core.further import zeros_like
from ...core.tensor import Tensor
from ...errors import ArgumentTypeError, DtypeError
from ..common import return_types
from ..common.arguments import accepts_out, of_tensors, tensor_first
from ..common.bases import Elementwise, in_places, rewritten, sample, short_roads
from ..create.factories import full

__all__ = ["frexp", "ldexp", "nextafter"]


class Frexp(Elementwise):
    """A mantissa between 1/2 and 1 in absolute value, and an exponent: ``x = mantissa * 2**exponent``."""

    __slots__ = ()
    formula = r"x = m\, 2^{e}"
    outputs_named = ("mantissa", "exponent")
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        mantissa, exponent = xp.frexp(x)
        return mantissa, exponent.astype("int32")

    def grad_x(self, grad, exponent):
        r"\bar m\, 2^{-e}"
        return grad / _two_to(exponent, grad)

    def jvp(self, tangents, inputs, outputs):
        """The mantissa has a tangent; the exponent, an integer, has none."""
        return super().jvp(tangents, inputs, outputs), None


class Nextafter(Elementwise):
    """The next number of the dtype after `a`, in the direction of `b`."""

    __slots__ = ()
    by_elements = True
    formula = r"\operatorname{next}(a \to b)"
    samples = (sample((2, 3), (2, 3)), sample((2, 1), (3,)))

    def forward(self, xp, a, b):
        return xp.nextafter(a, b)

    def grad_a(self, grad, a, b):
        r"\bar y \text{, or } 0 \text{ where } a = b"
        return grad.masked_fill(a == b, 0)

    def grad_b(self, grad, a, b):
        r"0 \text{, or } \bar y \text{ where } a = b"
        return zeros_like(grad)


def _two_to(exponent: Any, like: Any) -> Any:
    return like.new_full((), 2) ** exponent.to(like.dtype)


@accepts_out
def frexp(input: Tensor) -> Any:
    """Return (mantissa, exponent) with ``input = mantissa * 2**exponent`` and mantissas between 1/2 and 1.

    >>> import minigrad as mg
    >>> mg.frexp(mg.tensor([8.0])).exponent
    tensor([4], dtype=minigrad.int32)
    """
    if not input.dtype.is_floating_point:
        raise DtypeError(f"torch.frexp() only supports floating-point dtypes, got {input.dtype}")
    return return_types.frexp(Frexp()(input))


@tensor_first
@accepts_out
def ldexp(input: Any, other: Any) -> Tensor:
    """``input * 2**other``."""
    if not isinstance(other, Tensor):
        raise ArgumentTypeError(f"ldexp(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    kind = dtypes.result_type(input, other)
    two = 2.0 if not kind.is_differentiable else full((), 2.0, dtype=kind, device=other.device)
    return input * two**other


nextafter = accepts_out(of_tensors(binary(Nextafter)))

METHODS = {"frexp": frexp, "ldexp": ldexp} | short_roads(nextafter)
INPLACE = {"ldexp_": rewritten(ldexp)} | in_places(nextafter)
