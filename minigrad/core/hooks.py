"""Hooks: users' functions that observe a gradient and may replace it.

A tensor hook gets the tensor's gradient. A node's pre-hook gets the gradients of its outputs, its post-hook those of
its inputs. A post-accumulate hook gets a leaf whose ``.grad`` has just been added to. The engine runs them; this file
says what they get, what they may return, and how to remove one.

>>> import minigrad as mg
>>> x = mg.ones(2, requires_grad=True)
>>> with x.register_hook(lambda grad: grad * 10):
...     (x * 3).sum().backward()
>>> x.grad
tensor([30., 30.])
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import events
from ..errors import ArgumentTypeError, GradError, ShapeError
from ..events import LISTENERS, emit

if TYPE_CHECKING:
    from .graph import Node
    from .tensor import Tensor

Hooks = dict[int, Callable[..., Any]]


class RemovableHandle:
    """Removes its hook when `remove` is called, or at the end of a ``with`` block."""

    _next_id = itertools.count().__next__

    def __init__(self, hooks: Hooks) -> None:
        self.id = self._next_id()
        self._hooks = hooks

    def remove(self) -> None:
        """Remove the hook. A second call does nothing."""
        self._hooks.pop(self.id, None)

    def hooks_dict_ref(self) -> Hooks:
        """The dictionary of hooks that contains this one."""
        return self._hooks

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.remove()


def add_hook(hooks: Hooks, hook: Callable[..., Any]) -> RemovableHandle:
    """Append `hook` and return its handle; hooks run in the order in which they were added."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def hook_name(hook: Any) -> str:
    """Return a hook's name for error texts."""
    return getattr(hook, "__name__", type(hook).__name__)


def run_tensor_hooks(hooks: Hooks, grad: Tensor | None, target: Any) -> Any:
    """Pass `grad` (None if none has arrived) through each hook in turn; what a hook returns replaces it."""
    for hook in tuple(hooks.values()):
        result = hook(grad)
        before = grad
        if result is not None:
            grad = checked_replacement(hook, grad, result)
        if LISTENERS:
            emit(events.HookRan("tensor", hook, target, before, grad))
    return grad


def checked_replacement(hook: Any, grad: Tensor | None, result: Any) -> Any:
    """Return `result` if it may replace `grad`: a tensor of the same shape and dtype. Otherwise raise."""
    if not hasattr(result, "_array"):
        raise ArgumentTypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
    if grad is None:
        raise GradError(f"can't replace a None gradient with a non-None value (hook '{hook_name(hook)}')")
    if result._array.shape != grad._array.shape:
        raise ShapeError(
            f"hook '{hook_name(hook)}' has changed the size of value: "
            f"it got {list(grad._array.shape)} and returned {list(result._array.shape)}."
        )
    if result._array.dtype != grad._array.dtype:
        raise GradError(
            f"hook '{hook_name(hook)}' has changed the type of value: "
            f"it got {grad._array.dtype} and returned {result._array.dtype}."
        )
    return result


def run_post_accumulate_hooks(hooks: Hooks, leaf: Tensor) -> None:
    """Call each hook with the leaf, after its ``.grad`` was updated."""
    for hook in tuple(hooks.values()):
        result = hook(leaf)
        if result is not None and result is not leaf:
            if not hasattr(result, "_array"):
                raise ArgumentTypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
            raise GradError(
                "Tensor post accumulate grad hooks should return None. "
                f"Hook '{hook_name(hook)}' returned another tensor: change leaf.grad in place, or assign it, instead."
            )
        if LISTENERS:
            emit(events.HookRan("post_accumulate", hook, leaf, leaf._grad, leaf._grad))


def run_pre_hooks(node: Node, hooks: Hooks, grads: tuple[Any, ...]) -> tuple[Any, ...]:
    """Call each node pre-hook with the gradients of the outputs; what a hook returns replaces them."""
    for hook in tuple(hooks.values()):
        result = hook(grads)
        before = grads
        if result is not None:
            grads = _replaced(hook, grads, result)
        if LISTENERS:
            emit(events.HookRan("node_pre", hook, node, before, grads))
    return grads


def run_post_hooks(node: Node, hooks: Hooks, results: tuple[Any, ...], grads: tuple[Any, ...]) -> tuple[Any, ...]:
    """Call each node post-hook with the gradients of the inputs; what a hook returns replaces them."""
    for hook in tuple(hooks.values()):
        result = hook(results, grads)
        before = results
        if result is not None:
            results = _replaced(hook, results, result)
        if LISTENERS:
            emit(events.HookRan("node", hook, node, before, results))
    return results


def _replaced(hook: Any, grads: tuple[Any, ...], result: Any) -> tuple[Any, ...]:
    if not isinstance(result, tuple):
        raise ArgumentTypeError(
            f"expected tuple, but hook returned '{type(result).__name__}' (hook '{hook_name(hook)}'): a node's hook "
            "returns None, or a tuple with one gradient, or None for no gradient, in the place of each that it got."
        )
    if len(result) != len(grads):
        raise GradError(
            f"hook '{hook_name(hook)}' has returned an incorrect number of values "
            f"(got {len(result)}, but expected {len(grads)})"
        )
    return tuple(
        new if new is None or new is old else checked_replacement(hook, old, new)
        for old, new in zip(grads, result, strict=True)
    )
