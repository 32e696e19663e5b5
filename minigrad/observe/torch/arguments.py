"""Sort the arguments of a call into named inputs and settings."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

import torch

from ...core.declared import REGISTRY
from .ops import bare, op_of

UNSAID = frozenset({"out", "generator", "memory_format", "layout", "pin_memory", "_stacklevel"})
"""Arguments that do not change what is computed."""

SPREAD = frozenset(("view", "reshape", "permute", "expand", "repeat", "tile", "flip", "movedim"))
"""Functions that take a list as separate arguments, such as ``x.view(2, 3)``."""

_cache: dict[tuple[str, tuple[Any, ...]], Signature | None] = {}


class Signature(NamedTuple):
    """The names of a function's arguments, and which of them take tensors."""

    names: tuple[str, ...]
    tensors: frozenset[str]


class Arguments(NamedTuple):
    """The arguments of a call."""

    op: str
    inputs: list[tuple[str, Any]]
    """Tensors, and other arguments that minigrad's op calls inputs, in its order."""
    settings: dict[str, Any]


def read(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
    """Sort the arguments of a call of `func`."""
    name = getattr(func, "__name__", "") or type(func).__name__
    if name == "__get__":
        name = func.__self__.__name__
    if len(args) > 2 and bare(name) in SPREAD and all(type(each) is int for each in args[1:]):
        args = (args[0], list(args[1:]))  # x.view(2, 3)
    op = op_of(name, args)
    signature = signature_of(name, args, kwargs)
    bound = _bound(signature, args, kwargs)
    kind = REGISTRY.get(op)
    named = [each.lstrip("*") for each in getattr(kind, "inputs_named", ())]
    taking = [key for key in bound if key in signature.tensors or holds_tensor(bound[key])]
    if named and len(taking) < len(named):
        taking = list(bound)[: len(named)]
    elif named:
        taking = taking[: len(named)]
    inputs: list[tuple[str, Any]] = []
    for index, key in enumerate(taking):
        called = named[index] if index < len(named) else key
        value = bound.pop(key)
        if isinstance(value, (tuple, list)):
            inputs += [(f"{called}[{i}]", each) for i, each in enumerate(value) if isinstance(each, torch.Tensor)]
        elif value is not None or index < len(named):
            inputs.append((called, value))
    settings = {key: value for key, value in bound.items() if key not in UNSAID and value is not None}
    return Arguments(op, inputs, settings)


def holds_tensor(value: Any) -> bool:
    """Whether `value` is a tensor or a list of tensors."""
    if isinstance(value, torch.Tensor):
        return True
    return isinstance(value, (tuple, list)) and bool(value) and isinstance(value[0], torch.Tensor)


def _bound(signature: Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    names = signature.names
    bound = {names[i] if i < len(names) else f"arg{i}": value for i, value in enumerate(args)}
    return {**bound, **kwargs}


def signature_of(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Signature:
    """The signature from the first schema of that name that accepts such arguments."""
    kinds = tuple("t" if holds_tensor(each) else type(each).__name__ for each in args)
    key = name, (*kinds, *sorted(kwargs))
    found = _cache.get(key)
    if found is None:
        found = _cache[key] = _looked_up(name, kinds, kwargs)
    return found


def _looked_up(name: str, kinds: tuple[str, ...], kwargs: dict[str, Any]) -> Signature:
    for schema in _schemas(name):
        names = tuple(each.name for each in schema.arguments)
        tensors = [each.name for each in schema.arguments if "Tensor" in str(each.type)]
        if len(kinds) > len(names) or not set(kwargs) <= {*names, *UNSAID}:
            continue
        if all((kind != "t") or names[i] in tensors for i, kind in enumerate(kinds)) and not any(
            kind not in ("t", "NoneType", "list", "tuple") and names[i] in tensors for i, kind in enumerate(kinds)
        ):
            return Signature(names, frozenset(tensors))
    return Signature(("input", "other", *(f"arg{i}" for i in range(2, 32))), frozenset())


def _schemas(name: str) -> list[Any]:
    find = getattr(torch._C, "_jit_get_schemas_for_operator", None)
    if find is None:
        return []
    found: list[Any] = []
    for called in dict.fromkeys((name, bare(name))):
        found += find(f"aten::{called}")
    return found


def parameters_of(function: Any) -> list[str]:
    """The names of the inputs in the forward of a user's Function."""
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []
    return names[1:] if names[:1] == ["ctx"] else names
