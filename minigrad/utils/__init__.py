"""What training needs besides the core: data, checkpointing, saving and loading. Each is imported when first named."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

MODULES = ("checkpoint", "data", "serialization")


if TYPE_CHECKING:
    from . import checkpoint, data, safetensors, serialization
else:

    def __getattr__(name: str) -> Any:
        if name in MODULES:
            return importlib.import_module("." + name, __name__)
        raise AttributeError(f"module 'minigrad.utils' has no attribute {name!r}; it has {', '.join(MODULES)}")


def __dir__() -> list[str]:
    return [*MODULES]
