"""Modules that hold others: `Sequential`, `ModuleList`, `ModuleDict`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..core.tensor import Tensor
from ..errors import ArgumentError, ArgumentTypeError, DimensionError
from .module import Module
from .parameter_container import place


class _Numbered(Module):
    """The common base of `Sequential` and `ModuleList`, whose children are named "0", "1", ..."""

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())  # type: ignore[arg-type]

    def __getitem__(self, index: Any) -> Any:
        children = list(self._modules.values())
        if isinstance(index, slice):
            return self._sliced(index)
        return children[place(index, len(children))]

    def __setitem__(self, index: int, module: Module) -> None:
        self.register_module(list(self._modules)[place(index, len(self))], module)

    def __delitem__(self, index: Any) -> None:
        children = list(self._modules.values())
        del children[index if isinstance(index, slice) else place(index, len(children))]
        self._renumber(children)

    def _renumber(self, children: Iterable[Any]) -> None:
        self._modules.clear()
        for child in children:
            self.append(child)

    def _sliced(self, index: slice) -> Any:
        return type(self)(dict(list(self._modules.items())[index]))

    @classmethod
    def _of(cls, children: Iterable[Any]) -> Any:
        return cls(*children)

    def append(self, module: Module) -> Any:
        """Append `module`."""
        self.register_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Any:
        """Append all of `modules`."""
        for module in modules:
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Any:
        """Insert `module` before number `index`."""
        children = list(self._modules.values())
        if not -len(children) <= index <= len(children):
            raise DimensionError(f"Index out of range: {index}, there are {len(children)} modules")
        children.insert(index, module)
        self._renumber(children)
        return self

    def pop(self, index: int = -1) -> Module:
        """Remove and return the module number `index`."""
        module: Module = self[index]
        del self[index]
        return module

    def __add__(self, other: Iterable[Module]) -> Any:
        return self._of([*self, *other])

    def __iadd__(self, other: Iterable[Module]) -> Any:
        return self.extend(other)


class Sequential(_Numbered):
    """Modules called one after another.

    >>> import minigrad as mg
    >>> mg.nn.Sequential(mg.nn.Linear(4, 8), mg.nn.ReLU())
    Sequential(
      (0): Linear(in_features=4, out_features=8, bias=True)
      (1): ReLU()
    )
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], Mapping):
            for name, module in args[0].items():
                self.register_module(name, module)
        else:
            self.extend(args)

    def __mul__(self, times: int) -> Sequential:
        """Repeat the modules several times in a row; the copies share their parameters."""
        return type(self)(*(list(self) * self._times(times)))

    __rmul__ = __mul__

    def __imul__(self, times: int) -> Sequential:
        own = list(self)
        for _ in range(self._times(times) - 1):
            self.extend(own)
        return self

    def _times(self, times: int) -> int:
        if not isinstance(times, int):
            raise ArgumentTypeError(f"a Sequential can be multiplied by an int, not by {type(times).__name__}")
        if times <= 0:
            raise ArgumentError(f"Non-positive multiplication factor {times} for {type(self)}")
        return times

    def forward(self, input: Any) -> Tensor:
        """Return the last module's output."""
        for module in self._modules.values():
            input = module(input)  # type: ignore[misc]
        return input


class ModuleList(_Numbered):
    """A list of modules. It has no forward: the module that owns it uses its items."""

    folds_in_repr = True

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        super().__init__()
        self.extend(modules or ())

    def _sliced(self, index: slice) -> ModuleList:
        return type(self)(list(self)[index])

    @classmethod
    def _of(cls, children: Iterable[Any]) -> ModuleList:
        return cls(children)


class ModuleDict(Module):
    """A dictionary of modules. It has no forward: the module that owns it uses its items."""

    def __init__(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] = ()) -> None:
        super().__init__()
        self.update(modules or ())

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]  # type: ignore[return-value]

    def __setitem__(self, key: str, module: Module) -> None:
        self.register_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Remove all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Remove and return the module called `key`."""
        module = self[key]
        del self[key]
        return module

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._modules.keys()

    def items(self) -> Iterable[tuple[str, Module]]:
        """The names and modules."""
        return self._modules.items()  # type: ignore[return-value]

    def values(self) -> Iterable[Module]:
        """The modules."""
        return self._modules.values()  # type: ignore[return-value]

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Add modules, or replace those of the same name."""
        for name, module in modules.items() if isinstance(modules, (Mapping, ModuleDict)) else modules:
            self[name] = module
