"""Sizes as a keyword, wherever PyTorch takes them so."""

from __future__ import annotations

from typing import Any

import pytest

from .same import same

pytestmark = pytest.mark.parity

CALLS: dict[str, Any] = {
    "rand": lambda lib: lib.rand(size=(2, 3)),
    "rand of a dtype": lambda lib: lib.rand(size=[2], dtype=lib.float64, layout=lib.strided),
    "rand of a generator": lambda lib: lib.rand(size=(2,), generator=lib.Generator().manual_seed(3)),
    "randn": lambda lib: lib.randn(size=(2, 3)),
    "randn without memory to pin": lambda lib: lib.randn(2, 3, pin_memory=False),
    "rand under vmap": lambda lib: lib.func.vmap(lambda x: x + lib.rand(size=(2,)), randomness="same")(lib.ones(3)),
    "randint of a layout": lambda lib: lib.randint(3, (4,), layout=lib.strided),
    "randperm of a layout": lambda lib: lib.randperm(5, layout=lib.strided, pin_memory=False),
    "normal of a layout": lambda lib: lib.normal(0.0, 1.0, (3,), layout=lib.strided),
    "randn_like in order": lambda lib: lib.randn_like(lib.ones(3), memory_format=lib.preserve_format),
    "rand_like of a layout": lambda lib: lib.rand_like(lib.ones(3), layout=lib.strided),
    "randint_like of a layout": lambda lib: lib.randint_like(lib.ones(3), 5, layout=lib.strided),
    "new_full": lambda lib: lib.ones(1).new_full(size=(2,), fill_value=3),
    "new_full with a value by name": lambda lib: lib.ones(1, dtype=lib.int64).new_full((2, 2), fill_value=3),
    "new_full of a dtype": lambda lib: lib.ones(1).new_full((), 3, dtype=lib.int64),
    "new_full under vmap": lambda lib: lib.func.vmap(lambda x: x.new_full(size=(2,), fill_value=2.0) * x)(lib.ones(3)),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_sizes_are_taken_as_a_keyword(call: Any) -> None:
    same(call)
