"""Activations as modules. Each calls a function with its settings."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...ops.create.factories import empty
from ...ops.elementwise.pointwise import sigmoid, tanh
from .. import functional as F
from .. import init
from ..function_module import Configured
from ..module import Module
from ..parameter import Parameter


class MayBeInPlace(Configured):
    """Overwrites its input if `inplace` is True."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class ReLU(MayBeInPlace):
    """Replaces negative elements by 0."""

    def forward(self, input: Tensor) -> Tensor:
        """max(0, x)"""
        return F.relu(input, self.inplace) if self.inplace else F.relu(input)


class ReLU6(MayBeInPlace):
    """Limits elements to the range from 0 to 6."""

    def forward(self, input: Tensor) -> Tensor:
        """min(max(0, x), 6)"""
        return F.relu6(input, self.inplace)


class SiLU(MayBeInPlace):
    """Multiplies x by its sigmoid; also called swish."""

    def forward(self, input: Tensor) -> Tensor:
        """x σ(x)"""
        return F.silu(input, self.inplace)


class SELU(MayBeInPlace):
    """A scaled ELU that keeps mean 0 and variance 1."""

    def forward(self, input: Tensor) -> Tensor:
        """scale (max(0, x) + min(0, α (exp x - 1)))"""
        return F.selu(input, self.inplace)


class Mish(MayBeInPlace):
    """x tanh(softplus x)"""

    def forward(self, input: Tensor) -> Tensor:
        """x tanh(softplus x)"""
        return F.mish(input, self.inplace)


class Hardswish(MayBeInPlace):
    """A piecewise polynomial approximation of SiLU."""

    def forward(self, input: Tensor) -> Tensor:
        """x relu6(x + 3) / 6"""
        return F.hardswish(input, self.inplace)


class LeakyReLU(MayBeInPlace):
    """Gives negative elements a small slope."""

    settings = ("negative_slope",)

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.keep(negative_slope)

    def forward(self, input: Tensor) -> Tensor:
        """x where x > 0, negative_slope x elsewhere"""
        return F.leaky_relu(input, self.negative_slope, self.inplace)


class ELU(MayBeInPlace):
    """Bends negative elements towards -alpha."""

    settings = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.keep(alpha)

    def forward(self, input: Tensor) -> Tensor:
        """x where x > 0, alpha (exp x - 1) elsewhere"""
        return F.elu(input, self.alpha, self.inplace)


class Hardtanh(MayBeInPlace):
    """Limits elements to the range from min_val to max_val."""

    settings = ("min_val", "max_val")

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.keep(min_val, max_val)

    def forward(self, input: Tensor) -> Tensor:
        """x clipped to [min_val, max_val]"""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)


class Tanh(Module):
    """Maps elements to the range from -1 to 1."""

    def forward(self, input: Tensor) -> Tensor:
        """tanh x"""
        return tanh(input)


class Sigmoid(Module):
    """Maps elements to the range from 0 to 1."""

    def forward(self, input: Tensor) -> Tensor:
        """1 / (1 + exp -x)"""
        return sigmoid(input)


class LogSigmoid(Module):
    """The logarithm of the sigmoid, accurate for very negative x, too."""

    def forward(self, input: Tensor) -> Tensor:
        """log σ(x)"""
        return F.logsigmoid(input)


class Tanhshrink(Module):
    """x - tanh x"""

    def forward(self, input: Tensor) -> Tensor:
        """x - tanh x"""
        return F.tanhshrink(input)


class GELU(Configured):
    """Multiplies x by the probability that a standard normal variable is below x."""

    settings = ("approximate",)

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.keep(approximate)

    def forward(self, input: Tensor) -> Tensor:
        """x Φ(x), or its tanh approximation"""
        return F.gelu(input, approximate=self.approximate)


class Softplus(Configured):
    """A smooth ReLU."""

    settings = ("beta", "threshold")

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.keep(beta, threshold)

    def forward(self, input: Tensor) -> Tensor:
        """log(1 + exp(beta x)) / beta; x itself above the threshold"""
        return F.softplus(input, self.beta, self.threshold)


class Softmax(Configured):
    """Turns elements into positive numbers that sum to 1 along `dim`."""

    settings = ("dim",)

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.keep(dim)

    def forward(self, input: Tensor) -> Tensor:
        """exp x / Σ exp x"""
        return F.softmax(input, self.dim)


class LogSoftmax(Softmax):
    """The logarithm of softmax, computed stably."""

    def forward(self, input: Tensor) -> Tensor:
        """x - log Σ exp x"""
        return F.log_softmax(input, self.dim)


class Softmin(Softmax):
    """Softmax of the negated input."""

    def forward(self, input: Tensor) -> Tensor:
        """exp -x / Σ exp -x"""
        return F.softmin(input, self.dim)


class GLU(Configured):
    """Multiplies one half of the input by the sigmoid of the other half."""

    settings = ("dim",)

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.keep(dim)

    def forward(self, input: Tensor) -> Tensor:
        """a σ(b), where a and b are the halves along `dim`"""
        return F.glu(input, self.dim)


class PReLU(Module):
    """A leaky ReLU with a learnt slope, one for all channels or one for each."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reset the slope to its initial value."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """x where x > 0, weight x elsewhere"""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"
