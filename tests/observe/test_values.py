"""A value tells the truth about its array, and says how much of it."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as arrays

from minigrad.observe.record.values import FULL, measure

from .helpers import array


def test_a_scalar_is_one_by_one() -> None:
    value = measure(np.array(2.5, dtype=np.float32))
    assert (value["kind"], value["rows"], value["cols"]) == ("full", 1, 1)
    assert array(value)[0, 0] == value["mean"] == value["norm"] == 2.5


@pytest.mark.parametrize(
    ("shape", "folded"),
    [((3,), (1, 3)), ((2, 3), (2, 3)), ((2, 3, 4), (6, 4)), ((0, 3), (0, 3)), ((3, 0), (0, 0))],
)
def test_leading_axes_are_rows(shape: Any, folded: Any) -> None:
    elements = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    value = measure(elements)
    assert (value["rows"], value["cols"]) == folded
    np.testing.assert_array_equal(array(value).ravel(), elements.ravel())


def test_a_large_array_is_sampled_on_an_even_grid_and_says_so() -> None:
    elements = np.add.outer(np.arange(64) * 1000.0, np.arange(100)).astype(np.float32)
    value = measure(elements)
    assert (value["kind"], value["rows"], value["cols"]) == ("sampled", 32, 32)
    np.testing.assert_array_equal(array(value), elements[::2][:, np.arange(32) * 100 // 32])


@pytest.mark.parametrize("count", [FULL, FULL + 1, 100_000])
def test_statistics_are_of_all_elements(count: int) -> None:
    elements = (np.random.default_rng(0).standard_normal(count) * 3 + 1).astype(np.float32)
    value = measure(elements)
    exact = elements.astype(np.float64)
    assert value["min"] == exact.min()
    assert value["max"] == exact.max()
    assert value["mean"] == pytest.approx(exact.mean(), rel=1e-5)
    assert value["std"] == pytest.approx(exact.std(), rel=1e-5)
    assert value["norm"] == pytest.approx(float(np.linalg.norm(exact)), rel=1e-6)


def test_a_small_spread_around_a_large_mean_is_not_lost() -> None:
    elements = (1000 + np.random.default_rng(0).standard_normal(5000) * 0.01).astype(np.float32)
    assert measure(elements)["std"] == pytest.approx(elements.astype(np.float64).std(), rel=1e-3)


def test_nan_and_infinity_are_counted_and_left_out() -> None:
    value = measure(np.array([1.0, np.nan, np.inf, -np.inf, 3.0]))
    assert (value["nan"], value["inf"], value["mean"], value["max"]) == (1, 2, 2.0, 3.0)
    assert np.isnan(array(value)[0, 1])
    assert measure(np.array(np.nan))["mean"] is None
    assert measure(np.full((3,), np.nan))["mean"] is None


def test_numbers_too_large_for_float32_are_no_reason_to_fail() -> None:
    assert measure(np.array(1e300))["max"] == 1e300
    value = measure(np.array([1e300, -1e300, 1e200]))
    assert (value["nan"], value["inf"], value["norm"]) == (0, 0, None)


@pytest.mark.parametrize("kind", [np.float16, np.int64, np.bool_, np.uint8, np.complex64, ml_dtypes.bfloat16])
@pytest.mark.parametrize("count", [1, 5, 5000])
def test_every_dtype_can_be_looked_at(kind: Any, count: int) -> None:
    value = measure(np.ones(count).astype(kind))
    assert value["mean"] == value["max"] == 1.0
    assert value["norm"] == pytest.approx(np.sqrt(count), rel=1e-5)


def test_strided_and_transposed_arrays_are_read_in_order() -> None:
    elements = np.arange(24, dtype=np.float32).reshape(4, 6)
    np.testing.assert_array_equal(array(measure(elements.T)), elements.T)
    np.testing.assert_array_equal(array(measure(elements[::2, ::-1])), elements[::2, ::-1])


@given(arrays.arrays(np.float64, arrays.array_shapes(max_dims=3, max_side=20)))
def test_nothing_makes_it_fail(elements: Any) -> None:
    value = measure(elements)
    finite = elements[np.isfinite(elements)]
    assert value["nan"] + value["inf"] + finite.size == elements.size
    assert value["min"] == (finite.min() if finite.size else None)
