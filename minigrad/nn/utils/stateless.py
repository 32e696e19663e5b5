"""The former import path of `func.functional_call`, which calls a module with other parameters."""

from __future__ import annotations

from ...func.modules import functional_call

__all__ = ["functional_call"]
