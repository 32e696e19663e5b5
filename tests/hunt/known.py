"""Differences that stay, each with its reason in ``minigrad/autograd/DIFFERENCES.md``."""

from __future__ import annotations

from collections.abc import Callable

from .compare import Difference

KNOWN: dict[str, Callable[[Difference], bool]] = {}
"""By the heading of its row in the table: whether a difference is that one."""


def reason(found: Difference) -> str | None:
    """The heading of the row that explains the difference, None where none does."""
    return next((heading for heading, fits in KNOWN.items() if fits(found)), None)
