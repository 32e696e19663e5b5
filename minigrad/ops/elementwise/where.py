"""Selecting elements: by a condition, by a range, by a mask.

The gradient goes only to the selected input. A NaN in the other branch does not reach the result, but it can reach a
gradient: in ``where(x > 0, sqrt(x), x)`` at -1 the root gets the gradient 0, and 0 times its derivative, which is NaN
there, is NaN. Make the argument of the root valid instead: ``sqrt(where(x > 0, x, 1))``.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ... import dtypes
from ...core.further import zeros_like
from ...core.inplace import inplace
from ...core.tensor import Tensor, as_operand
from ...errors import ArgumentTypeError, DtypeError, ShapeError
from ..common.arguments import accepts_out, tensor_first
from ..common.bases import Elementwise, sample, truth, within
from ..common.numbers import held
from ..common.writes import read_before

__all__ = [
    "clamp", "clamp_max", "clamp_min", "clip", "fill", "masked_fill", "where",
]  # fmt: skip


class Where(Elementwise):
    """The element of `x` where the condition is true, that of `y` elsewhere."""

    __slots__ = ()
    formula = r"c\, ?\, x : y"
    kinds = "bifc"
    wraps = False
    samples = (
        sample(truth((2, 3)), (2, 3), (2, 3)), sample(truth((2, 1)), (3,), (2, 3)), sample(truth((3,)), (2, 3), 0.5),
        sample(truth((0, 3)), (3,), (3,)),
    )  # fmt: skip

    def promoted(self, backend, inputs):
        condition, *values = inputs
        return [condition._array, *super().promoted(backend, tuple(values))]

    def forward(self, xp, condition, x, y):
        return xp.where(condition, x, y)

    def grad_x(self, grad, condition):
        r"c\, ?\, \bar y : 0"
        return Where()(condition, grad, 0)

    def grad_y(self, grad, condition):
        r"c\, ?\, 0 : \bar y"
        return Where()(condition, 0, grad)


class MaskedFill(Elementwise):
    """The elements of `x`, replaced by `value` where the mask is true."""

    __slots__ = ()
    memory_order = "rows"
    formula = r"m\, ?\, v : x"
    kinds = "bifc"
    samples = (sample((2, 3), truth((2, 3)), 0.5), sample((2, 3), truth((3,)), ()), sample((0, 3), truth((3,)), 1.0))

    def promoted(self, backend, inputs):
        x, mask, value = inputs
        value = value._array if isinstance(value, Tensor) else backend.asarray(value)
        return [x._array, mask._array, value.astype(x._array.dtype)]

    def forward(self, xp, x, mask, value):
        return xp.where(mask, value, x)

    def grad_x(self, grad, mask):
        r"m\, ?\, 0 : \bar y"
        return MaskedFill()(grad, mask, 0)

    def grad_value(self, grad, mask):
        r"m\, ?\, \bar y : 0"
        return Where()(mask, grad, 0)

    def name(self) -> str:
        return "MaskedFillBackward1" if self.edges[2] is not None else "MaskedFillBackward0"


class Clamp(Elementwise):
    """Each element, clipped to the range from `low` to `high`. The gradient passes at the bounds; for NaN it is 0."""

    __slots__ = ()
    formula = r"\min(\max(x, l), h)"
    kinds = "if"
    wraps = False
    samples: ClassVar[tuple[Any, ...]] = (
        sample((2, 3), -1.0, 1.0), sample((2, 3), None, 0.5), sample((2, 3), -0.5, None),
        sample((2, 3), within((3,), -1, 0), within((2, 1), 0, 1)), sample((0, 3), 0.0, None),
    )  # fmt: skip

    def forward(self, xp, x, low, high):
        if low is not None:
            x = xp.maximum(x, low) if low.ndim else xp.at_least(x, low)
        if high is not None:
            x = xp.minimum(x, high) if high.ndim else xp.at_most(x, high)
        return x

    def grad_x(self, grad, x, low, high):
        r"\bar y \text{ where } l \le x \le h, \text{ else } 0"
        if low is None or high is None:
            return grad.masked_fill(((x >= low) if high is None else (x <= high)).logical_not(), 0)
        return grad.masked_fill(((x >= low) & (x <= high)).logical_not(), 0)

    def grad_low(self, grad, x, low, high):
        r"\bar y \text{ where } x < l"
        chosen = x < low if high is None else (x < low) & (low < high)
        return where(chosen, grad, 0)

    def grad_high(self, grad, x, low, high):
        r"\bar y \text{ where } x > h"
        chosen = x > high if low is None else (x > high) | (low > high)
        return where(chosen, grad, 0)

    def name(self) -> str:
        tensors = self.grad_name or any(edge is not None for edge in self.edges[1:])
        return self.grad_name or ("ClampBackward0" if tensors else "ClampBackward1")


class ClampMin(Clamp):
    """Each element, but at least `low`."""

    __slots__ = ()
    formula = r"\max(x, l)"
    grad_name = "ClampMinBackward0"
    samples = (sample((2, 3), 0.5, None),)


class ClampMax(Clamp):
    """Each element, but at most `high`."""

    __slots__ = ()
    formula = r"\min(x, h)"
    grad_name = "ClampMaxBackward0"
    samples = (sample((2, 3), None, 0.5),)


class Fill(Elementwise):
    """Replace every element by `value`."""

    __slots__ = ()
    formula = r"v"
    kinds = "bifc"
    fills = True
    samples = (sample((2, 3), 0.5), sample((2, 3), ()))

    def promoted(self, backend, inputs):
        x, value = inputs
        value = value._array if isinstance(value, Tensor) else backend.asarray(value)
        return [x._array, value.astype(x._array.dtype)]

    def forward(self, xp, x, value):
        return xp.full(x.shape, value)

    def overwrites(self, xp, arrays):
        arrays[0][...] = arrays[1]
        return True

    def grad_x(self, grad):
        r"0"
        return zeros_like(grad)

    def grad_value(self, grad):
        r"\sum \bar y"
        return grad


# Functions ------------------------------------------------------------------------------------------------------------


@accepts_out
def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """`input` where `condition` is true, `other` elsewhere; with the condition alone, the indices where it is true.

    A NaN in the branch that is not selected can still reach a gradient; see the docstring of this module.

    >>> import minigrad as mg
    >>> x = mg.tensor([-1.0, 2.0])
    >>> mg.where(x > 0, x, 0.0)
    tensor([0., 2.])
    """
    if input is None and other is None:
        return condition.nonzero(as_tuple=True)
    if condition.dtype is not dtypes.bool_:
        if condition.dtype is not dtypes.uint8:
            raise DtypeError(
                f"where expected condition to be a boolean tensor, but got a tensor with dtype {condition.dtype}"
            )
        condition = condition.bool()
    return Where()(condition, as_operand(input), as_operand(other))


def _mask(mask: Any, name: str) -> Any:
    if not isinstance(mask, Tensor) or mask.dtype is not dtypes.bool_:
        found = mask.dtype if isinstance(mask, Tensor) else type(mask).__name__
        raise DtypeError(f"{name}: only supports boolean masks, but got mask with dtype {found}")
    return mask


def _fits(value: Any, target: dtypes.dtype, name: str) -> Any:
    """Return `value`, a number or a tensor without dimensions. Raise if `target` cannot hold it."""
    if isinstance(value, Tensor) and value.ndim:
        raise ShapeError(
            f"{name} only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    kind = value.dtype if isinstance(value, Tensor) else dtypes.of_number(value)
    if kind.kind <= target.kind and (isinstance(value, Tensor) or target.kind != dtypes.INTEGER):
        return value
    return held(value.item() if isinstance(value, Tensor) else value, target, name)


def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """`input` with `value` wherever `mask` is true."""
    return MaskedFill()(input, _mask(mask, "masked_fill"), _fits(value, input.dtype, "masked_fill"))


def masked_fill_(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Replace elements by `value` where `mask` is true, in place."""
    value = read_before(_fits(value, self.dtype, "masked_fill_"), self)
    return inplace(MaskedFill(), self, _mask(mask, "masked_fill_"), value)


def _bounds(low: Any, high: Any) -> tuple[Any, Any]:
    if low is None and high is None:
        raise DtypeError("clamp: At least one of 'min' or 'max' must not be None")
    for each in (low, high):
        if not (each is None or isinstance(each, (int, float, Tensor))):
            raise ArgumentTypeError(f"clamp(): a bound must be a number or a Tensor, not {type(each).__name__}")
    return low, high


@accepts_out
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """`input`, clipped to the range from `min` to `max`, either of which may be left out.

    >>> import minigrad as mg
    >>> mg.clamp(mg.tensor([-2.0, 0.5, 2.0]), -1, 1)
    tensor([-1.0000,  0.5000,  1.0000])
    """
    return Clamp()(input, *_bounds(min, max))


@tensor_first
@accepts_out
def clamp_min(input: Tensor, min: Any) -> Tensor:
    """`input`, but at least `min`."""
    return ClampMin()(input, min, None)


@tensor_first
@accepts_out
def clamp_max(input: Tensor, max: Any) -> Tensor:
    """`input`, but at most `max`."""
    return ClampMax()(input, None, max)


clip = clamp


def clamp_(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Clip to the range from `min` to `max`, in place."""
    return inplace(Clamp(), self, *_bounds(min, max))


def clamp_min_(self: Tensor, min: Any) -> Tensor:
    """Raise elements below `min` to `min`, in place."""
    return inplace(ClampMin(), self, min, None)


def clamp_max_(self: Tensor, max: Any) -> Tensor:
    """Lower elements above `max` to `max`, in place."""
    return inplace(ClampMax(), self, None, max)


def fill(input: Tensor, value: Any) -> Tensor:
    """A tensor like `input` with `value` everywhere."""
    return Fill()(input, _fits(value, input.dtype, "fill"))


def fill_(self: Tensor, value: Any) -> Tensor:
    """Overwrite every element with `value`."""
    return inplace(Fill(), self, read_before(_fits(value, self.dtype, "fill_"), self))


def zero_(self: Tensor) -> Tensor:
    """Overwrite every element with 0."""
    return inplace(Fill(), self, 0)


def _where_of(self: Tensor, condition: Tensor, other: Any) -> Tensor:
    """This tensor's elements where `condition` is true, those of `other` elsewhere."""
    return where(condition, self, other)


METHODS = {
    "where": _where_of,
    "masked_fill": masked_fill, "clamp": clamp, "clip": clamp, "clamp_min": clamp_min, "clamp_max": clamp_max,
}  # fmt: skip
INPLACE = {
    "masked_fill_": masked_fill_, "clamp_": clamp_, "clip_": clamp_, "clamp_min_": clamp_min_, "clamp_max_": clamp_max_,
    "fill_": fill_, "zero_": zero_,
}  # fmt: skip
