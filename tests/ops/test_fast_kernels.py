"""What is computed a faster way is as exact as it says, and as exact as the slow way."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad.ops.reduce.row_kernels import largest

NEAR = np.linspace(-30, 30, 60_001, dtype=np.float32)
FAR_OUT = np.array([-1e30, -1000.0, -1e-40, 0.0, 1e-40, 1000.0, 1e30, math.inf], dtype=np.float32)


def chance(x: Any) -> Any:
    return np.array([0.5 * math.erfc(-float(each) / math.sqrt(2)) for each in x])


@pytest.mark.parametrize("x", [NEAR, FAR_OUT], ids=["near", "far"])
def test_gelu_in_float32_is_as_exact_as_it_says(x: Any) -> None:
    found = mg.nn.functional.gelu(mg.tensor(x)).cpu().numpy().astype(np.float64)
    finite = np.isfinite(x)
    wanted = x[finite].astype(np.float64) * chance(x[finite])
    assert np.max(np.abs(found[finite] - wanted) / np.maximum(np.abs(x[finite]), 1e-3)) < 2e-7
    assert np.array_equal(found[~finite], x[~finite])


def test_the_slope_of_gelu_in_float32_is_as_exact_as_it_says() -> None:
    x = mg.tensor(NEAR, requires_grad=True)
    mg.nn.functional.gelu(x).sum().backward()
    double = NEAR.astype(np.float64)
    wanted = chance(double) + double * np.exp(-double * double / 2) / math.sqrt(2 * math.pi)
    assert x.grad is not None
    assert np.max(np.abs(x.grad.cpu().numpy() - wanted)) < 3e-7


@pytest.mark.parametrize("shape", [(1, 1), (5, 10), (3, 4, 63), (7, 64), (2, 65)])
def test_the_largest_of_each_row_is_found_for_every_length(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    assert np.array_equal(largest(np, x, -1), x.max(-1, keepdims=True))
    x[..., 0] = np.nan
    assert np.isnan(largest(np, x, -1)).all()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "float16"])
@pytest.mark.parametrize("dims", [(0,), (0, 1), (1,), (0, 1, 2)])
def test_sums_over_leading_dimensions_are_sums(dims: tuple[int, ...], dtype: str) -> None:
    x = np.random.default_rng(0).integers(-9, 9, (50, 3, 4)).astype(dtype)
    assert np.array_equal(mg.tensor(x).sum(dims).cpu().numpy(), x.sum(dims))
    assert np.array_equal(mg.tensor(x).transpose(0, 1).sum(dims).cpu().numpy(), x.swapaxes(0, 1).sum(dims))


def test_a_sum_over_many_rows_keeps_its_digits() -> None:
    x = np.random.default_rng(0).random((100_000, 3)).astype(np.float32)
    wanted = x.astype(np.float64).sum(0)
    assert np.max(np.abs(mg.tensor(x).sum(0).cpu().numpy() - wanted) / wanted) < 2e-5
