"""Linear layers."""

from __future__ import annotations

import math
from typing import Any

from ..core.tensor import Tensor
from ..errors import ArgumentError
from ..ops.create.factories import empty
from . import functional as F
from .init import uniform_all
from .module import Module
from .parameter import Parameter, optional


class Identity(Module):
    """Returns its input; it accepts and ignores any constructor arguments."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """Return `input`."""
        return input


class Linear(Module):
    r""":math:`y = x A^{\top} + b`, for inputs (..., in_features) and outputs (..., out_features).

    >>> import minigrad as mg
    >>> mg.nn.Linear(20, 30)(mg.ones(128, 20)).shape
    minigrad.Size([128, 30])
    """

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in_features), device=device, dtype=dtype))
        self.register_parameter("bias", optional(bias, out_features, device, dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialise the parameters, uniform between ±1/√in_features."""
        uniform_all(self, 1 / math.sqrt(self.in_features) if self.in_features else 0.0, "weight", "bias")

    def forward(self, input: Tensor) -> Tensor:
        """Return the product with the weight, plus the bias."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """The last layer of `MultiheadAttention`. As in PyTorch its type is not `Linear` itself, so that programs that
    collect layers with ``type(layer) == Linear`` find the same ones.
    """


class Bilinear(Module):
    r""":math:`y_k = x_1^{\top} A_k x_2 + b_k`."""

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ArgumentError(f"in1_features must be > 0, but got {in1_features}")
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        shape = (out_features, in1_features, in2_features)
        self.weight = Parameter(empty(shape, device=device, dtype=dtype))
        self.register_parameter("bias", optional(bias, out_features, device, dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialise the parameters, uniform between ±1/√in1_features."""
        uniform_all(self, 1 / math.sqrt(self.in1_features), "weight", "bias")

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """Return one number for each pair of inputs and each output feature."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )
