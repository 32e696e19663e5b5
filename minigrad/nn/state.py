"""State dicts, printing, and the arguments of ``module.to(...)``."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .. import dtypes
from ..backend.device import device
from ..core.tensor import Tensor
from ..errors import ArgumentTypeError, StateError
from ..layout import memory_format

if TYPE_CHECKING:
    from .module import Module


def slots(module: Module, prefix: str) -> Iterable[tuple[str, dict[str, Any], str]]:
    """Yield (key, registry, name) of each parameter and buffer of one module that belongs in a state dict."""
    for name, parameter in module._parameters.items():
        if parameter is not None:
            yield prefix + name, module._parameters, name
    for name, buffer in module._buffers.items():
        if buffer is not None and name not in module._transient:
            yield prefix + name, module._buffers, name


class StateDict(OrderedDict[str, Any]):
    """Tensors by path; ``_metadata`` holds the version of each module's format."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._metadata: OrderedDict[str, dict[str, Any]] = OrderedDict()


def state_dict(module: Module, destination: Any, prefix: str, keep_vars: bool) -> Any:
    """Fill `destination` with the tensors of `module` and its children, by path; each module's hooks run."""
    metadata = {"version": module._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = metadata
    hooks = module._hooks
    for hook in () if hooks is None else tuple(hooks.state_pre.values()):
        hook(module, prefix, keep_vars)
    module._save_to_state_dict(destination, prefix, keep_vars)
    for name, child in module._modules.items():
        if child is not None:
            child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
    for hook in () if hooks is None else tuple(hooks.state.values()):
        result = hook(module, destination, prefix, metadata)
        if result is not None and getattr(hook, "_from_public_api", False):
            raise StateError("state_dict post-hook must return None: change the dictionary in place")
        destination = destination if result is None else result
    return destination


def save_own(module: Module, destination: Any, prefix: str, keep_vars: bool) -> None:
    """Implement `Module._save_to_state_dict`: write the tensors of one module, without its children."""
    for key, registry, name in slots(module, prefix):
        destination[key] = registry[name] if keep_vars else registry[name].detach()
    if has_extra_state(module):
        destination[prefix + EXTRA] = module.get_extra_state()


EXTRA = "_extra_state"
"""The key of `get_extra_state` in a state dict."""


def has_extra_state(module: Module) -> bool:
    """Return whether a module overrides `get_extra_state`."""
    from .module import Module as Base

    return type(module).get_extra_state is not Base.get_extra_state


def takes_extra_state(module: Module) -> bool:
    """Return whether a module overrides `set_extra_state`."""
    from .module import Module as Base

    return type(module).set_extra_state is not Base.set_extra_state


def without_prefix(state_dict: dict[str, Any], prefix: str) -> None:
    """Remove `prefix` from the keys that begin with it, in place, such as ``"module."`` of DataParallel."""
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
    """Detach `grad` from its graph, if it has one, and set it to zero in place."""
    grad.detach_()
    grad.zero_()


# Device and dtype -----------------------------------------------------------------------------------------------------


def destination(*args: Any, **kwargs: Any) -> tuple[device | None, dtypes.dtype | None, memory_format | None]:
    """Return the device, dtype and memory format in the arguments of ``Module.to``; None for a missing one."""
    where, kind, order = (kwargs.pop(name, None) for name in ("device", "dtype", "memory_format"))
    kwargs.pop("non_blocking", None)
    if "copy" in kwargs:
        raise StateError(".to() does not accept copy argument: it converts the module itself. See copy.deepcopy.")
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
        raise ArgumentTypeError(
            f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={kind}"
        )
    return None if where is None else device(where), kind, order


# Printing -------------------------------------------------------------------------------------------------------------


def describe(module: Module) -> str:
    """Return the module and its children as text, one child per line; equal neighbours are folded into one."""
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
    """Fold runs of equal children: ``(0-2): 3 x Linear(...)``."""
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
