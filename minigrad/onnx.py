"""The names of ``torch.onnx``: minigrad has no exporter, and says what to do instead."""

from __future__ import annotations

from typing import Any, NoReturn

from .errors import MissingRuleError

__all__ = ["export", "is_in_onnx_export"]


def export(model: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Raise MissingRuleError, which says how to export with PyTorch."""
    raise MissingRuleError(
        "minigrad exports no ONNX files. Save module.state_dict() with minigrad.save, load it in PyTorch into the same "
        "module, and export it there."
    )


def is_in_onnx_export() -> bool:
    """Whether a program is being exported: never."""
    return False
