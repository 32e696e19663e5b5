"""`custom_op` makes an op of a Python function; its derivative is registered on it, as in PyTorch."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .autograd.function import Function
from .errors import ArgumentTypeError

__all__ = ["CustomOpDef", "custom_op", "register_autograd", "register_fake", "register_kernel"]


class CustomOpDef:
    """An op made by `custom_op`. It is called like the function it was made of."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._name, self._function = name, function
        self._differentiable: type[Function] | None = None
        OPS[name] = self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._differentiable is None:
            return self._function(*args, **kwargs)
        if kwargs:
            import inspect

            bound = inspect.signature(self._function).bind(*args, **kwargs)
            bound.apply_defaults()
            args = bound.args
        return self._differentiable.apply(*args)

    def register_autograd(
        self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None
    ) -> None:
        """Register ``backward(ctx, *grads)``; ``setup_context(ctx, inputs, output)`` saves what it needs."""
        own = self._function

        class Made(Function):
            @staticmethod
            def forward(*args: Any) -> Any:
                return own(*args)

            @staticmethod
            def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
                if setup_context is not None:
                    setup_context(ctx, inputs, output)

        Made.__name__ = Made.__qualname__ = self._name.rpartition("::")[2]
        Made.backward = staticmethod(backward)  # type: ignore[method-assign]
        self._differentiable = Made

    def register_fake(self, fn: Callable[..., Any], /) -> Callable[..., Any]:
        """Do nothing, since no tensors are traced without elements. Return `fn`."""
        return fn

    def register_kernel(self, device_types: Any, fn: Callable[..., Any] | None = None, /) -> Any:
        """Register a function for these types of devices; only "cpu" is used."""
        if fn is None:
            return lambda given: self.register_kernel(device_types, given)
        kinds = [device_types] if isinstance(device_types, (str, type(None))) else list(device_types)
        if None in kinds or "cpu" in kinds:
            self._function = fn
        return fn

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._name})>"


OPS: dict[str, CustomOpDef] = {}
"""The custom ops, by name."""


def custom_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: Any = (),
    device_types: Any = None,
    schema: str | None = None,
    tags: Any = None,
) -> Any:
    """Make an op called `name`, ``"namespace::op"``, of a function of tensors; a decorator if `fn` is not given.

    >>> import minigrad as mg
    >>> @custom_op("mine::triple", mutates_args=())
    ... def triple(x: mg.Tensor) -> mg.Tensor:
    ...     return x * 3
    >>> triple.register_autograd(lambda ctx, grad: grad * 3)
    >>> x = mg.ones(2, requires_grad=True)
    >>> triple(x).sum().backward()
    >>> x.grad
    tensor([3., 3.])
    """
    if "::" not in name:
        raise ArgumentTypeError(f'custom_op(): the name {name!r} needs a namespace: write "mine::{name}"')
    if fn is None:
        return lambda given: CustomOpDef(name, given)
    return CustomOpDef(name, fn)


def _op(op: Any) -> CustomOpDef:
    if isinstance(op, CustomOpDef):
        return op
    if op not in OPS:
        raise ArgumentTypeError(f"there is no op {op!r}: make it with custom_op first")
    return OPS[op]


def register_autograd(
    op: Any, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None, lib: Any = None
) -> None:
    """Call `CustomOpDef.register_autograd` of an op, given by itself or by name."""
    _op(op).register_autograd(backward, setup_context=setup_context)


def register_fake(op: Any, func: Callable[..., Any] | None = None, /, **ignored: Any) -> Any:
    """Do nothing, since no tensors are traced without elements."""
    return (lambda given: given) if func is None else func


def register_kernel(op: Any, device_types: Any, func: Callable[..., Any] | None = None, /, **ignored: Any) -> Any:
    """Call `CustomOpDef.register_kernel` of an op, given by itself or by name."""
    return _op(op).register_kernel(device_types, func)
