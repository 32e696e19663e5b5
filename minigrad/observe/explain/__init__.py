"""Explanations in words: why a gradient is None or how it came to be, and what an op computes."""

from __future__ import annotations

from .explanation import Explanation, explain

__all__ = ["Explanation", "explain"]
