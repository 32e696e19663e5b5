"""`save` and `load` under the path ``torch.serialization``. No pickle is read, so there are no classes to allow."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .utils.serialization import load, save

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "MAP_LOCATION", "SourceChangeWarning", "add_safe_globals", "clear_safe_globals", "get_safe_globals", "load",
    "safe_globals", "save",
]  # fmt: skip

MAP_LOCATION = Any
"""The types `load` takes as `map_location`, for annotations."""


class SourceChangeWarning(Warning):
    """A warning of PyTorch's `load`, for programs that filter it."""


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Nothing: `load` makes no objects but tensors and what Python itself writes down."""


def get_safe_globals() -> list[Any]:
    """None are needed."""
    return []


def clear_safe_globals() -> None:
    """Nothing is kept."""


@contextmanager
def safe_globals(safe_globals: list[Any]) -> Iterator[None]:
    """A context that changes nothing."""
    yield
