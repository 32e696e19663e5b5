"""`Owner`: the part of a module that registers parameters, buffers and children, and iterates over the tree."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..core.tensor import Tensor
from ..errors import ArgumentError, ArgumentTypeError, NameTakenError, UnknownNameError
from .parameter import Buffer, Parameter
from .registration_hooks import BUFFERS, MODULES, PARAMETERS, after_hooks

if TYPE_CHECKING:
    from .module import Module


class NoAttributeError(UnknownNameError):
    """The error for an attribute that a module does not have.

    Most of these errors are never read, since `hasattr`, and `getattr` with a default, catch them. So the suggestion of
    a similar name, which takes milliseconds, is computed when the message is read.
    """

    def __init__(self, message: str, owner: Any = None, name: str = "") -> None:
        super().__init__(message)
        self.owner, self.missing = owner, name

    def __str__(self) -> str:
        near = difflib.get_close_matches(self.missing, dir(self.owner), n=1) if self.owner is not None else []
        return str(self.args[0]) + (f" Did you mean: '{near[0]}'?" if near else "")


class Owner:
    """Stores parameters, buffers and child modules, each in a dictionary; assigning to an attribute registers them."""

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _transient: set[str]
    """Buffers that are not part of the state dict."""
    _scope: str
    """The module's name in profiles and graphs: the last part of its path, or the class name for a root."""

    def __init__(self) -> None:
        self.__dict__.update(_parameters={}, _buffers={}, _modules={}, _transient=set(), _scope=type(self).__name__)

    # Registering

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Register `param` as ``self.<name>``; None declares that there is no such parameter."""
        self._check_name("parameter", name, self._parameters)
        if param is not None:
            if not isinstance(param, Parameter):
                raise ArgumentTypeError(
                    f"cannot assign {type(param).__name__!r} object to parameter '{name}' "
                    "(nn.Parameter or None required)"
                )
            if param.grad_fn is not None:
                raise ArgumentError(
                    f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
                    "explicitly; to express it as a function of another tensor, compute it in forward()."
                )
            if PARAMETERS:
                param = after_hooks(PARAMETERS, self, name, param)
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Register `tensor` as ``self.<name>``: it is moved and saved with the module, but not trained."""
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise ArgumentTypeError(
                f"cannot assign {type(tensor).__name__!r} object to buffer '{name}' (a Tensor or None required)"
            )
        self._buffers[name] = after_hooks(BUFFERS, self, name, tensor) if BUFFERS else tensor
        if persistent:
            self._transient.discard(name)
        else:
            self._transient.add(name)

    def register_module(self, name: str, module: Module | None) -> None:
        """Register `module` as ``self.<name>``."""
        if not isinstance(module, Owner) and module is not None:
            raise ArgumentTypeError(_no_module(module))
        self._check_name("module", name, self._modules)
        if MODULES:
            module = after_hooks(MODULES, self, name, module)
        self._modules[name] = module
        if module is not None:
            module.__dict__["_scope"] = name

    add_module = register_module

    def _check_name(self, what: str, name: str, registry: Mapping[str, Any]) -> None:
        if not isinstance(name, str):
            raise ArgumentTypeError(f"{what} name should be a string. Got {type(name).__name__}")
        if "." in name or not name:
            raise NameTakenError(
                f'{what} name can\'t be empty string "" or contain ".", got: {name!r}. Dots separate the modules in a '
                "path."
            )
        if hasattr(self, name) and name not in registry:
            raise NameTakenError(f"attribute '{name}' already exists in {type(self).__name__}")

    def __setattr__(self, name: str, value: Any) -> None:
        for wanted, where, what in _KINDS:
            registry = self.__dict__.get(where)
            if isinstance(value, wanted):
                if registry is None:
                    raise UnknownNameError(
                        f"cannot assign {what}s before Module.__init__() call: "
                        f"write super().__init__() as the first line of {type(self).__name__}.__init__"
                    )
                self._forget(name, registry)
                getattr(self, f"register_{what}")(name, value)
                return
            if registry is not None and name in registry:
                if value is not None:
                    raise ArgumentTypeError(
                        f"cannot assign '{type(value).__name__}' as {what} '{name}' (nn.{what.capitalize()} or None "
                        f"expected). To put something else in its place, delete it first: del module.{name}"
                    )
                registry[name] = None
                return
        if name in self.__dict__.get("_buffers", ()):
            self.register_buffer(name, value, persistent=getattr(value, "persistent", name not in self._transient))
        elif isinstance(value, Buffer):
            self.register_buffer(name, value, value.persistent)
        else:
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        if "_parameters" not in own:
            raise UnknownNameError(
                f"'{type(self).__name__}' object has no attribute '{name}': was super().__init__() forgotten in "
                f"{type(self).__name__}.__init__?"
            )
        for registry in (own["_parameters"], own["_modules"], own["_buffers"]):
            if name in registry:
                return registry[name]
        if name.startswith("__"):
            raise AttributeError(name)
        raise NoAttributeError(f"'{type(self).__name__}' object has no attribute '{name}'.", self, name)

    def __delattr__(self, name: str) -> None:
        self._transient.discard(name)
        if not self._forget(name):
            object.__delattr__(self, name)

    def _forget(self, name: str, keep: Any = None) -> bool:
        """Remove `name` from all registries but `keep`, where it keeps its position. Return whether it was found."""
        own = self.__dict__
        found = [r for r in (own["_parameters"], own["_modules"], own["_buffers"], own) if r is not keep and name in r]
        for registry in found:
            del registry[name]
        return bool(found)

    def __dir__(self) -> list[str]:
        own = {*self._parameters, *self._buffers, *self._modules}
        return sorted({*super().__dir__(), *(name for name in own if not name[:1].isdigit())})

    # Iterating over the tree

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """Every module of the tree with its path, this one (path "") first."""
        seen: set[Any] = set() if memo is None else memo
        if self in seen:
            return
        if remove_duplicate:
            seen.add(self)
        yield prefix, self  # type: ignore[misc]
        for name, child in self._modules.items():
            if child is not None:
                path = f"{prefix}.{name}" if prefix else name
                yield from child.named_modules(seen, path, remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """Every module of the tree, this one first."""
        return (module for _, module in self.named_modules())

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The direct children with their names, each module once."""
        seen: set[Module] = set()
        for name, child in self._modules.items():
            if child is not None and child not in seen:
                seen.add(child)
                yield name, child

    def children(self) -> Iterator[Module]:
        """The direct children."""
        return (child for _, child in self.named_children())

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Every parameter with its path; a shared one occurs once."""
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Every parameter, for an optimiser."""
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Every buffer with its path."""
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Every buffer."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def _named_members(self, registry: str, prefix: str, recurse: bool, once: bool) -> Iterator[tuple[str, Any]]:
        seen = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=once) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, member in getattr(module, registry).items():
                if member is None or (once and id(member) in seen):
                    continue
                seen.add(id(member))
                yield (f"{path}.{name}" if path else name), member

    def get_submodule(self, target: str) -> Module:
        """The module at a path such as ``"encoder.layers.0"``."""
        module: Any = self
        for part in target.split(".") if target else ():
            child = module._modules.get(part)
            if child is None:
                known = ", ".join(module._modules) or "none"
                raise UnknownNameError(
                    f"{type(module).__name__} has no submodule '{part}' (of '{target}'); it has: {known}"
                )
            module = child
        return module

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a path such as ``"encoder.layers.0.weight"``."""
        path, _, name = target.rpartition(".")
        parameter = self.get_submodule(path)._parameters.get(name)
        if parameter is None:
            raise UnknownNameError(f"{type(self).__name__} has no parameter '{target}'")
        return parameter

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a path such as ``"norm.running_mean"``."""
        path, _, name = target.rpartition(".")
        buffer = self.get_submodule(path)._buffers.get(name)
        if buffer is None:
            raise UnknownNameError(f"{type(self).__name__} has no buffer '{target}'")
        return buffer


_KINDS: tuple[tuple[Any, str, str], ...] = ((Parameter, "_parameters", "parameter"), (Owner, "_modules", "module"))
"""Types that are registered on assignment: the class, its registry, and its name in error texts."""


def _no_module(given: Any) -> str:
    """Return the error text for something that is no module; a class of modules was not called."""
    if isinstance(given, type):
        return f"{given.__name__} is not a Module subclass's instance but a class: write {given.__name__}()"
    name = getattr(given, "__qualname__", type(given).__name__)
    return f"{name} is not a Module subclass"
