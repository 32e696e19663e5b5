"""Deprecated arguments that PyTorch still accepts with a warning, attached to the core from here."""

from __future__ import annotations

import warnings
from typing import Any

from ..core.scope import Scope, decorate


def decorate_class(scope: Scope, cls: Any) -> Any:
    """``@no_grad()`` on a class: its constructor runs in the mode, and nothing else does."""
    warnings.warn(
        "Decorating classes is deprecated and will be disabled in future versions. You should only decorate "
        "functions or methods; here only the constructor runs in the mode.",
        FutureWarning,
        stacklevel=4,
    )
    cls.__init__ = decorate(scope, cls.__init__)
    return cls


Scope.decorate_class = decorate_class  # type: ignore[assignment]
