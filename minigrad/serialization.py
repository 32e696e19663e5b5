"""The names of ``torch.serialization``. Pickles are never read, so no classes need to be allowed."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .absent import absent_from
from .utils.serialization import load, save

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "MAP_LOCATION", "SourceChangeWarning", "add_safe_globals", "clear_safe_globals", "get_safe_globals", "load",
    "safe_globals", "save",
]  # fmt: skip

MAP_LOCATION = Any
"""The types that `load` accepts as `map_location`, for annotations."""


class SourceChangeWarning(Warning):
    """A warning of PyTorch's `load`, for programs that filter it."""


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Do nothing: `load` creates only tensors and Python's basic types."""


def get_safe_globals() -> list[Any]:
    """Return an empty list: none are needed."""
    return []


def clear_safe_globals() -> None:
    """Do nothing: none are stored."""


@contextmanager
def safe_globals(safe_globals: list[Any]) -> Iterator[None]:
    """A context without effect."""
    yield


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        raise absent_from(__name__, name)
