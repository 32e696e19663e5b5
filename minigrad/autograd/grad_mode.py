"""The modes, where PyTorch has them: ``minigrad.autograd.grad_mode``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..core.grad_mode import (
    STATE,
    decorate,
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
)

__all__ = [
    "enable_grad",
    "inference_mode",
    "is_multithreading_enabled",
    "no_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
]

F = TypeVar("F", bound=Callable[..., Any])


def is_multithreading_enabled() -> bool:
    """What `set_multithreading_enabled` last said in this thread."""
    return STATE.multithreading


class set_multithreading_enabled:
    """Accepted as in PyTorch: a function, a context, a decorator. The engine runs on the calling thread anyway:
    one thread gives the same order, and the same rounding, on every run.
    """

    def __init__(self, mode: bool) -> None:
        self.before = STATE.multithreading
        self.mode = STATE.multithreading = bool(mode)

    def __enter__(self) -> None:
        """It has been set already."""

    def __exit__(self, *exception: Any) -> None:
        STATE.multithreading = self.before

    def __call__(self, function: F) -> F:
        STATE.multithreading = self.before
        return decorate(lambda: set_multithreading_enabled(self.mode), function)
