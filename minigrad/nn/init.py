"""Initial values of parameters. Each function fills its tensor in place, outside the graph, and returns it.

Sources: Glorot and Bengio (2010) for `xavier`, He et al. (2015) for `kaiming`, Saxe et al. (2013) for `orthogonal`.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

from ..core.grad_mode import no_grad
from ..core.tensor import Tensor
from ..errors import ArgumentError
from ..ops.create.factories import eye
from ..ops.create.like import empty_like
from ..ops.elementwise.where import where
from ..ops.linalg.functions import qr
from ..ops.random.distributions import randn, randperm

_GAINS = {
    "linear": 1.0,
    "sigmoid": 1.0,
    "conv1d": 1.0,
    "conv2d": 1.0,
    "conv3d": 1.0,
    "conv_transpose1d": 1.0,
    "conv_transpose2d": 1.0,
    "conv_transpose3d": 1.0,
    "tanh": 5.0 / 3,
    "relu": math.sqrt(2.0),
    "selu": 0.75,
}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the factor on the weights before this non-linearity that keeps the variance of the signal.

    >>> calculate_gain("tanh")
    1.6666666666666667
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ArgumentError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity not in _GAINS:
        known = ", ".join([*_GAINS, "leaky_relu"])
        raise ArgumentError(f"Unsupported nonlinearity {nonlinearity}; known are {known}")
    return _GAINS[nonlinearity]


def _fill(tensor: Tensor, values: Any) -> Tensor:
    with no_grad():
        return tensor.copy_(values)


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with numbers uniform in [a, b)."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with normal numbers of this mean and standard deviation."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Any = None
) -> Tensor:
    """Fill with normal numbers restricted to [a, b].

    If at least 30 % of the normal distribution is between them, numbers outside are drawn again. Otherwise, candidates
    are drawn uniformly, and accepted with a probability proportional to their density.
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
            "incorrect: nearly all normal numbers lie outside.",
            stacklevel=2,
        )
    if tensor.is_meta:
        return tensor
    if std == 0 and not a <= mean <= b:
        raise ArgumentError(f"trunc_normal_: with std=0 every number is {mean}, which is not between {a} and {b}")
    with no_grad():
        if std and _share_below((b - mean) / std) - _share_below((a - mean) / std) <= 0.3:
            return _keep_by_density(tensor, mean, std, a, b, generator)
        tensor.normal_(mean, std, generator=generator)
        outside = (tensor < a).logical_or(tensor > b)
        while bool(outside.any()):
            again = empty_like(tensor).normal_(mean, std, generator=generator)
            tensor.copy_(where(outside, again, tensor))
            outside = (tensor < a).logical_or(tensor > b)
    return tensor


def _share_below(x: float) -> float:
    """Return the probability that a standard normal number is less than `x`."""
    return (1 + math.erf(x / math.sqrt(2))) / 2


def _keep_by_density(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any) -> Tensor:
    """Fill `tensor` with candidates from [a, b], each accepted with a probability proportional to its density."""
    peak = ((min(max(mean, a), b) - mean) / std) ** 2
    wanted = None
    while wanted is None or bool(wanted.any()):
        candidate = empty_like(tensor).uniform_(a, b, generator=generator)
        chance = (peak - ((candidate - mean) / std) ** 2) / 2
        refused = empty_like(tensor).uniform_(generator=generator).log() > chance
        tensor.copy_(candidate if wanted is None else where(wanted, candidate, tensor))
        wanted = refused if wanted is None else wanted.logical_and(refused)
    return tensor


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with `val`."""
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    return constant_(tensor, 0.0)


def eye_(tensor: Tensor) -> Tensor:
    """Fill with the identity matrix."""
    if tensor.ndim != 2:
        raise ArgumentError(f"Only tensors with 2 dimensions are supported, this one has {tensor.ndim}")
    return _fill(tensor, eye(*tensor.shape, dtype=tensor.dtype, device=tensor.device))


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill with the convolution that passes as many channels as possible unchanged; 3 to 5 dimensions."""
    if tensor.ndim not in (3, 4, 5):
        raise ArgumentError(f"Only tensors with 3, 4, or 5 dimensions are supported, this one has {tensor.ndim}")
    out_channels, in_channels, *window = tensor.shape
    if out_channels % groups:
        raise ArgumentError(f"{out_channels} output channels cannot be divided into {groups} groups")
    each = out_channels // groups
    centre = tuple(size // 2 for size in window)
    with no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(each, in_channels)):
                tensor[(group * each + channel, channel, *centre)] = 1.0
    return tensor


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """Return fan-in (the inputs of each output element) and fan-out (the outputs that each input element reaches)."""
    if tensor.ndim < 2:
        raise ArgumentError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions, "
            f"this one has {tensor.ndim}"
        )
    window = math.prod(tensor.shape[2:])
    return tensor.shape[1] * window, tensor.shape[0] * window


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    r"""Uniform with bound :math:`gain \sqrt{6 / (fan_{in} + fan_{out})}`."""
    bound = gain * math.sqrt(6.0 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    r"""Normal with standard deviation :math:`gain \sqrt{2 / (fan_{in} + fan_{out})}`."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor))), generator)


def _fan(tensor: Tensor, mode: str) -> int:
    modes = {"fan_in": 0, "fan_out": 1}
    if mode not in modes:
        raise ArgumentError(f"Mode {mode} not supported, please use one of {list(modes)}")
    return _calculate_fan_in_and_fan_out(tensor)[modes[mode]]


def _is_empty(tensor: Tensor) -> bool:
    """Return whether the tensor is empty. If so, warn: a size may have been computed wrongly."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
    return 0 in tensor.shape


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    r"""Uniform with bound :math:`gain \sqrt{3 / fan}`; `a` is the slope of a leaky ReLU that follows."""
    if _is_empty(tensor):
        return tensor
    bound = calculate_gain(nonlinearity, a) * math.sqrt(3.0 / _fan(tensor, mode))
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    r"""Normal with standard deviation :math:`gain / \sqrt{fan}`."""
    if _is_empty(tensor):
        return tensor
    return normal_(tensor, 0.0, calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode)), generator)


def orthogonal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with orthonormal rows or columns, whichever are fewer; dimensions after the first count as columns."""
    if tensor.ndim < 2:
        raise ArgumentError(f"Only tensors with 2 or more dimensions are supported, this one has {tensor.ndim}")
    if not tensor.numel():
        return tensor
    rows = tensor.shape[0]
    columns = tensor.numel() // rows
    with no_grad():
        flat = randn((rows, columns), generator=generator, dtype=tensor.dtype, device=tensor.device)
        q, r = qr(flat.t() if rows < columns else flat)
        q = q * r.diagonal().sign()
        if rows < columns:
            q = q.t()
        return _fill(tensor, q.reshape(tensor.shape) * gain)


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """Fill with normal numbers; in each column a fraction `sparsity` of the elements is 0."""
    if tensor.ndim != 2:
        raise ArgumentError(f"Only tensors with 2 dimensions are supported, this one has {tensor.ndim}")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    normal_(tensor, 0.0, std, generator)
    with no_grad():
        for column in range(columns):
            tensor[randperm(rows, generator=generator)[:zeros], column] = 0.0
    return tensor


def uniform_all(module: Any, bound: float, *names: str) -> None:
    """Fill the parameters of `module` with these `names` (by default all of its own) uniformly between ±bound."""
    chosen = [getattr(module, name) for name in names] if names else module.parameters(recurse=False)
    for parameter in chosen:
        if parameter is not None:
            uniform_(parameter, -bound, bound)


OLD_NAMES = (
    "constant", "dirac", "eye", "kaiming_normal", "kaiming_uniform", "normal", "orthogonal", "sparse", "uniform",
    "xavier_normal", "xavier_uniform",
)  # fmt: skip
"""Names without the underscore, from before PyTorch 0.4. They are deprecated there, too."""


def __getattr__(name: str) -> Any:
    """Return the function for an old name, with a warning."""
    if name not in OLD_NAMES:
        raise AttributeError(f"module 'minigrad.nn.init' has no attribute {name!r}")
    warnings.warn(f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.", FutureWarning, stacklevel=2)
    return globals()[name + "_"]


# Names that custom layers import from PyTorch's module.
_calculate_correct_fan = _fan
_no_grad_uniform_, _no_grad_normal_, _no_grad_trunc_normal_ = uniform_, normal_, trunc_normal_
_no_grad_fill_, _no_grad_zero_ = constant_, zeros_
