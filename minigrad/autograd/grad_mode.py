"""The modes, where PyTorch has them: ``minigrad.autograd.grad_mode``."""

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
    """The last setting of `set_multithreading_enabled` in this thread."""
    return STATE.mode.multithreading


class set_multithreading_enabled(Scope):
    """Accepted as in PyTorch: a function, a context, a decorator. The engine runs on the calling thread anyway:
    one thread gives the same order, and the same rounding, on every run.
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
    """Accepted as in PyTorch: a function, a context, a decorator. A gradient is laid out as its leaf in any case."""

    def __init__(self, enable: bool = True) -> None:
        self.enable = bool(enable)

    def changes(self, mode: Mode) -> dict[str, Any]:
        return {}

    def restored(self, mode: Mode, before: Mode) -> dict[str, Any]:
        return {}


@contextmanager
def _unsafe_preserve_version_counter(tensors: Tensor | Sequence[Tensor]) -> Iterator[None]:
    """Writes inside leave no trace: the versions are afterwards what they were. A wrong gradient is then your own."""
    chosen = (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)
    before = [each._storage.version for each in chosen]
    try:
        yield
    finally:
        for each, version in zip(chosen, before, strict=True):
            each._storage.version = version
