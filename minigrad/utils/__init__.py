"""Tools for training: data, checkpointing, saving and loading. Each module is imported at first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

MODULES = (
    "_pytree", "checkpoint", "cpp_extension", "data", "deterministic", "dlpack", "hooks", "model_zoo", "serialization",
    "tensorboard",
)  # fmt: skip


if TYPE_CHECKING:
    from . import (
        _pytree,
        checkpoint,
        cpp_extension,
        data,
        deterministic,
        dlpack,
        hooks,
        model_zoo,
        safetensors,
        serialization,
        tensorboard,
    )
else:

    def __getattr__(name: str) -> Any:
        if name in MODULES:
            return importlib.import_module("." + name, __name__)
        raise AttributeError(f"module 'minigrad.utils' has no attribute {name!r}; it has {', '.join(__dir__())}")


def __dir__() -> list[str]:
    return [name for name in MODULES if not name.startswith("_")]
