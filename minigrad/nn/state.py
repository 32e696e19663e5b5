"""Modules in and out of state dicts, their printed form, and where ``module.to(...)`` leads."""

from __future__ import annotations

import difflib
from collections import OrderedDict
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


class StateDict(OrderedDict[str, Any]):
    """Tensors by path; ``_metadata`` has the version of each module."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._metadata: OrderedDict[str, dict[str, Any]] = OrderedDict()


def state_dict(module: Module, destination: Any, prefix: str, keep_vars: bool) -> Any:
    """Fill `destination` with the tensors of `module` and of those below it, by path; hooks of each run around it."""
    metadata = {"version": module._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = metadata
    hooks = module._hooks
    for hook in () if hooks is None else tuple(hooks.state_pre.values()):
        hook(module, prefix, keep_vars)
    for name, parameter in module._parameters.items():
        if parameter is not None:
            destination[prefix + name] = parameter if keep_vars else parameter.detach()
    for name, buffer in module._buffers.items():
        if buffer is not None and name not in module._transient:
            destination[prefix + name] = buffer if keep_vars else buffer.detach()
    if has_extra_state(module):
        destination[prefix + EXTRA] = module.get_extra_state()
    for name, child in module._modules.items():
        if child is not None:
            child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
    for hook in () if hooks is None else tuple(hooks.state.values()):
        result = hook(module, destination, prefix, metadata)
        destination = destination if result is None else result
    return destination


EXTRA = "_extra_state"
"""Under which name `get_extra_state` stands in a state dict."""


def has_extra_state(module: Module) -> bool:
    """Whether a module keeps more than tensors."""
    from .module import Module as Base

    return type(module).get_extra_state is not Base.get_extra_state


def takes_extra_state(module: Module) -> bool:
    """Whether its class takes more than tensors from a state dict."""
    from .module import Module as Base

    return type(module).set_extra_state is not Base.set_extra_state


def _before_load(module: Module, given: Any, metadata: Any, strict: bool) -> tuple[list[str], list[str], list[str]]:
    """Run the hooks that come before; what they wrote to the lists of missing and unexpected keys and of errors."""
    missing: list[str] = []
    unexpected: list[str] = []
    errors: list[str] = []
    for path, each in module.named_modules(remove_duplicate=False):
        for hook in () if each._hooks is None else tuple(each._hooks.load_pre.values()):
            prefix = path + "." if path else ""
            hook(each, given, prefix, metadata.get(path, {}), strict, missing, unexpected, errors)
    return missing, unexpected, errors


def _after_load(module: Module, keys: IncompatibleKeys) -> None:
    """Run the hooks that come after, of children before their parents."""
    for _, each in reversed(list(module.named_modules())):
        for hook in () if each._hooks is None else tuple(each._hooks.load.values()):
            if hook(each, keys) is not None:
                raise StateError(
                    "Hooks registered with `register_load_state_dict_post_hook` are not expected to return new values: "
                    "change the lists in place."
                )


def load_state_dict(module: Module, given: Mapping[str, Any], strict: bool, assign: bool) -> IncompatibleKeys:
    """Put the values of `given` into `module`; either all that fit, or, on an error, none."""
    if not isinstance(given, Mapping):
        raise ArgumentTypeError(f"Expected state_dict to be dict-like, got {type(given).__name__}.")
    metadata = getattr(given, "_metadata", {})
    given = dict(given)
    for path, each in module.named_modules(remove_duplicate=False):
        each._complete_older(given, path + "." if path else "", metadata.get(path, {}).get("version"))
    missing, unexpected, problems = _before_load(module, given, metadata, strict)
    slots = {path: (registry, name) for path, registry, name in _slots(module)}
    extras = {
        (path + "." if path else "") + EXTRA: each
        for path, each in module.named_modules()
        if has_extra_state(each) or takes_extra_state(each)
    }
    takes = {path for path, each in extras.items() if takes_extra_state(each)}
    missing += [path for path in (*slots, *takes) if path not in given]
    unexpected += [path for path in given if path not in slots and path not in takes]
    keys = IncompatibleKeys(missing, unexpected)
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
    doubtful = strict and bool(missing or unexpected)
    if doubtful:  # a hook may take keys out of the lists
        _after_load(module, keys)
    _raise_problems(module, [*(_key_problems(missing, unexpected) if strict else []), *problems])
    with no_grad():
        for path, value in values.items():
            registry, name = slots[path]
            if isinstance(registry[name], Uninitialized):
                registry[name].materialize(value._array.shape)
            if assign:
                registry[name] = _assigned(registry[name], value)
            else:
                registry[name].copy_(value)
    for path, each in extras.items():
        if path in given and path in takes:
            each.set_extra_state(given[path])
    if not doubtful:
        _after_load(module, keys)
        if strict:
            _raise_problems(module, _key_problems(missing, unexpected))
    return keys


def _raise_problems(module: Module, problems: list[str]) -> None:
    if problems:
        listed = "\n\t".join(problems)
        raise StateError(f"Error(s) in loading state_dict for {type(module).__name__}:\n\t{listed}")


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
    if missing:
        problems.append(f"Missing key(s) in state_dict: {_quoted(missing)}.")
    if unexpected:
        problems.append(f"Unexpected key(s) in state_dict: {_quoted(unexpected)}.{_hint(unexpected, missing)}")
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


def without_prefix(state_dict: dict[str, Any], prefix: str) -> None:
    """Strip `prefix` in place from the keys that begin with it, as ``"module."`` from what DataParallel saved."""
    for key in list(state_dict):
        if key.startswith(prefix):
            state_dict[key.removeprefix(prefix)] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", {})
    for path in list(metadata):
        if path and path in (prefix.removesuffix("."), prefix):
            metadata[""] = metadata.pop(path)
        elif path.startswith(prefix):
            metadata[path.removeprefix(prefix)] = metadata.pop(path)


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
