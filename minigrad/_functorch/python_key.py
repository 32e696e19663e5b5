"""Tracing, which there is not."""

from __future__ import annotations

from typing import Any, NoReturn

from ..errors import MissingRuleError


def make_fx(f: Any, *args: Any, **settings: Any) -> NoReturn:
    """NotImplementedError: there is no compiler, so no program is traced."""
    raise MissingRuleError("make_fx: minigrad has no compiler and traces no programs. `minigrad.observe` records them.")
