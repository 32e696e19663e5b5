"""Convolutions as functions: they check arguments like PyTorch; `minigrad.ops.nn.convolution` computes."""

from __future__ import annotations

from typing import Any

from ...core.interpreter import converting
from ...core.tensor import Tensor
from ...errors import DtypeError, ShapeError
from ...ops.common.dims import ints, one_int
from ...ops.nn.convolution import Convolve, Spread
from ...ops.shape.padding import pad as pad_with


def conv1d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Tensor:
    """1d convolution: input (N, C, L) or (C, L), weight (O, C / groups, K) -> (N, O, L')."""
    return _conv(1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Tensor:
    """2d convolution: input (N, C, H, W) or (C, H, W), weight (O, C / groups, kH, kW) -> (N, O, H', W').

    `padding` is the number of zeros on each side, or "same" (the output has the input's size) or "valid" (none).

    >>> import minigrad as mg
    >>> mg.nn.functional.conv2d(mg.ones(1, 1, 4, 4), mg.ones(2, 1, 3, 3), stride=1, padding=1).shape
    minigrad.Size([1, 2, 4, 4])
    """
    return _conv(2, input, weight, bias, stride, padding, dilation, groups)


def conv3d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Tensor:
    """3d convolution: input (N, C, D, H, W) or (C, D, H, W), weight (O, C / groups, kD, kH, kW)."""
    return _conv(3, input, weight, bias, stride, padding, dilation, groups)


def _conv(dims: int, input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Any:
    name = f"conv{dims}d"
    _checked(name, dims, input, weight, bias)
    stride, dilation = ints("stride", stride, dims), ints("dilation", dilation, dims, least=1)
    groups = one_int("groups", groups, least=1)
    kernel = weight._array.shape[2:]
    single = input._array.ndim == dims + 1
    x = input.unsqueeze(0) if single else input
    if isinstance(padding, str):
        x, padding = _named_padding(name, padding, x, kernel, stride, dilation)
    padding = ints("padding", padding, dims, least=0)
    channels, (outer, inner) = x._array.shape[1], weight._array.shape[:2]
    if outer < groups or outer % groups:
        need = f"at least {groups}" if outer < groups else f"divisible by {groups}"
        raise ShapeError(
            f"Given groups={groups}, expected weight to be {need} at dimension 0, but got weight of size "
            f"{list(weight.shape)} instead"
        )
    if channels != inner * groups:
        raise ShapeError(
            f"Given groups={groups}, weight of size {list(weight.shape)}, expected input{list(input.shape)} to have "
            f"{inner * groups} channels, but got {channels} channels instead"
        )
    if 0 in kernel:
        raise ShapeError(f"kernel size should be greater than zero, but got {list(kernel)}")
    _check_bias(weight, bias, outer)
    reach = [d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True)]
    room = [n + 2 * p for n, p in zip(x._array.shape[2:], padding, strict=True)]
    if any(r > n for r, n in zip(reach, room, strict=True)):
        raise ShapeError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, room))}). Kernel size: "
            f"({' x '.join(map(str, reach))}). Kernel size can't be greater than actual input size ({name})"
        )
    if any(s <= 0 for s in stride):
        raise ShapeError(f"non-positive stride is not supported, got {stride}")
    out = Convolve(stride, padding, dilation, groups)(x, weight, bias)
    return out.squeeze(0) if single else out


def _check_bias(weight: Any, bias: Any, outer: int) -> None:
    if bias is not None and bias._array.shape != (outer,):
        raise ShapeError(
            f"Given weight of size {list(weight.shape)}, expected bias to be 1-dimensional with {outer} elements, but "
            f"got bias of size {list(bias.shape)} instead"
        )


def _checked(name: str, dims: int, input: Any, weight: Any, bias: Any) -> None:
    ndim = input._array.ndim
    if ndim not in (dims + 1, dims + 2):
        raise ShapeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got input of size: "
            f"{list(input.shape)}"
        )
    if weight._array.ndim != dims + 2:
        raise ShapeError(f"{name}: expected a weight of {dims + 2} dimensions, but got size {list(weight.shape)}")
    if input._array.dtype != weight._array.dtype and not converting():
        raise DtypeError(f"Input type ({input.dtype}) and weight type ({weight.dtype}) should be the same")
    if bias is not None and bias._array.dtype != input._array.dtype and not converting():
        raise DtypeError(f"Input type ({input.dtype}) and bias type ({bias.dtype}) should be the same")


def _named_padding(name: str, padding: str, x: Any, kernel: Any, stride: Any, dilation: Any) -> tuple[Any, Any]:
    """Return the input and the padding for "same" or "valid". The input is padded here if the sides differ."""
    if padding == "valid":
        return x, 0
    if padding != "same":
        raise ShapeError(f"Invalid padding string: {padding!r}; {name} knows 'valid' and 'same'")
    if any(s != 1 for s in stride):
        raise ShapeError("padding='same' is not supported for strided convolutions")
    total = [d * (k - 1) for k, d in zip(kernel, dilation, strict=True)]
    if any(n % 2 for n in total):
        x = pad_with(x, [each for n in reversed(total) for each in (0, n % 2)])
    return x, tuple(n // 2 for n in total)


def conv_transpose1d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """The transpose of `conv1d`: input (N, C, L), weight (C, O / groups, K) -> (N, O, L')."""
    return _transposed(1, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """The transpose of `conv2d`: input (N, C, H, W), weight (C, O / groups, kH, kW) -> (N, O, H', W')."""
    return _transposed(2, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose3d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """The transpose of `conv3d`: input (N, C, D, H, W), weight (C, O / groups, kD, kH, kW)."""
    return _transposed(3, input, weight, bias, stride, padding, output_padding, groups, dilation)


def _transposed(
    dims: int,
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: int,
    dilation: Any,
) -> Any:
    name = f"conv_transpose{dims}d"
    _checked(name, dims, input, weight, bias)
    stride, dilation = ints("stride", stride, dims, least=1), ints("dilation", dilation, dims, least=1)
    padding, extra = ints("padding", padding, dims, least=0), ints("output_padding", output_padding, dims, least=0)
    groups = one_int("groups", groups, least=1)
    single = input._array.ndim == dims + 1
    x = input.unsqueeze(0) if single else input
    if x._array.shape[1] != weight._array.shape[0]:
        raise ShapeError(
            f"Given transposed=1, weight of size {list(weight.shape)}, expected input{list(input.shape)} to have "
            f"{weight._array.shape[0]} channels, but got {x._array.shape[1]} channels instead"
        )
    if any(e >= max(s, d) for e, s, d in zip(extra, stride, dilation, strict=True)):
        raise ShapeError(
            f"output padding must be smaller than either stride or dilation, but got output_padding: {extra}"
        )
    size = [
        (n - 1) * s - 2 * p + d * (k - 1) + e + 1
        for n, k, s, p, e, d in zip(
            x._array.shape[2:], weight._array.shape[2:], stride, padding, extra, dilation, strict=True
        )
    ]
    if min(size) < 1:
        before = list(x._array.shape[2:])
        raise ShapeError(
            f"Given input size per channel: {before}. Calculated output size per channel: {size}. Output size is too "
            "small: use less padding or a larger kernel."
        )
    out = Spread(stride, padding, dilation, groups, tuple(size))(x, weight)
    if bias is not None:
        out = out + bias.reshape(-1, *(1,) * dims)
    return out.squeeze(0) if single else out
