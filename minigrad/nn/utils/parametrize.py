"""Computed weights: a parametrized ``module.weight`` is a function of other tensors, which are learnt.

    module.parametrizations.weight      a `ParametrizationList`: the functions, one after another, and what they start
      .original                         from, which is what an optimiser moves
    module.weight                       a property: the functions applied to the original, anew at every look

For the property, the module gets a class of its own, which extends its former one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from copy import deepcopy
from typing import Any

from ...core.grad_mode import no_grad
from ...core.tensor import Tensor
from ...errors import ArgumentError, GradError, MissingRuleError
from ..container import ModuleDict, ModuleList
from ..module import Module
from ..parameter import Parameter
from .parametrization_checks import check_alike, check_assigned, check_further, check_start

__all__ = [
    "ParametrizationList", "cached", "is_parametrized", "register_parametrization", "remove_parametrizations",
    "transfer_parametrizations_and_params", "type_before_parametrizations",
]  # fmt: skip

_CACHE: ContextVar[dict[Module, Tensor] | None] = ContextVar("computed weights", default=None)


@contextmanager
def cached() -> Iterator[None]:
    """Inside, compute every parametrized tensor only once, at first access."""
    known = _CACHE.get()
    token = _CACHE.set({} if known is None else known)
    try:
        yield
    finally:
        _CACHE.reset(token)


class ParametrizationList(ModuleList):
    """The functions that compute a tensor, in order, and its originals: `original`, or `original0`, `original1`."""

    def __init__(self, modules: Any, original: Any, unsafe: bool = False) -> None:
        if not len(modules):
            raise ArgumentError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        with no_grad():
            start = self._inverted(original, strict=False)
        check_start(original, start)
        before = original.detach()
        self.is_tensor = isinstance(start, Tensor)
        self.names = ["original"] if self.is_tensor else [f"original{n}" for n in range(len(start))]
        if self.is_tensor:
            _own(self, "original", _overwritten(original, start))
        else:
            for name, each in zip(self.names, start, strict=True):
                _own(self, name, Parameter(each, original.requires_grad) if isinstance(original, Parameter) else each)
        if not unsafe:  # detached: a watched program shows no op for it
            check_alike(before, self._computed([getattr(self, name).detach() for name in self.names]))

    def forward(self) -> Any:
        """Return the tensor, computed from its originals."""
        return self._computed([getattr(self, name) for name in self.names])

    def _computed(self, originals: list[Any]) -> Any:
        first, *others = self
        value = first(*originals)
        for function in others:
            value = function(value)
        return value

    def right_inverse(self, value: Any) -> None:
        """Set the originals so that the tensor becomes `value`."""
        with no_grad():
            originals = {name: getattr(self, name) for name in self.names}
            made = check_assigned(originals, self._inverted(value, strict=True), self.is_tensor)
            for original, each in zip(originals.values(), made, strict=True):
                _overwritten(original, each)

    def _inverted(self, value: Any, strict: bool) -> Any:
        """Pass `value` back through all functions. With `strict`, each must have a `right_inverse`."""
        for function in reversed(list(self)):
            if hasattr(function, "right_inverse"):
                with nullcontext() if strict else suppress(NotImplementedError):
                    value = function.right_inverse(value)
            elif strict:
                raise MissingRuleError(
                    f"parametrization {type(function).__name__} does not implement right_inverse, so its result cannot "
                    "be assigned to. Write right_inverse(self, value), or assign to its original."
                )
        return value


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Make ``module.<tensor_name>``, a parameter or buffer, equal to ``parametrization(original)``. Return `module`.

    A second one is applied to the result of the first. If it has a `right_inverse`, that computes the original from the
    present tensor, and when the tensor is assigned to; it may return several tensors, which `forward` then takes.
    ArgumentError if there is no such tensor, or if its shape or dtype would change (unless `unsafe`).

    >>> import minigrad as mg
    >>> class Symmetric(mg.nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).t()
    >>> layer = mg.nn.utils.parametrize.register_parametrization(mg.nn.Linear(3, 3), "weight", Symmetric())
    >>> bool((layer.weight == layer.weight.t()).all())
    True
    >>> [name for name, _ in layer.named_parameters()]
    ['bias', 'parametrizations.weight.original']
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            with no_grad():
                check_further(tensor_name, getattr(module, tensor_name), parametrization)
        module.parametrizations[tensor_name].append(parametrization)
        return module
    if tensor_name not in module._parameters and tensor_name not in module._buffers:
        raise ArgumentError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    functions = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        module.parametrizations = ModuleDict()
    module.parametrizations[tensor_name] = functions
    _give_class(module, list(module.parametrizations))
    return module


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether the tensor of this name (or any, without one) is parametrized."""
    functions = module._modules.get("parametrizations")
    return isinstance(functions, ModuleDict) and (tensor_name is None or tensor_name in functions)


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Make the tensor an ordinary one again: computed if `leave_parametrized`, else the original. Return `module`.

    ArgumentError if it is not parametrized, or has several originals and `leave_parametrized` is False.
    """
    if not is_parametrized(module, tensor_name):
        raise ArgumentError(f"Module {module} does not have a parametrization on {tensor_name}")
    functions: Any = module.parametrizations[tensor_name]
    if not functions.is_tensor and not leave_parametrized:
        raise ArgumentError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    learnt = any(getattr(functions, name).requires_grad for name in functions.names)
    with no_grad():
        value = functions() if leave_parametrized else functions.original
    if functions.is_tensor:
        value = _overwritten(functions.original, value)
    elif learnt:
        value = Parameter(value)
    del module.parametrizations[tensor_name]
    names = list(module.parametrizations)
    _give_class(module, names)
    if not names:
        del module.parametrizations
    _own(module, tensor_name, value)
    return module


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Let `to_module` compute its tensors as `from_module` does, from the same originals. Return `to_module`.

    Both share the functions and the originals. Without a `tensor_name`, all parametrized tensors are transferred.
    """
    if not is_parametrized(from_module):
        return to_module
    given: Any = from_module.parametrizations
    for name in list(given) if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        for function in given[name]:
            register_parametrization(to_module, name, function)
        taken: Any = to_module.parametrizations[name]
        for original in given[name].names:
            setattr(taken, original, getattr(given[name], original))
    return to_module


def type_before_parametrizations(module: Module) -> type:
    """Return the class of the module before its first parametrization."""
    kind = type(module)
    return kind.__bases__[0] if issubclass(kind, _Parametrized) else kind


def _give_class(module: Module, names: list[str]) -> None:
    """Give `module` a new subclass with these properties; without names, its original class."""
    plain = type_before_parametrizations(module)
    properties = {name: _property(name) for name in names}
    module.__class__ = type("Parametrized" + plain.__name__, (plain, _Parametrized), properties) if names else plain


class _Parametrized:
    """Marks these generated classes. Their modules can be copied by `deepcopy`, and saved by their state dict."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        twin = memo[id(self)] = object.__new__(type(self))
        twin.__dict__.update(deepcopy(self.__dict__, memo))
        return twin

    def __getstate__(self) -> Any:
        """Raise: pickle and `copy.copy` call this, and a generated class cannot be pickled."""
        raise GradError(
            "Serialization of parametrized modules is only supported through state_dict(): the class of "
            f"{type(self).__name__} is made when the program runs. Save module.state_dict(), and load it into a module "
            "that was parametrized alike; or use remove_parametrizations first. copy.deepcopy() copies the module."
        )


def _property(name: str) -> property:
    def look(module: Any) -> Any:
        functions, cache = module.parametrizations[name], _CACHE.get()
        if cache is None:
            return functions()
        if functions not in cache:
            cache[functions] = functions()
        return cache[functions]

    def assign(module: Any, value: Any) -> None:
        module.parametrizations[name].right_inverse(value)

    return property(look, assign)


def _own(module: Module, name: str, value: Any) -> None:
    if isinstance(value, Parameter):
        module.register_parameter(name, value)
    else:
        module.register_buffer(name, value)


def _overwritten(original: Any, value: Any) -> Any:
    """Return `original`, the same object, with the elements of `value`."""
    if value is not original:
        original.data = value
    return original
