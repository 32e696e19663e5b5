"""Normalisations as functions: each chooses the dimensions to average over; `minigrad.ops.nn` computes."""

from __future__ import annotations

import math
from typing import Any

from ...core.grad_mode import STATE, no_grad
from ...core.tensor import Tensor
from ...dtypes import finfo
from ...errors import ArgumentError, ArgumentTypeError, ShapeError
from ...ops.common.dims import one_int, sizes_of
from ...ops.common.writes import changed
from ...ops.nn.normalisation import Normalise
from ...ops.shape.padding import pad


def layer_norm(input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Tensor:
    """Normalise to mean 0 and variance 1 over the last dimensions, of `normalized_shape`; then ``* weight + bias``.

    >>> import minigrad as mg
    >>> mg.nn.functional.layer_norm(mg.tensor([[1.0, 3.0]]), (2,)).round(decimals=3).tolist()
    [[-1.0, 1.0]]
    """
    shape = _last_dimensions("layer_norm", input, normalized_shape, weight, bias)
    dims = tuple(range(input._array.ndim - len(shape), input._array.ndim))
    return Normalise(dims, eps, "LayerNorm")(input, weight, bias)


def _last_dimensions(name: str, input: Any, normalized_shape: Any, *affine: Any) -> tuple[int, ...]:
    if isinstance(normalized_shape, int):
        raise ArgumentTypeError(
            f"{name}(): argument 'normalized_shape' (position 2) must be tuple of ints, not int: write "
            f"({normalized_shape},)"
        )
    shape = sizes_of([normalized_shape])
    if not shape:
        raise ShapeError(f"Expected normalized_shape to be at least 1-dimensional in {name}, but got {list(shape)}")
    if input._array.shape[-len(shape) :] != shape:
        raise ShapeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*, {', '.join(map(str, shape))}], but "
            f"got "
            f"input of size{list(input.shape)}"
        )
    for each in affine:
        if each is not None and each._array.shape != shape:
            raise ShapeError(
                f"Expected weight and bias to be of same shape as normalized_shape {list(shape)} in {name}, but got "
                f"{list(each.shape)}"
            )
    return shape


def rms_norm(input: Any, normalized_shape: Any, weight: Any = None, eps: float | None = None) -> Tensor:
    """Normalise to root mean square 1 over the last dimensions, of `normalized_shape`; then ``* weight``."""
    shape = _last_dimensions("rms_norm", input, normalized_shape, weight)
    dims = tuple(range(-len(shape), 0))
    if eps is None:
        eps = finfo(input.dtype).eps
    wide = input.float() if input.dtype.itemsize < 4 else input  # squares overflow in half precision
    out = wide * ((wide * wide).mean(dims, keepdim=True) + eps).rsqrt()
    return (out if weight is None else out * weight).to(input.dtype)


def _channelwise(value: Any, ndim: int) -> Any:
    """Return a vector with one element per channel, in a shape that broadcasts over (N, C, ...)."""
    return value if value is None or ndim == 2 else value.reshape(-1, *(1,) * (ndim - 2))


def _check_channels(input: Any, **vectors: Any) -> None:
    """ShapeError unless each vector has one element per channel of the input (N, C, ...)."""
    channels = input._array.shape[1]
    for name, each in vectors.items():
        if each is not None and math.prod(each._array.shape) != channels:
            raise ShapeError(
                f"{name} should contain {channels} elements not {math.prod(each._array.shape)}: the input has "
                f"{channels} channels, its shape is {list(input.shape)}"
            )


def batch_norm(
    input: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalise every channel to mean 0 and variance 1 over the batch: input (N, C, ...).

    In training the batch's own mean and variance are used, and the running ones are updated in place, with weight
    `momentum`. Otherwise the running ones are used.
    """
    ndim = input._array.ndim
    if ndim < 2:
        raise ShapeError(f"batch_norm: expected at least 2D input (got {ndim}D input)")
    if not training and running_mean is None:
        raise ShapeError("batch_norm: running_mean must be defined in evaluation mode, or training=True be said")
    _check_channels(input, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    affine = _channelwise(weight, ndim), _channelwise(bias, ndim)
    if training:
        dims = (0, *range(2, ndim))
        count = math.prod(input._array.shape[dim] for dim in dims)
        if training and count == 1:
            raise ArgumentError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
        if training and not eps > 0:
            raise ArgumentError(f"batch_norm eps must be positive during training, but got {eps}")
        op = Normalise(dims, eps, "BatchNorm")
        out = op(input, *affine)
        if training and running_mean is not None and input._array.size:
            _follow(op, input, running_mean, running_var, momentum)
        return out
    return _with(input, running_mean, running_var, *affine, eps)


def _follow(op: Any, input: Any, running_mean: Any, running_var: Any, momentum: float) -> None:
    """Update the running mean and (unbiased) variance by those of the batch, which `op` has just computed."""
    if STATE.mode.interpreters:  # inside a transform the op may have run on another tensor than `input`, or not at all
        with no_grad():
            seen = input.detach()
            running_mean.mul_(1 - momentum).add_(seen.mean(op.dims) * momentum)
            running_var.mul_(1 - momentum).add_(seen.var(op.dims) * momentum)
        return
    mean, variance = op.moments
    count = input._array.size // mean.size
    for running, batch in ((running_mean, mean), (running_var, variance * (count / max(count - 1, 1)))):
        array = running._array
        array *= 1 - momentum
        array += (batch.reshape(array.shape) * momentum).astype(array.dtype, copy=False)
        changed(running)


def _with(input: Any, mean: Any, variance: Any, weight: Any, bias: Any, eps: float) -> Any:
    """Normalise with a given mean and variance."""
    ndim = input._array.ndim
    scale = (_channelwise(variance, ndim) + eps).rsqrt()
    scale = scale if weight is None else scale * weight
    out = (input - _channelwise(mean, ndim)) * scale
    return out if bias is None else out + bias


def instance_norm(
    input: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalise every channel of every example to mean 0 and variance 1: input (N, C, ...)."""
    ndim = input._array.ndim
    _check_channels(input, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    affine = _channelwise(weight, ndim), _channelwise(bias, ndim)
    if not use_input_stats:
        return _with(input, running_mean, running_var, *affine, eps)
    dims = tuple(range(2, ndim))
    if math.prod(input._array.shape[2:]) == 1:
        raise ArgumentError(f"Expected more than 1 spatial element when training, got input size {input.shape}")
    if running_mean is not None:
        with no_grad():
            seen = input.detach()
            running_mean.mul_(1 - momentum).add_(seen.mean(dims).mean(0) * momentum)
            running_var.mul_(1 - momentum).add_(seen.var(dims).mean(0) * momentum)
    return Normalise(dims, eps, "BatchNorm")(input, *affine)


def group_norm(input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Tensor:
    """Normalise groups of channels of every example to mean 0 and variance 1: input (N, C, ...)."""
    shape = input._array.shape
    if len(shape) < 2:
        raise ShapeError(f"Expected at least 2 dimensions for input tensor but received {len(shape)}")
    num_groups = one_int("num_groups", num_groups, least=1)
    if shape[1] % num_groups:
        raise ShapeError(
            f"Expected number of channels in input to be divisible by num_groups, but got input of shape {list(shape)} "
            f"and num_groups={num_groups}"
        )
    if math.prod(shape) == num_groups:
        raise ArgumentError(
            f"Expected more than 1 value per channel when training, got input size {input.shape}: each of the "
            f"{num_groups} groups holds one number, which minus its own mean is 0"
        )
    for name, each in (("weight", weight), ("bias", bias)):
        if each is not None and each._array.shape != shape[1:2]:
            raise ShapeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {list(each.shape)} and input of shape {list(shape)}"
            )
    grouped = input.reshape(shape[0], num_groups, shape[1] // num_groups, *shape[2:])
    sizes = (num_groups, shape[1] // num_groups, *(1,) * (len(shape) - 2))
    affine = [None if each is None else each.reshape(sizes) for each in (weight, bias)]
    op = Normalise(tuple(range(2, len(shape) + 1)), eps, "GroupNorm")
    return op(grouped, *affine).reshape(shape)


def local_response_norm(input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """Divide each element by a power of the mean square of `size` neighbouring channels: input (N, C, ...)."""
    ndim = input._array.ndim
    if ndim < 3:
        raise ArgumentError(f"Expected 3D or higher dimensionality input (got {ndim} dimensions)")
    size = one_int("size", size, least=1)
    squares = pad(input * input, (0, 0) * (ndim - 2) + (size // 2, (size - 1) // 2))
    means = squares.unfold(1, size, 1).mean(-1)
    return input / (means * alpha + k) ** beta


def normalize(input: Any, p: float = 2.0, dim: Any = 1, eps: float = 1e-12) -> Tensor:
    """Divide every vector along `dim` by its `p`-norm; norms below `eps` count as `eps`."""
    return input / input.norm(p, dim, keepdim=True).clamp(min=eps).expand_as(input)
