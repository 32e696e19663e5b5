"""The gradients of convolutions, under PyTorch's names: ``minigrad.nn.grad.conv2d_input`` and so on.

Both are ops of `minigrad.ops.nn.convolution`: `Spread` adds each output gradient to the window that it came from, and
`Collect` sums, for each weight, its inputs times the gradients there.
"""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from ..errors import ShapeError
from ..ops.common.dims import ints, one_int
from ..ops.nn.convolution import Collect, Spread

__all__ = ["conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input", "conv3d_weight"]


def conv1d_input(
    input_size: Any, weight: Tensor, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Tensor:  # fmt: skip
    """The gradient of `conv1d` with respect to its input, which has the size `input_size`: (N, C, L).

    Args:
        input_size: the three sizes of the input.
        weight: the kernels, (O, C / groups, K).
        grad_output: the gradient of the result, (N, O, L').
        stride: that of the convolution, like `padding`, `dilation` and `groups`.

    Raises:
        ShapeError: a size or a tensor has the wrong number of dimensions.

    >>> import minigrad as mg
    >>> x, w = mg.randn(1, 1, 5, requires_grad=True), mg.randn(2, 1, 3)
    >>> y = mg.nn.functional.conv1d(x, w)
    >>> (g,) = mg.autograd.grad(y.sum(), x)
    >>> mg.allclose(g, mg.nn.grad.conv1d_input(x.shape, w, mg.ones_like(y)))
    True
    """
    return _input(1, input_size, weight, grad_output, stride, padding, dilation, groups)


def conv1d_weight(
    input: Tensor, weight_size: Any, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Tensor:  # fmt: skip
    """The gradient of `conv1d` with respect to its weight, which has the size `weight_size`: (O, C / groups, K)."""
    return _weight(1, input, weight_size, grad_output, stride, padding, dilation, groups)


def conv2d_input(
    input_size: Any, weight: Tensor, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Tensor:  # fmt: skip
    """The gradient of `conv2d` with respect to its input, which has the size `input_size`: (N, C, H, W)."""
    return _input(2, input_size, weight, grad_output, stride, padding, dilation, groups)


def conv2d_weight(
    input: Tensor, weight_size: Any, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Tensor:  # fmt: skip
    """The gradient of `conv2d` with respect to its weight, of size `weight_size`: (O, C / groups, kH, kW)."""
    return _weight(2, input, weight_size, grad_output, stride, padding, dilation, groups)


def conv3d_input(
    input_size: Any, weight: Tensor, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Tensor:  # fmt: skip
    """The gradient of `conv3d` with respect to its input, which has the size `input_size`: (N, C, D, H, W)."""
    return _input(3, input_size, weight, grad_output, stride, padding, dilation, groups)


def conv3d_weight(
    input: Tensor, weight_size: Any, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Tensor:  # fmt: skip
    """The gradient of `conv3d` with respect to its weight, of size `weight_size`: (O, C / groups, kD, kH, kW)."""
    return _weight(3, input, weight_size, grad_output, stride, padding, dilation, groups)


def _input(dims: int, input_size: Any, weight: Any, grad_output: Any, *how: Any) -> Tensor:
    size = ints("input_size", input_size, dims + 2, least=0)
    _check(dims, "weight", weight, "grad_output", grad_output)
    return Spread(*_settings(dims, *how), size[2:])(grad_output, weight.conj())


def _weight(dims: int, input: Any, weight_size: Any, grad_output: Any, *how: Any) -> Tensor:
    size = ints("weight_size", weight_size, dims + 2, least=0)
    _check(dims, "input", input, "grad_output", grad_output)
    return Collect(*_settings(dims, *how), size[2:])(input.conj(), grad_output)


def _settings(dims: int, stride: Any, padding: Any, dilation: Any, groups: Any) -> tuple[Any, ...]:
    return (
        ints("stride", stride, dims, least=1),
        ints("padding", padding, dims, least=0),
        ints("dilation", dilation, dims, least=1),
        one_int("groups", groups, least=1),
    )


def _check(dims: int, *named: Any) -> None:
    for name, tensor in zip(named[::2], named[1::2], strict=True):
        if tensor.ndim != dims + 2:
            raise ShapeError(f"{name} must have {dims + 2} dimensions for conv{dims}d, got shape {list(tensor.shape)}")
