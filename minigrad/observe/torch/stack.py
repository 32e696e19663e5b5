"""Keep our function mode below the program's own modes on PyTorch's stack, and find out whether PyTorch compiles."""

from __future__ import annotations

from typing import Any

import torch

overrides: Any = torch.overrides


def _stack() -> list[Any]:
    return [overrides._pop_mode() for _ in range(overrides._len_torch_function_stack())]


def _push(stack: list[Any]) -> None:
    for mode in reversed(stack):
        overrides._push_mode(mode)


def put_on(mode: Any) -> None:
    """Put `mode` below all modes of the program, so that each of them is on top when it ends."""
    stack = _stack()
    if not any(each is mode for each in stack):
        device = bool(stack) and type(stack[-1]).__name__ == "DeviceContext"  # must be at the bottom
        stack.insert(len(stack) - device, mode)
    _push(stack)


def take_off(mode: Any) -> None:
    """Remove `mode` from the stack, wherever it is."""
    _push([each for each in _stack() if each is not mode])


def is_compiling() -> bool:
    """Whether PyTorch compiles: then the calls are tracing, and not the program's own."""
    return bool(torch.compiler.is_compiling()) or _is_tracing()


def _nobody() -> None:
    return None


_tracing: Any = getattr(getattr(getattr(torch, "_guards", None), "TracingContext", None), "try_get", _nobody)


def _is_tracing() -> bool:
    """Whether PyTorch traces a graph: PyTorch 2.4 does so without reporting that it compiles."""
    return _tracing() is not None


def is_fake(value: Any) -> bool:
    """Whether `value` is a placeholder for a tensor, used while PyTorch traces a graph."""
    return type(value).__name__ in ("FakeTensor", "FunctionalTensor")
