"""Copy the elements of one tensor to another, and make a tensor contiguous."""

from __future__ import annotations

from typing import Any

from ...backend.layout import arranged
from ...core.further import zeros_like
from ...core.inplace import inplace
from ...core.tensor import Tensor
from ...errors import ArgumentTypeError, ShapeError
from ...layout import contiguous_format
from ..common.bases import Linear
from ..common.samples import sample


class Copy(Linear):
    r"""The values of `source`, broadcast to the shape and cast to the dtype of the input that they overwrite."""

    formula = r"y = s"
    grad_name = "CopyBackwards"
    broadcasts = True
    samples = (sample((2, 3), (2, 3)), sample((2, 3), (3,)))

    def forward(self, xp, x, source):
        if not isinstance(source, xp.array_type):
            return xp.full(x.shape, source, x.dtype)
        if source.dtype.kind == "c" and x.dtype.kind != "c":
            source = source.real
        return xp.broadcast_to(source, x.shape).astype(x.dtype, copy=True)

    def overwrites(self, xp, arrays):
        """Write the values where they belong, without an array between."""
        target, source = arrays
        if isinstance(source, xp.array_type) and source.dtype.kind == "c" and target.dtype.kind != "c":
            source = source.real
        target[...] = source
        return True

    def grad_x(self, grad):
        r"""0"""
        return zeros_like(grad)

    def grad_source(self, grad):
        r"""\bar y"""
        return grad


def copy_(input: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Overwrite `input` with `src` (a tensor or a number), broadcast to its shape and cast to its type.

    The gradient of the old value is zero; that of `src` is the gradient of the result. A `src` on another device is
    copied first. ShapeError if `src` does not broadcast to the shape of `input`.

    >>> import minigrad as mg
    >>> mg.zeros(2, 2).copy_(mg.tensor([1.0, 2.0])).tolist()
    [[1.0, 2.0], [1.0, 2.0]]
    """
    if isinstance(src, Tensor):
        _check_fits(src._array.shape, input._array.shape)
        if src._backend is not input._backend:
            src = src.to(input.device)
    elif not isinstance(src, (bool, int, float, complex)):
        raise ArgumentTypeError(f"copy_(): argument 'other' must be Tensor, not {type(src).__name__}")
    return inplace(Copy(), input, src)


def _check_fits(source: tuple[int, ...], target: tuple[int, ...]) -> None:
    extra = len(target) - len(source)
    if extra < 0 or any(s not in (1, t) for s, t in zip(source, target[extra:], strict=True)):
        places = [i for i in range(min(len(source), len(target))) if source[-1 - i] not in (1, target[-1 - i])]
        where = f" at non-singleton dimension {len(target) - 1 - places[0]}" if places else ""
        raise ShapeError(
            f"The expanded size of the tensor must match the existing size{where}: cannot copy a tensor of shape "
            f"{list(source)} into one of shape {list(target)}. Target sizes: {list(target)}. Tensor sizes: "
            f"{list(source)}"
        )


def contiguous(input: Tensor, memory_format: Any = contiguous_format) -> Tensor:
    """Return `input` itself if its elements lie in the order of `memory_format` without gaps, else such a copy.

    By default the order is row by row. ShapeError for `channels_last` of a tensor that has not four dimensions.

    >>> import minigrad as mg
    >>> mg.ones(2, 3, 4, 5).contiguous(memory_format=mg.channels_last).stride()
    (60, 1, 15, 3)
    """
    order = memory_format.order_for(input.ndim)
    return input if input.is_contiguous(memory_format) else Contiguous(order)(input)


class Contiguous(Linear):
    r"""A copy without gaps in memory: row by row, or with the dimensions in the given order from the outermost on."""

    __slots__ = ("order",)
    order: Any
    formula = r"x"
    grad_name = "CloneBackward0"
    samples = (sample((2, 3), order=None), sample((2, 3, 1, 2), order=(0, 2, 3, 1)))

    def forward(self, xp, x):
        if self.order is None:
            return x.copy(order="C")
        lead = x.ndim - len(self.order)  # dimensions of vmap
        made = arranged(x, (*range(lead), *(lead + dim for dim in self.order)))
        return xp.copy(x) if made is x else made

    def grad_x(self, grad):
        r"""\bar y"""
        return grad


METHODS = {"contiguous": contiguous}
INPLACE = {"copy_": copy_}
__all__: list[str] = []
