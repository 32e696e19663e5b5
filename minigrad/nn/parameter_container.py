"""Parameters by index or name: `ParameterList` and `ParameterDict`. They may hold other values, too."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, KeysView, Mapping
from typing import Any

from ..core.tensor import Tensor
from ..errors import ArgumentError, ArgumentTypeError, DimensionError, UnknownNameError
from .module import Module
from .parameter import Parameter


def place(index: Any, length: int) -> int:
    """Return `index` as a non-negative number; DimensionError if it is out of range."""
    number = operator.index(index)
    if not -length <= number < length:
        raise DimensionError(f"index {number} is out of range: there are {length}")
    return number % length


class _Holder(Module):
    """The common base of both: each value is an attribute of the module; tensors become parameters."""

    def __init__(self) -> None:
        super().__init__()
        self._names: dict[str, None] = {}

    def __len__(self) -> int:
        return len(self._names)

    def _put(self, name: str, value: Any) -> None:
        if isinstance(value, Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        setattr(self, name, value)
        self._names[name] = None

    def _take(self, name: str) -> None:
        del self._names[name]
        delattr(self, name)

    def extra_repr(self) -> str:
        return "\n".join(f"({name}): {_told(getattr(self, name))}" for name in self._names)


class ParameterList(_Holder):
    """A list of values; a tensor that is added becomes a parameter.

    >>> import minigrad as mg
    >>> mg.nn.ParameterList([mg.ones(2, 3), "a note"])
    ParameterList(
      (0): Parameter containing: [minigrad.float32 of size 2x3]
      (1): Object of type: str
    )
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self.extend(() if values is None else values)

    def __iter__(self) -> Iterator[Any]:
        return iter([getattr(self, name) for name in self._names])

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return getattr(self, str(place(index, len(self))))

    def __setitem__(self, index: int, value: Any) -> None:
        self._put(str(place(index, len(self))), value)

    def __iadd__(self, values: Iterable[Any]) -> ParameterList:
        return self.extend(values)

    def append(self, value: Any) -> ParameterList:
        """Append a value."""
        self._put(str(len(self)), value)
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Append several values."""
        if not isinstance(values, Iterable) or (isinstance(values, Tensor) and not values.dim()):
            raise ArgumentTypeError(
                f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}"
            )
        for value in values:
            self.append(value)
        return self


class ParameterDict(_Holder):
    """A dictionary of values; a tensor that is added becomes a parameter.

    The keys of a plain dictionary are added in alphabetical order, as in PyTorch; those of an OrderedDict or of pairs
    in their own order. An optimiser gets the parameters in this order.

    >>> import minigrad as mg
    >>> weights = mg.nn.ParameterDict({"scale": mg.ones(2), "base": mg.zeros(1)})
    >>> list(weights), weights.get("bias")
    (['base', 'scale'], None)
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self.update({} if parameters is None else parameters)

    def __getitem__(self, key: str) -> Any:
        if key not in self._names:
            raise UnknownNameError(
                f"ParameterDict has no {key!r}: it has {', '.join(map(repr, self._names)) or 'nothing'}"
            )
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise ArgumentTypeError(
                f"the key {key!r} of a ParameterDict is no string: found {type(key).__name__}. Give it a name"
            )
        self._put(key, value)

    def __delitem__(self, key: str) -> None:
        self._take(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._names)

    def __contains__(self, key: str) -> bool:
        return key in self._names

    def __or__(self, other: ParameterDict) -> ParameterDict:
        made = self.copy()
        made.update(other)
        return made

    def __ior__(self, other: ParameterDict) -> ParameterDict:
        self.update(other)
        return self

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._names.keys()

    def items(self) -> Iterator[tuple[str, Any]]:
        """Names and values."""
        return ((name, getattr(self, name)) for name in self._names)

    def values(self) -> Iterator[Any]:
        """The values."""
        return (getattr(self, name) for name in self._names)

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value called `key`, or `default`."""
        return getattr(self, key) if key in self._names else default

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Return the value called `key`; if there is none, set it to `default`."""
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: str) -> Any:
        """Remove and return the value called `key`."""
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Remove and return the last name and its value."""
        if not self._names:
            raise KeyError("popitem(): this ParameterDict is empty")
        name = next(reversed(self._names))
        return name, self.pop(name)

    def clear(self) -> None:
        """Remove all parameters."""
        for name in list(self._names):
            del self[name]

    def copy(self) -> ParameterDict:
        """Return a new ParameterDict that holds the same parameters."""
        return type(self)(OrderedDict(self.items()))

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """Return a new ParameterDict with these names, all with the value `default`."""
        return type(self)([(key, default) for key in keys])

    def update(self, parameters: Any) -> None:
        """Add or replace values, from a dictionary, another ParameterDict, or pairs of names and values."""
        if not isinstance(parameters, Iterable):
            raise ArgumentTypeError(
                "ParameterDict.update should be called with an iterable of key/value pairs, but got "
                f"{type(parameters).__name__}"
            )
        if isinstance(parameters, (OrderedDict, ParameterDict)):
            pairs = list(parameters.items())
        elif isinstance(parameters, Mapping):
            pairs = sorted(parameters.items(), key=lambda pair: pair[0])
        else:
            pairs = [_pair(number, each) for number, each in enumerate(parameters)]
        for key, value in pairs:
            self[key] = value


def _pair(number: int, given: Any) -> tuple[str, Any]:
    if not isinstance(given, Iterable):
        raise ArgumentTypeError(f"ParameterDict.update: element {number} is no pair but {type(given).__name__}")
    pair = tuple(given)
    if len(pair) != 2:
        raise ArgumentError(f"ParameterDict.update: element {number} has length {len(pair)}; 2 is required")
    return pair


def _told(value: Any) -> str:
    if not isinstance(value, Tensor):
        return f"Object of type: {type(value).__name__}"
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"{kind} containing: [{value.dtype} of size {'x'.join(map(str, value.shape))}]"
