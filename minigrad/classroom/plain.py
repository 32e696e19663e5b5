"""Convert values to plain data, which passes between the process of a learner's code and the one that compares.

`encoded` makes JSON of a value. `decoded` makes a value of JSON that contains none of the learner's code: numbers,
texts, lists, arrays. A class of the learner's becomes its name. So no compared object can lie about itself.
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
"""The most levels of nesting, and the most values, that are converted."""

LONGEST = 2_000
"""The most characters of an unknown object's `repr` to keep."""


@dataclass(frozen=True)
class Array:
    """The contents of a tensor or array, for comparison."""

    kind: str
    """"tensor", or the name for another library's: "numpy array", "torch tensor"."""
    dtype: str
    shape: tuple[int, ...]
    values: Sequence[Any]
    """Its elements, row by row."""

    def place(self, at: int) -> tuple[int, ...]:
        """The indices of element number `at`, counted row by row."""
        indices = []
        for size in reversed(self.shape):
            at, index = divmod(at, size)
            indices.append(index)
        return tuple(reversed(indices))

    def nested(self) -> Any:
        """The elements as nested lists; a single number if there are no dimensions."""
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
    """An object of another kind: the name of its class, and its `repr`."""

    name: str
    text: str = ""


def encoded(value: Any, path_of: Callable[[Any], str | None] = lambda value: None) -> Any:
    """Convert a value to JSON. `path_of` gives the path by which the other side finds a function or class.

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
"""The type codes of Python's `array` for elements."""


def _array(value: Any) -> Any:
    """The encoding of a tensor of minigrad or PyTorch, or of a NumPy array or number; None for anything else."""
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
    """Decode what a process sent into plain values, which have no code of their own. Never raises.

    >>> decoded({"tuple": [1.5, {"list": [True]}]})
    (1.5, [True])
    """
    try:
        return _decode(data, _as_array)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError, binascii.Error):
        return Thing("data that cannot be read")


def rebuilt(data: Any, find: Callable[[str], Any]) -> Any:
    """Decode what the trusted side sent: tensors become tensors, and `find` gives the object at a path."""
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
    """A key of a dictionary: unchanged if it is hashable data, else as text."""
    return value if isinstance(value, (bool, int, float, str, tuple, Thing)) or value is None else str(value)


def plain(value: Any) -> Any:
    """A value as it would arrive from another process, encoded and decoded.

    >>> plain({"a": (1, 2.0)})
    {'a': (1, 2.0)}
    """
    return decoded(encoded(value, lambda each: getattr(each, "__name__", None) if callable(each) else None))


def is_number(value: Any) -> bool:
    """Whether a value is a real number and no truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def close(one: float, other: float, within: float) -> bool:
    """Whether two numbers are equal apart from rounding. NaN equals NaN."""
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one) and math.isnan(other):
        return True
    return math.isclose(one, other, rel_tol=within, abs_tol=within)
