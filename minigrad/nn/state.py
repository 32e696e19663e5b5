"""Modules in and out of state dicts, their printed form, and where ``module.to(...)`` leads."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import dtypes
from ..backend import device
from ..core.grad_mode import no_grad
from ..core.tensor import Tensor
from ..errors import ArgumentTypeError, StateError
from ..ops.create.factories import as_tensor
from ..utils.serialization import from_torch
from .parameter import Parameter
from .uninitialized import Uninitialized

if TYPE_CHECKING:
    from .module import Module


class IncompatibleKeys(NamedTuple):
    """What `load_state_dict` could not match."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


def _slots(module: Module) -> Iterable[tuple[str, dict[str, Any], str]]:
    """(path, registry, name) of everything that belongs in the state dict; shared tensors under each of their paths."""
    for path, each in module.named_modules(remove_duplicate=False):
        prefix = path + "." if path else ""
        for name, parameter in each._parameters.items():
            if parameter is not None:
                yield prefix + name, each._parameters, name
        for name, buffer in each._buffers.items():
            if buffer is not None and name not in each._transient:
                yield prefix + name, each._buffers, name


def state_dict(module: Module, destination: dict[str, Any], prefix: str, keep_vars: bool) -> dict[str, Any]:
    """Fill `destination` with the tensors of `module` by path."""
    for path, registry, name in _slots(module):
        tensor = registry[name]
        destination[prefix + path] = tensor if keep_vars else tensor.detach()
    return destination


def load_state_dict(module: Module, given: Mapping[str, Any], strict: bool, assign: bool) -> IncompatibleKeys:
    """Put the values of `given` into `module`; either all that fit, or, on an error, none."""
    if not isinstance(given, Mapping):
        raise ArgumentTypeError(f"Expected state_dict to be dict-like, got {type(given).__name__}.")
    slots = {path: (registry, name) for path, registry, name in _slots(module)}
    missing = [path for path in slots if path not in given]
    unexpected = [path for path in given if path not in slots]
    problems = _key_problems(missing, unexpected) if strict else []
    values = {}
    for path in slots:
        if path in given:
            registry, name = slots[path]
            values[path] = value = _value(path, given[path])
            if isinstance(registry[name], Uninitialized):
                continue
            wanted, found = registry[name]._array.shape, value._array.shape
            if wanted != found:
                problems.append(
                    f"size mismatch for {path}: copying a param with shape {list(found)} from checkpoint, "
                    f"the shape in current model is {list(wanted)}."
                )
    if problems:
        listed = "\n\t".join(problems)
        raise StateError(f"Error(s) in loading state_dict for {type(module).__name__}:\n\t{listed}")
    with no_grad():
        for path, value in values.items():
            registry, name = slots[path]
            if isinstance(registry[name], Uninitialized):
                registry[name].materialize(value._array.shape)
            if assign:
                registry[name] = _assigned(registry[name], value)
            else:
                registry[name].copy_(value)
    return IncompatibleKeys(missing, unexpected)


def _value(path: str, value: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value.detach()
    if type(value).__module__.partition(".")[0] == "torch":
        return from_torch(value)
    if not hasattr(value, "__array__") and not hasattr(value, "__dlpack__"):
        raise ArgumentTypeError(f"While copying '{path}': expected a tensor or an array, got {type(value).__name__}")
    return as_tensor(value)


def _assigned(before: Any, value: Tensor) -> Tensor:
    return Parameter(value, before.requires_grad) if isinstance(before, Parameter) else value


def _key_problems(missing: list[str], unexpected: list[str]) -> list[str]:
    problems = []
    if unexpected:
        problems.append(f"Unexpected key(s) in state_dict: {_quoted(unexpected)}.{_hint(unexpected, missing)}")
    if missing:
        problems.append(f"Missing key(s) in state_dict: {_quoted(missing)}.")
    return problems


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _hint(unexpected: list[str], missing: list[str]) -> str:
    """What may have happened: a wrapper's prefix, or a changed name."""
    for prefix in ("module.", "_orig_mod."):
        if all(name.startswith(prefix) for name in unexpected):
            return (
                f" All of these begin with '{prefix}', from a wrapper around the saved model: strip it from the keys."
            )
    for name in unexpected:
        near = difflib.get_close_matches(name, missing, n=1)
        if near:
            return f' Was "{name}" meant to be "{near[0]}"?'
    return ""


def zero(grad: Tensor) -> None:
    """Take `grad` out of its graph, where it has one, and set it to zero in place."""
    grad.detach_()
    grad.zero_()


# Where to -------------------------------------------------------------------------------------------------------------


def destination(*args: Any, **kwargs: Any) -> tuple[device | None, dtypes.dtype | None]:
    """What ``to(device)``, ``to(dtype)``, ``to(device, dtype)`` or ``to(tensor)`` asks for; None: as it is."""
    where, kind = kwargs.pop("device", None), kwargs.pop("dtype", None)
    kwargs.pop("non_blocking", None)
    if kwargs:
        raise ArgumentTypeError(f"to() got an unexpected keyword argument '{next(iter(kwargs))}'")
    for argument in args:
        if isinstance(argument, Tensor):
            where, kind = argument.device, argument.dtype
        elif isinstance(argument, (str, device)):
            where = argument
        elif argument is not None and not isinstance(argument, bool):
            kind = argument
    kind = None if kind is None else dtypes.as_dtype(kind)
    if kind is not None and not kind.is_differentiable:
        raise ArgumentTypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got {kind}")
    return None if where is None else device(where), kind


# Printing -------------------------------------------------------------------------------------------------------------


def describe(module: Module) -> str:
    """The module and what it is made of, one child a line; equal neighbours in a list are folded into one."""
    lines = module.extra_repr().split("\n") if module.extra_repr() else []
    children = [_child_line(name, repr(child)) for name, child in module._modules.items()]
    if module.folds_in_repr:
        children = _folded([(name, repr(child)) for name, child in module._modules.items()])
    if not lines and not children:
        return f"{module._get_name()}()"
    if len(lines) == 1 and not children:
        return f"{module._get_name()}({lines[0]})"
    return f"{module._get_name()}(\n  " + "\n  ".join(lines + children) + "\n)"


def _child_line(name: str, text: str) -> str:
    return f"({name}): " + text.replace("\n", "\n  ")


def _folded(children: list[tuple[str, str]]) -> list[str]:
    """Runs of equal children as ``(0-2): 3 x Linear(...)``."""
    lines = []
    start = 0
    for end in range(1, len(children) + 1):
        if end < len(children) and children[end][1] == children[start][1]:
            continue
        name, text = children[start]
        if end - start > 1:
            name, text = f"{name}-{children[end - 1][0]}", f"{end - start} x {text}"
        lines.append(_child_line(name, text))
        start = end
    return lines
