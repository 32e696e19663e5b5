"""Modules that call a function with settings."""

from __future__ import annotations

from typing import Any

from .module import Module


class Configured(Module):
    """Calls a function of `nn.functional` or of tensors; its settings are attributes of the same names."""

    settings: tuple[str, ...] = ()
    shown: tuple[str, ...] | None = None
    """The settings that are printed; None for all."""

    def keep(self, *values: Any) -> None:
        for name, value in zip(self.settings, values, strict=True):
            setattr(self, name, value)

    def extra_repr(self) -> str:
        names = self.settings if self.shown is None else self.shown
        parts = [f"{name}={getattr(self, name)!r}" for name in names]
        if getattr(self, "inplace", False):
            parts.append("inplace=True")
        return ", ".join(parts)
