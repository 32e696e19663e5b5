"""Helpers for these tests: double-precision tensors, in either library."""

from __future__ import annotations

from typing import Any


def numbers(lib: Any, *values: float, **options: Any) -> Any:
    """A vector of these numbers."""
    return lib.tensor(list(values), dtype=lib.float64, **options)


def scalar(lib: Any, value: float, **options: Any) -> Any:
    """A tensor with one number and no dimensions."""
    return lib.tensor(value, dtype=lib.float64, **options)


def rows(lib: Any, count: int = 2, size: int = 3, **options: Any) -> Any:
    """A matrix that counts from 0."""
    return lib.arange(count * size, dtype=lib.float64, **options).reshape(count, size)


def cubes(x: Any) -> Any:
    """x³, added up: its gradient is 3x²."""
    return (x**3).sum()
