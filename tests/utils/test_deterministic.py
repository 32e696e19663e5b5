"""Deterministic mode: what memory holds that nothing was written to."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def deterministic(lib: Any) -> Iterator[None]:
    importlib.import_module(f"{lib.__name__}.utils.deterministic")
    lib.use_deterministic_algorithms(True)
    yield
    lib.use_deterministic_algorithms(False)
    lib.utils.deterministic.fill_uninitialized_memory = True


def test_new_memory_is_filled_with_a_value_that_shows(lib: Any) -> None:
    x = lib.ones(2, 3)
    for made in (lib.empty(2), lib.empty_like(x), x.new_empty(3), lib.empty_strided((2, 2), (2, 1))):
        assert made.isnan().all()
    assert math.isnan(lib.empty(1, dtype=lib.complex64).item().real)
    assert lib.empty(2, dtype=lib.int16).tolist() == [32767, 32767]
    assert lib.empty(1, dtype=lib.bool).item() is True


def test_the_filling_can_be_turned_off(lib: Any) -> None:
    settings = lib.utils.deterministic
    assert settings.fill_uninitialized_memory is True
    settings.fill_uninitialized_memory = False
    assert settings.fill_uninitialized_memory is False
    lib.empty(2)
    with pytest.raises((TypeError, RuntimeError), match="expected a bool"):
        settings.fill_uninitialized_memory = "yes"
