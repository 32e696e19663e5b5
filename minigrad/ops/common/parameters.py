"""The parameters of functions, without `inspect.signature`, which is too slow for a thousand functions at import."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple


class Parameter(NamedTuple):
    """One parameter of a function."""

    name: str
    annotation: str = ""
    keyword_only: bool = False
    spread: bool = False
    """Whether it is ``*name``."""


@cache
def parameters_of(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """Return the parameters of a Python function, or of the function it wraps, in order.

    >>> def scale(x, *sizes, value: float = 1.0): ...
    >>> [each.name for each in parameters_of(scale) if not each.spread]
    ['x', 'value']
    """
    function = inspect.unwrap(function)
    code, kinds = function.__code__, function.__annotations__
    plain, names = code.co_argcount, code.co_varnames
    named = plain + code.co_kwonlyargcount
    spread, rest = bool(code.co_flags & inspect.CO_VARARGS), bool(code.co_flags & inspect.CO_VARKEYWORDS)
    found = [Parameter(name, str(kinds.get(name, ""))) for name in names[:plain]]
    if spread:
        found.append(Parameter(names[named], str(kinds.get(names[named], "")), spread=True))
    found += [Parameter(name, str(kinds.get(name, "")), keyword_only=True) for name in names[plain:named]]
    if rest:
        found.append(Parameter(names[named + spread], str(kinds.get(names[named + spread], ""))))
    return tuple(found)
