"""Convert the calls of a check for another process: functions become paths in the lesson, arguments plain data."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from ..errors import MinigradError


class UnaskableError(MinigradError, TypeError):
    """A check passes an argument that cannot be sent to the process of the learner's code."""


def path_of(value: Any, names: Mapping[str, Any]) -> str | None:
    """The path of a function or class from the lesson's names: `double`, `Cube.apply`, `mg.exp`; None if it has none.

    >>> import math
    >>> path_of(math.exp, {"math": math}), path_of(3, {"three": 3})
    ('math.exp', None)
    """
    if not callable(value):
        return None
    name = getattr(value, "__name__", "")
    owner = getattr(value, "__self__", None)
    if isinstance(owner, type):
        path = path_of(owner, names)
        return None if path is None else f"{path}.{name}"
    if names.get(name) is value:
        return name
    for other, each in names.items():
        if isinstance(each, ModuleType) and getattr(each, name, None) is value:
            return f"{other}.{name}"
    for other, each in names.items():
        if each is value:
            return other
    return name if getattr(builtins, name, None) is value else None


def refuse_objects(arguments: Sequence[Any], path: str) -> None:
    """Raise UnaskableError for an argument that is not plain data and has no path."""
    left = list(arguments)
    while left:
        data = left.pop()
        if isinstance(data, Mapping):
            if "object" in data:
                raise UnaskableError(
                    f"{path} is called in another process: hand over numbers, texts, lists, tensors, or functions "
                    f"that have a name in the lesson, not a {data['object']}; or ask for a function without arguments"
                )
            left.extend(data.values())
        elif isinstance(data, list):
            left.extend(data)
