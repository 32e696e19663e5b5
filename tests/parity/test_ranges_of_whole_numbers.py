"""`arange` of whole numbers from fractions, and products of bytes."""

from __future__ import annotations

from typing import Any

import pytest

from .same import refused, same

pytestmark = pytest.mark.parity


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32", "float32"])
def test_fractions_count_for_the_number_of_elements_alone(dtype: str) -> None:
    def ranges(lib: Any) -> Any:
        given = [(-0.9, 2.1, 2.0), (2.1, -2.9, -1.0), (0.1, -7.9, -4.0), (0, 5, 0.5), (1.5, 6, 1.5), (-3.7, 3.2, 1)]
        return [lib.arange(*each, dtype=getattr(lib, dtype)) for each in given]

    same(ranges)


def test_a_step_that_is_cut_off_to_nothing_is_refused() -> None:
    refused(lambda lib: lib.arange(0, 5, 0.5, dtype=lib.int64))
    same(lambda lib: [lib.arange(0.5, 5.5, 1.5, dtype=lib.int64), lib.arange(5, dtype=lib.int64)])


def test_a_product_of_bytes_is_of_bytes() -> None:
    def products(lib: Any) -> Any:
        x = lib.ones(1, 1, 1, dtype=lib.uint8) * 200
        return [lib.tensordot(x, lib.ones(2, 1, 2, dtype=lib.uint8) * 3, dims=[[0, 1], [2, 0]])]

    same(products)
