"""float16 and bfloat16 are computed in float32 and rounded once: no further from the exact value than PyTorch is."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import minigrad as mg
from tests.libraries import lib as lib

Lib = Any


def _of(lib: Lib) -> Any:
    return lib.nn.functional


CALLS: dict[str, Callable[[Lib, Any], Any]] = {
    "avg_pool1d": lambda lib, x: _of(lib).avg_pool1d(x[0], 3),
    "avg_pool2d": lambda lib, x: _of(lib).avg_pool2d(x, 3),
    "adaptive_avg_pool1d": lambda lib, x: _of(lib).adaptive_avg_pool1d(x[0], 3),
    "adaptive_avg_pool2d": lambda lib, x: _of(lib).adaptive_avg_pool2d(x, 3),
    "linear": lambda lib, x: _of(lib).interpolate(x[0], scale_factor=1.7, mode="linear"),
    "bilinear": lambda lib, x: _of(lib).interpolate(x, scale_factor=1.7, mode="bilinear"),
    "bicubic": lambda lib, x: _of(lib).interpolate(x, scale_factor=1.7, mode="bicubic"),
    "area": lambda lib, x: _of(lib).interpolate(x, size=(4, 4), mode="area"),
    "softmax": lambda lib, x: x.softmax(-1),
    "log_softmax": lambda lib, x: x.log_softmax(-1),
    "mse_loss": lambda lib, x: _of(lib).mse_loss(x, x.flip(0)),
    "binary_cross_entropy": lambda lib, x: _of(lib).binary_cross_entropy(x.sigmoid(), x.flip(0).sigmoid().detach()),
    "bce_with_logits": lambda lib, x: _of(lib).binary_cross_entropy_with_logits(x, x.flip(0).sigmoid().detach()),
    "cross_entropy": lambda lib, x: _of(lib).cross_entropy(x.flatten(0, 2), lib.arange(48) % 8),
    "attention": lambda lib, x: _of(lib).scaled_dot_product_attention(x, x, x),
    "silu": lambda lib, x: _of(lib).silu(x),
    "mish": lambda lib, x: _of(lib).mish(x),
    "gelu by tanh": lambda lib, x: _of(lib).gelu(x, approximate="tanh"),
    "lerp": lambda lib, x: lib.lerp(x, x.flip(0), 0.3),
    "embedding_bag": lambda lib, x: _of(lib).embedding_bag(lib.arange(8).reshape(2, 4) % 6, x[0, 0], mode="mean"),
    "scatter_add": lambda lib, x: x.scatter_add(-1, lib.zeros(x.shape, dtype=lib.int64), x),
    "index_add": lambda lib, x: x.index_add(0, lib.tensor([0, 0]), x),
    "trapezoid": lambda lib, x: lib.trapezoid(x),
}


@pytest.mark.parity
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("name", CALLS)
def test_half_precision_is_rounded_once(name: str, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    exact = _run(torch, name, dtype, "float64")
    ours, theirs = (_run(lib, name, dtype, dtype) for lib in (mg, torch))
    eps = torch.finfo(getattr(torch, dtype)).eps / 2
    for made, other, true in zip(ours, theirs, exact, strict=True):
        size = true.abs() + 0.01 * true.abs().max()
        error, limit = ((each - true).abs().div(size).max().item() / eps for each in (made, other))
        assert error <= 2.5 * limit + 0.6


def _run(lib: Lib, name: str, rounded_to: str, dtype: str) -> list[Any]:
    """The value and a gradient, for numbers that `rounded_to` holds, as PyTorch's float64 tensors."""
    import torch

    numbers = ((lib.arange(384, dtype=lib.float64) * 1.37).sin() * 2).reshape(2, 3, 8, 8)
    x = numbers.to(getattr(lib, rounded_to)).to(getattr(lib, dtype)).requires_grad_()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = CALLS[name](lib, x)
    weights = (lib.arange(y.numel(), dtype=lib.float64) * 0.7).cos().reshape(y.shape)
    (grad,) = lib.autograd.grad((y.double() * weights).sum(), [x])
    assert y.dtype == grad.dtype == x.dtype
    return [torch.tensor(each.detach().double().tolist(), dtype=torch.float64) for each in (y, grad)]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_hardshrink_rounds_its_bound_to_half_precision(lib: Lib, dtype: str) -> None:
    x = lib.tensor([0.3, -0.3, 0.31, 0.7], dtype=getattr(lib, dtype), requires_grad=True)
    y = lib.nn.functional.hardshrink(x, 0.3)
    y.sum().backward()
    assert (y == 0).tolist() == [True, True, False, False]
    assert x.grad.tolist() == [0.0, 0.0, 1.0, 1.0]
