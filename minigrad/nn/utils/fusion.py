r"""Fuse a convolution or a linear layer with the batch norm after it, for use after training.

With :math:`s = \gamma / \sqrt{\sigma^2 + \epsilon}`, the fused weight is :math:`s W` and the fused bias
:math:`(b - \mu) s + \beta`.
"""

from __future__ import annotations

import copy
from typing import Any

from ...core.tensor import Tensor
from ...errors import ArgumentError
from ...ops.create.like import ones_like, zeros_like
from ..module import Module
from ..parameter import Parameter

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """Return a copy of the convolution `conv` that includes the batch norm `bn`; both must be in eval mode.

    >>> import minigrad as mg
    >>> conv, bn = mg.nn.Conv2d(1, 2, 3).eval(), mg.nn.BatchNorm2d(2).eval()
    >>> x = mg.ones(1, 1, 4, 4)
    >>> mg.allclose(fuse_conv_bn_eval(conv, bn)(x), bn(conv(x)))
    True
    """
    _check(conv, bn)
    fused = copy.deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        conv.weight, conv.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused


def fuse_conv_bn_weights(
    conv_w: Any,
    conv_b: Any,
    bn_rm: Any,
    bn_rv: Any,
    bn_eps: float,
    bn_w: Any,
    bn_b: Any,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """Return weight and bias of the fused convolution; `transpose` for a transposed one."""
    channel = 1 if transpose else 0
    return _fused(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, channel)


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """Return a copy of `linear` that includes the batch norm `bn`; both must be in eval mode."""
    _check(linear, bn)
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise ArgumentError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, but these are "
            f"{linear.out_features} and {bn.num_features}"
        )
    fused = copy.deepcopy(linear)
    fused.weight, fused.bias = fuse_linear_bn_weights(
        linear.weight, linear.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused


def fuse_linear_bn_weights(
    linear_w: Any, linear_b: Any, bn_rm: Any, bn_rv: Any, bn_eps: float, bn_w: Any, bn_b: Any
) -> tuple[Parameter, Parameter]:
    """Return weight and bias of the fused linear layer."""
    return _fused(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, 0)


def _fused(
    weight: Tensor, bias: Any, mean: Tensor, variance: Tensor, eps: float, scale: Any, shift: Any, channel: int
) -> tuple[Parameter, Parameter]:
    bias = zeros_like(mean) if bias is None else bias
    scale = ones_like(mean) if scale is None else scale
    shift = zeros_like(mean) if shift is None else shift
    factor = scale * (variance + eps).rsqrt()
    shape = [1] * weight.dim()
    shape[channel] = -1
    made = (weight * factor.reshape(shape)).to(weight.dtype), ((bias - mean) * factor + shift).to(bias.dtype)
    return Parameter(made[0].detach(), weight.requires_grad), Parameter(made[1].detach(), bias.requires_grad)


def _check(layer: Module, bn: Module) -> None:
    if layer.training or bn.training:
        raise ArgumentError("Fusion only for eval! Call .eval() on both layers first")
