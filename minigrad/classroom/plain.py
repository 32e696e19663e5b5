"""Values as plain data: what passes between the process of a learner's code and the one that compares.

`encoded` makes JSON of a value, `decoded` makes of JSON a value that nothing of the learner's code is left in: numbers,
texts, lists, arrays. A class of the learner's arrives as its name. So nothing that is compared can answer for itself.
"""

from __future__ import annotations

import base64
import binascii
import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import dtypes
from ..core.tensor import Tensor
from ..ops.create.factories import tensor

DEEPEST, MOST = 40, 200_000
"""Levels of nesting, and values in all, that are taken over."""

LONGEST = 2_000
"""Characters that are kept of what an unknown object says of itself."""


@dataclass(frozen=True)
class Array:
    """A tensor, or an array, with what can be compared of it."""

    kind: str
    """`tensor`, or another library's word: `numpy array`, `torch tensor`."""
    dtype: str
    shape: tuple[int, ...]
    values: Sequence[Any]
    """Its elements, row by row."""

    def place(self, at: int) -> tuple[int, ...]:
        """The indices of the element that is the `at`-th, row by row."""
        indices = []
        for size in reversed(self.shape):
            at, index = divmod(at, size)
            indices.append(index)
        return tuple(reversed(indices))

    def nested(self) -> Any:
        """Its elements as lists in lists; a single number where it has no dimension."""
        values: Any = list(self.values)
        for size in reversed(self.shape[1:]):
            values = [values[at : at + size] for at in range(0, len(values), size)] if size else values
        return values if self.shape else values[0]


@dataclass(frozen=True)
class Record:
    """A named tuple: the name of its class, and its fields."""

    name: str
    fields: Mapping[str, Any]


@dataclass(frozen=True)
class Thing:
    """An object of another kind: the name of its class, and what it says of itself."""

    name: str
    text: str = ""


def encoded(value: Any, path_of: Callable[[Any], str | None] = lambda value: None) -> Any:
    """A value as JSON. `path_of` names a function or a class by which the other side finds it.

    >>> encoded((1.5, [True]))
    {'tuple': [1.5, {'list': [True]}]}
    """
    return _Encoder(path_of).encode(value, 0)


class _Encoder:
    def __init__(self, path_of: Callable[[Any], str | None]) -> None:
        self._path_of, self._left = path_of, MOST

    def encode(self, value: Any, depth: int) -> Any:
        self._left -= 1
        if depth > DEEPEST or self._left < 0:
            return _thing(value, "too large to be compared")
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, int):
            return int(value) if -(2**63) <= value < 2**63 else {"large": hex(value)}
        if isinstance(value, float):
            return float(value)
        if isinstance(value, complex):
            return {"complex": [value.real, value.imag]}
        array = _array(value)
        return array if array is not None else self._structure(value, depth)

    def _structure(self, value: Any, depth: int) -> Any:
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            fields = {name: self.encode(each, depth + 1) for name, each in zip(value._fields, value, strict=True)}
            return {"record": type(value).__name__, "fields": fields}
        for kind, name in ((tuple, "tuple"), (list, "list"), (range, "list")):
            if isinstance(value, kind):
                return {name: [self.encode(each, depth + 1) for each in value]}
        if isinstance(value, Mapping):
            return {"dict": [[self.encode(each, depth + 1) for each in pair] for pair in value.items()]}
        if isinstance(value, (set, frozenset)):
            return {"set": [self.encode(each, depth + 1) for each in sorted(value, key=repr)]}
        path = self._path_of(value)
        return {"path": path} if path is not None else _thing(value)


CODES = {"float": "d", "int": "q", "bool": "b"}
"""The element codes of Python's own arrays."""


def _array(value: Any) -> Any:
    """A tensor of minigrad or PyTorch, an array or a number of NumPy; None for all else."""
    library = type(value).__module__.partition(".")[0]
    if isinstance(value, Tensor):
        kind, plain = "tensor", value.detach()
    elif library == "torch" and hasattr(value, "detach"):
        kind, plain = "torch tensor", value.detach()
    elif library == "numpy" and hasattr(value, "tolist"):
        kind, plain = "numpy array", value
        if not hasattr(value, "__array_interface__") or (not value.shape and not hasattr(value, "__setitem__")):
            return value.item()
    else:
        return None
    values = plain.flatten().tolist()
    made: dict[str, Any] = {"array": kind, "dtype": str(value.dtype).rpartition(".")[2], "shape": list(value.shape)}
    code = CODES.get(type(values[0]).__name__ if values else "float")
    if code is None:
        return _thing(value)
    made |= {"as": code, "bytes": base64.b64encode(array(code, values).tobytes()).decode()}
    return made | ({"grad": True} if getattr(value, "requires_grad", False) else {})


def _thing(value: Any, text: str | None = None) -> dict[str, str]:
    if text is None:
        try:
            text = repr(value)
        except Exception:
            text = ""
    return {"object": type(value).__name__, "text": text[:LONGEST]}


def decoded(data: Any) -> Any:
    """Decode what a process sent into values that can be trusted to compare as they look. It never raises.

    >>> decoded({"tuple": [1.5, {"list": [True]}]})
    (1.5, [True])
    """
    try:
        return _decode(data, _as_array)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError, binascii.Error):
        return Thing("data that cannot be read")


def rebuilt(data: Any, find: Callable[[str], Any]) -> Any:
    """Decode what the trusted side sent: tensors become tensors, and `find` finds what has a path."""
    return _decode(data, _as_tensor, find)


def _as_array(data: Mapping[str, Any]) -> Array:
    values = array(data["as"])
    values.frombytes(base64.b64decode(data["bytes"]))
    shape = tuple(int(size) for size in data["shape"])
    if math.prod(shape) != len(values) or min(shape, default=0) < 0:
        raise ValueError("the elements do not fill the shape")
    told = list(map(bool, values)) if data["as"] == "b" else values.tolist()
    return Array(str(data["array"]), str(data["dtype"]), shape, told)


def _as_tensor(data: Mapping[str, Any]) -> Any:
    values = _as_array(data)
    dtype = dtypes.bool_ if values.dtype == "bool" else getattr(dtypes, values.dtype)
    made: Tensor = tensor(values.values, dtype=dtype).reshape(values.shape)
    return made.requires_grad_() if data.get("grad") else made


def _decode(data: Any, as_array: Callable[[Any], Any], find: Callable[[str], Any] | None = None) -> Any:
    if data is None or isinstance(data, (bool, int, float, str)):
        return data
    kind = next(iter(data))

    def each(values: Any) -> list[Any]:
        return [_decode(value, as_array, find) for value in values]

    if kind == "array":
        return as_array(data)
    if kind == "record":
        fields = {str(name): _decode(value, as_array, find) for name, value in data["fields"].items()}
        return Record(str(data["record"]), fields) if find is None else find(data["record"])(**fields)
    if kind == "path":
        return Thing("function", str(data["path"])) if find is None else find(data["path"])
    made: dict[str, Callable[[Any], Any]] = {
        "list": each,
        "tuple": lambda values: tuple(each(values)),
        "set": lambda values: frozenset(each(values)),
        "dict": lambda pairs: {_key(key): value for key, value in map(each, pairs)},
        "complex": lambda parts: complex(*parts),
        "large": lambda text: int(text, 16),
        "object": lambda name: Thing(str(name), str(data.get("text", ""))[:LONGEST]),
    }
    return made[kind](data[kind])


def _key(value: Any) -> Any:
    """A key of a dictionary: what can be one stays what it is."""
    return value if isinstance(value, (bool, int, float, str, tuple, Thing)) or value is None else str(value)


def plain(value: Any) -> Any:
    """A value as it would arrive from another process.

    >>> plain({"a": (1, 2.0)})
    {'a': (1, 2.0)}
    """
    return decoded(encoded(value, lambda each: getattr(each, "__name__", None) if callable(each) else None))


def is_number(value: Any) -> bool:
    """A real number; a truth value is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def close(one: float, other: float, within: float) -> bool:
    """Two numbers are the same, but for rounding; a NaN is like a NaN."""
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one) and math.isnan(other):
        return True
    return math.isclose(one, other, rel_tol=within, abs_tol=within)
