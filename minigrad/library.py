"""Ops of one's own, with PyTorch's names: a function of tensors becomes an op, and gets its rules one by one.

>>> import minigrad as mg
>>> from minigrad import library
>>> @library.custom_op("mine::triple", mutates_args=())
... def triple(x: mg.Tensor) -> mg.Tensor:
...     return x * 3
>>> triple.register_autograd(lambda ctx, grad: grad * 3)
>>> x = mg.ones(2, requires_grad=True)
>>> mg.ops.mine.triple(x).sum().backward()
>>> x.grad
tensor([3., 3.])
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from . import ops
from .autograd.function import Function
from .core.state import STATE
from .core.tensor import Tensor
from .errors import ArgumentTypeError, GradError, MissingRuleError
from .ops.shape.join import stack
from .tags import Tag

__all__ = [
    "CustomOpDef", "Library", "Tag", "custom_op", "define", "impl", "impl_abstract", "register_autograd",
    "register_fake", "register_kernel", "register_vmap",
]  # fmt: skip


OPS: dict[str, CustomOpDef] = {}
"""The custom ops, by name."""


class CustomOpDef:
    """An op made by `custom_op` or `define`. It is called like the function that computes it."""

    def __init__(self, name: str, function: Callable[..., Any], mutates: bool = False) -> None:
        functools.update_wrapper(self, function)
        self._name, self._function, self._mutates = name, function, mutates
        self._backward: Callable[..., Any] | None = None
        self._setup_context: Callable[..., Any] | None = None
        self._vmap: Callable[..., Any] = functools.partial(_one_by_one, self)
        self._rules = rules_of(self)
        OPS[name] = self
        namespace, _, own = name.partition("::")
        if not hasattr(ops, namespace):
            setattr(ops, namespace, SimpleNamespace())
        setattr(getattr(ops, namespace), own, self)

    @property
    def default(self) -> CustomOpDef:
        """The op itself: it has no overloads."""
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        moving = any(isinstance(each, Tensor) and each.requires_grad for each in (*args, *kwargs.values()))
        if self._mutates or not (moving or STATE.mode.interpreters):
            return self._function(*args, **kwargs)
        bound = inspect.signature(self._function).bind(*args, **kwargs)
        bound.apply_defaults()
        return self._rules.apply(bound.kwargs, *bound.args)

    def register_autograd(
        self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None
    ) -> None:
        """Register ``backward(ctx, *grads)``; ``setup_context(ctx, inputs, output)`` saves what it needs.

        If the op has keyword-only arguments, ``setup_context`` also takes them, as `keyword_only_inputs`.
        """
        self._backward, self._setup_context = backward, setup_context

    def register_vmap(self, func: Callable[..., Any] | None = None, /) -> Any:
        """Register ``func(info, in_dims, *args)``, which computes many examples and returns (outputs, out_dims).

        Without it, vmap calls the op once for each example.
        """

        def register(given: Callable[..., Any]) -> Callable[..., Any]:
            self._vmap = given
            return given

        if func is None:
            return register
        self._vmap = func
        return None

    def register_fake(self, fn: Callable[..., Any], /) -> Callable[..., Any]:
        """Do nothing, since no tensors are traced without elements. Return `fn`."""
        return fn

    def register_kernel(self, device_types: Any, fn: Callable[..., Any] | None = None, /) -> Any:
        """Register a function for these types of devices; only "cpu" and "default" are used."""
        if fn is None:
            return lambda given: self.register_kernel(device_types, given)
        kinds = [device_types] if isinstance(device_types, (str, type(None))) else list(device_types)
        if any(each is None or each.lower() in ("cpu", "default") or each.startswith("Composite") for each in kinds):
            self._function = fn
        return fn

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._name})>"


def rules_of(op: CustomOpDef) -> type[Function]:
    """Return a `Function` that computes `op`, and looks up its rules when they are needed."""

    def forward(named: dict[str, Any], *args: Any) -> Any:
        return op._function(*args, **named)

    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        if op._setup_context is not None:
            named, *args = inputs
            more = {"keyword_only_inputs": named} if named else {}
            op._setup_context(ctx, tuple(args), output=output, **more)

    def backward(ctx: Any, *grads: Any) -> Any:
        if op._backward is None:
            raise GradError(
                f"Trying to backward through {op._name} but no autograd formula was registered. Please use "
                "register_autograd to add one."
            )
        found = op._backward(ctx, *grads)
        return (None, *(found if isinstance(found, (tuple, list)) else (found,)))

    def vmap(info: Any, in_dims: Any, named: dict[str, Any], *args: Any) -> Any:
        return op._vmap(info, in_dims[1:], *args, **named)

    rules = {each.__name__: staticmethod(each) for each in (forward, setup_context, backward, vmap)}
    return type(f"GeneratedBackwardFor_{op._name.replace('::', '_')}_default", (Function,), rules)


def _one_by_one(op: CustomOpDef, info: Any, in_dims: Any, *args: Any, **named: Any) -> Any:
    """Call `op` for each example, and stack what it returns."""
    rows = [
        [each if dim is None else each.select(dim, number) for each, dim in zip(args, in_dims, strict=True)]
        for number in range(info.batch_size)
    ]
    made = [op(*row, **named) for row in rows]
    if isinstance(made[0], tuple):
        return tuple(stack(each) for each in zip(*made, strict=True)), (0,) * len(made[0])
    return stack(made), 0


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

    It is also found as ``minigrad.ops.namespace.op``. An op that changes arguments (`mutates_args`) has no derivative.
    """
    _check_name("custom_op", name)
    if fn is None:
        return lambda given: CustomOpDef(name, given, bool(mutates_args))
    return CustomOpDef(name, fn, bool(mutates_args))


def define(qualname: str, schema: str, *, lib: Any = None, tags: Any = ()) -> None:
    """Make an op called `qualname`, ``"namespace::op"``; `impl` gives it the function that computes it."""
    _check_name("define", qualname)

    def missing(*args: Any, **kwargs: Any) -> Any:
        raise MissingRuleError(f"{qualname} has no function that computes it: give it one with library.impl")

    CustomOpDef(qualname, missing, "!" in schema)


def impl(qualname: Any, types: Any, func: Callable[..., Any] | None = None, *, lib: Any = None) -> Any:
    """Register the function that computes an op on these types of devices; a decorator if `func` is not given."""
    return _op(qualname).register_kernel(types, func)


class Library:
    """The ops of one namespace `ns`, made and computed by `define` and `impl`."""

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Make the op of `schema`, ``"op(Tensor x) -> Tensor"``. Return its name."""
        name = schema.partition("(")[0].strip()
        define(f"{self.ns}::{name}", schema, tags=tags)
        return name

    def impl(self, op_name: str, fn: Callable[..., Any], dispatch_key: str = "", **ignored: Any) -> None:
        """Register the function that computes the op `op_name`."""
        impl(f"{self.ns}::{op_name}", dispatch_key or self.dispatch_key or "default", fn)


def _check_name(function: str, name: str) -> None:
    if "::" not in name:
        raise ArgumentTypeError(f'{function}(): the name {name!r} needs a namespace: write "mine::{name}"')


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


def register_vmap(op: Any, func: Callable[..., Any] | None = None, /, *, lib: Any = None) -> Any:
    """Call `CustomOpDef.register_vmap` of an op, given by itself or by name."""
    return _op(op).register_vmap(func)


def register_fake(op: Any, func: Callable[..., Any] | None = None, /, **ignored: Any) -> Any:
    """Do nothing, since no tensors are traced without elements."""
    return (lambda given: given) if func is None else func


impl_abstract = register_fake


def register_kernel(op: Any, device_types: Any, func: Callable[..., Any] | None = None, /, **ignored: Any) -> Any:
    """Call `CustomOpDef.register_kernel` of an op, given by itself or by name."""
    return _op(op).register_kernel(device_types, func)
