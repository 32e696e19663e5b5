"""Load state dicts into modules: first find all values, and only then copy them."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.grad_mode import no_grad
from ..core.size import Size
from ..core.tensor import Tensor
from ..errors import ArgumentTypeError, StateError
from ..ops.create.factories import as_tensor
from ..utils.serialization import from_torch
from .parameter import Parameter
from .state import EXTRA, slots, takes_extra_state
from .uninitialized import Uninitialized

if TYPE_CHECKING:
    from .module import Module


class WithoutModule:
    """A hook that is called without the module. It is a class so that modules with such hooks can be pickled."""

    def __init__(self, hook: Callable[..., Any]) -> None:
        self.hook = hook

    def __call__(self, module: Module, *args: Any) -> Any:
        return self.hook(*args)


class IncompatibleKeys(NamedTuple):
    """The keys that `load_state_dict` could not match."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class Given(dict[str, Any]):
    """A state dict that is being loaded, with what each module has found in it so far."""

    def __init__(self, state_dict: Mapping[str, Any]) -> None:
        super().__init__(state_dict)
        self.values_found: list[tuple[dict[str, Any], str, Tensor]] = []
        """The registry and the name of a parameter or buffer, and its new value."""
        self.extras_found: list[tuple[Module, Any]] = []
        self.known: set[str] = set()
        """The keys that a module uses."""
        self.searched: set[str] = set()
        """The prefixes of modules that have searched for their keys."""

    def unexpected(self, paths: set[str]) -> list[str]:
        """Return the keys that no module uses. `paths` lists all modules; the innermost one owns a key."""
        return [key for key in self if key not in self.known and _prefix_of(key, paths) in self.searched]

    def carry_out(self, assign: bool) -> None:
        """Copy all values into the parameters and buffers, or, with `assign`, replace these."""
        with no_grad():
            for registry, name, value in self.values_found:
                if isinstance(registry[name], Uninitialized):
                    registry[name].materialize(value._array.shape)
                if assign:
                    registry[name] = _assigned(registry[name], value)
                else:
                    registry[name].copy_(value)
        for module, extra in self.extras_found:
            module.set_extra_state(extra)


def _prefix_of(key: str, paths: set[str]) -> str:
    path = key
    while path:
        path = path.rpartition(".")[0]
        if path in paths:
            break
    return path + "." if path else ""


def load_own(
    module: Module,
    given: Any,
    prefix: str,
    metadata: Any,
    strict: bool,
    missing: list[str],
    unexpected: list[str],
    errors: list[str],
) -> None:
    """Implement `Module._load_from_state_dict`: find the values of one module, without its children."""
    for hook in () if module._hooks is None else tuple(module._hooks.load_pre.values()):
        hook(module, given, prefix, metadata, strict, missing, unexpected, errors)
    found = given if isinstance(given, Given) else Given(given)
    found.searched.add(prefix)
    for path, registry, name in slots(module, prefix):
        found.known.add(path)
        if path not in found:
            missing.append(path)
            continue
        if not _is_tensor_like(found[path]):
            errors.append(
                f'While copying the parameter named "{path}", expected a tensor or an array from the checkpoint but '
                f"received {type(found[path])}"
            )
            continue
        if isinstance(found[path], Uninitialized) and isinstance(registry[name], Uninitialized):
            continue
        value = _value(found[path])
        problem = "" if isinstance(registry[name], Uninitialized) else _mismatch(path, registry[name], value)
        errors.extend([problem] if problem else [])
        found.values_found += [] if problem else [(registry, name, value)]
    extra = prefix + EXTRA
    if takes_extra_state(module):
        found.known.add(extra)
        if extra in found:
            found.extras_found.append((module, found[extra]))
        else:
            missing.append(extra)
    if found is not given:  # an override has passed a state dict of its own
        found.carry_out(bool(metadata.get("assign_to_params_buffers", False)))


def load_state_dict(module: Module, state_dict: Mapping[str, Any], strict: bool, assign: bool) -> IncompatibleKeys:
    """Copy the values of `state_dict` into `module`. On an error, nothing is copied."""
    if not isinstance(state_dict, Mapping):
        raise ArgumentTypeError(f"Expected state_dict to be dict-like, got {type(state_dict).__name__}.")
    metadata, given = getattr(state_dict, "_metadata", {}), Given(state_dict)
    keys, errors = IncompatibleKeys([], []), list[str]()
    paths = dict(module.named_modules(remove_duplicate=False))
    for path, each in paths.items():
        local = {**metadata.get(path, {}), **({"assign_to_params_buffers": True} if assign else {})}
        each._load_from_state_dict(given, path + "." if path else "", local, True, *keys, errors)
    keys.unexpected_keys.extend(given.unexpected(set(paths)))
    doubtful = strict and bool(keys.missing_keys or keys.unexpected_keys)
    if doubtful:  # a hook may remove keys from the lists
        _after_load(module, keys)
    _raise_problems(module, [*(_key_problems(*keys) if strict else []), *errors])
    given.carry_out(assign)
    if not doubtful:
        _after_load(module, keys)
        if strict:
            _raise_problems(module, _key_problems(*keys))
    return keys


def _after_load(module: Module, keys: IncompatibleKeys) -> None:
    """Run the hooks after loading, those of children before those of their parents."""
    for _, each in reversed(list(module.named_modules())):
        for hook in () if each._hooks is None else tuple(each._hooks.load.values()):
            if hook(each, keys) is not None:
                raise StateError(
                    "Hooks registered with `register_load_state_dict_post_hook` are not expected to return new values: "
                    "change the lists in place."
                )


def _raise_problems(module: Module, problems: list[str]) -> None:
    if problems:
        listed = "\n\t".join(problems)
        raise StateError(f"Error(s) in loading state_dict for {type(module).__name__}:\n\t{listed}")


def _mismatch(path: str, before: Tensor, value: Tensor) -> str:
    wanted, found = before._array.shape, value._array.shape
    if wanted == found:
        return ""
    return (
        f"size mismatch for {path}: copying a param with shape {Size(found)} from checkpoint, "
        f"the shape in current model is {Size(wanted)}."
    )


def _is_tensor_like(value: Any) -> bool:
    return isinstance(value, Tensor) or hasattr(value, "__array__") or hasattr(value, "__dlpack__")


def _value(value: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value.detach()
    if type(value).__module__.partition(".")[0] == "torch":
        return from_torch(value)
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
    """Suggest a likely cause: a wrapper's prefix, or a changed name."""
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
