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
    "new_full": lambda lib: lib.ones(1).new_full(size=(2,), fill_value=3),
    "new_full with a value by name": lambda lib: lib.ones(1, dtype=lib.int64).new_full((2, 2), fill_value=3),
    "new_full of a dtype": lambda lib: lib.ones(1).new_full((), 3, dtype=lib.int64),
    "new_full under vmap": lambda lib: lib.func.vmap(lambda x: x.new_full(size=(2,), fill_value=2.0) * x)(lib.ones(3)),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_sizes_are_taken_as_a_keyword(call: Any) -> None:
    same(call)
