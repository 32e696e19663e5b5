"""The grad modes, at PyTorch's import path ``minigrad.autograd.grad_mode``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..core.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
from ..core.scope import F, Scope
from ..core.state import STATE, Mode
from ..core.tensor import Tensor

__all__ = [
    "enable_grad",
    "enforce_grad_layout_policy",
    "inference_mode",
    "is_multithreading_enabled",
    "no_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
]


def is_multithreading_enabled() -> bool:
    """Return the last setting of `set_multithreading_enabled` in this thread."""
    return STATE.mode.multithreading


class set_multithreading_enabled(Scope):
    """Accepted for compatibility with PyTorch, as a function, context or decorator, without effect. The engine always
    runs on the calling thread: one thread gives the same order, and the same rounding, on every run.
    """

    def __init__(self, mode: bool) -> None:
        before = STATE.mode
        self.previous = before.multithreading
        self.mode = bool(mode)
        STATE.mode = before.but(multithreading=self.mode)

    def changes(self, mode: Mode) -> dict[str, Any]:
        return {"multithreading": self.mode}

    def restored(self, mode: Mode, before: Mode) -> dict[str, Any]:
        return {"multithreading": self.previous}

    def __call__(self, function: F) -> F:
        STATE.mode = STATE.mode.but(multithreading=self.previous)
        return super().__call__(function)


class enforce_grad_layout_policy(Scope):
    """Accepted for compatibility, without effect: a gradient always has the layout of its leaf."""

    def __init__(self, enable: bool = True) -> None:
        self.enable = bool(enable)

    def changes(self, mode: Mode) -> dict[str, Any]:
        return {}

    def restored(self, mode: Mode, before: Mode) -> dict[str, Any]:
        return {}


@contextmanager
def _unsafe_preserve_version_counter(tensors: Tensor | Sequence[Tensor]) -> Iterator[None]:
    """Restore the versions of `tensors` at the end. Autograd misses in-place changes inside: gradients may be wrong."""
    chosen = (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)
    before = [each._storage.version for each in chosen]
    try:
        yield
    finally:
        for each, version in zip(chosen, before, strict=True):
            each._storage.version = version
