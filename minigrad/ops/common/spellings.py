"""Other ways to write a call that PyTorch accepts: NumPy's keywords, sizes as a keyword, outdated argument orders.

They are tried only after the arguments of a call failed to bind, so ordinary calls cost nothing.
"""

from __future__ import annotations

import inspect
import warnings
from typing import Any

from ...errors import ArgumentTypeError
from ...layout import layout, memory_format, strided
from .parameters import parameters_of

KEYWORDS = {
    "axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other",
    "split_size": "split_size_or_sections", "axis0": "dim0", "axis1": "dim1",
}  # fmt: skip
"""The names of arguments in NumPy or an older PyTorch, and the present names."""

SIZES = {"size", "shape", "dims", "repeats", "sizes"}
"""Keywords for arguments that may also be passed one after another: ``zeros(size=(2, 3))``."""

OLD_ORDERS: dict[str, tuple[tuple[str, ...], ...]] = {
    **dict.fromkeys(("add", "sub", "subtract"), (("input", "alpha", "other"),)),
    **dict.fromkeys(("addcmul", "addcdiv"), (("input", "value", "tensor1", "tensor2"),)),
    "addmm": (("beta", "input", "mat1", "mat2"), ("beta", "input", "alpha", "mat1", "mat2")),
    "addmv": (("beta", "input", "mat", "vec"), ("beta", "input", "alpha", "mat", "vec")),
    "addr": (("beta", "input", "vec1", "vec2"), ("beta", "input", "alpha", "vec1", "vec2")),
    "addbmm": (("beta", "input", "batch1", "batch2"), ("beta", "input", "alpha", "batch1", "batch2")),
    "baddbmm": (("beta", "input", "batch1", "batch2"), ("beta", "input", "alpha", "batch1", "batch2")),
}
"""Argument orders from before PyTorch 1.5, with a number before the tensor that it scales."""

NUMBERS = {"alpha", "beta", "value"}


def respelt(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], error: TypeError) -> Any:
    """Retry the call in another spelling and return its result; raise `error` if none fits."""
    words = str(error)
    if "unexpected keyword" not in words and "positional argument" not in words:
        raise error
    name, parameters = function.__name__, inspect.signature(function).parameters
    given = renamed(name, args, kwargs, parameters) if kwargs else None
    if given is None:
        given = reordered(name, args, kwargs)
    if given is None:
        raise error
    return function(*given[0], **given[1])


def renamed(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], parameters: Any) -> Any:
    """Return the arguments with keywords renamed; None if there is nothing to rename."""
    spread = {each.name for each in parameters.values() if each.kind is each.VAR_POSITIONAL}
    changed = dict(kwargs)
    for keyword in kwargs:
        if keyword in parameters and keyword not in spread:
            continue
        meant = KEYWORDS.get(keyword, "")
        if meant in parameters and meant not in kwargs:
            changed[meant] = changed.pop(keyword)
        elif spread and (keyword in SIZES or (keyword, name) == ("dtype", "view")):
            args = (*args, changed.pop(keyword))
        elif keyword in ("layout", "memory_format", "pin_memory"):
            _check_layout(name, keyword, changed.pop(keyword))
    return (args, changed) if changed != kwargs else None


def _check_layout(name: str, keyword: str, value: Any) -> None:
    """Raise for layouts other than strided, and for values that are no memory format; formats have no effect."""
    fits = value is None or value is strided if keyword == "layout" else True
    if keyword == "memory_format" and not (value is None or isinstance(value, memory_format)):
        fits = False
    if not fits:
        found = value.name if isinstance(value, layout) else type(value).__name__
        raise ArgumentTypeError(f"{name}(): argument {keyword!r} cannot be {found}: every tensor here is strided")


def reordered(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return arguments in an outdated order, reordered; None if they do not match one."""
    for order in OLD_ORDERS.get(name.rstrip("_"), ()):
        for names in (order, _method_order(order)):
            if len(names) != len(args) or not all(
                isinstance(value, (bool, int, float, complex)) == (word in NUMBERS)
                for word, value in zip(names, args, strict=True)
            ):
                continue
            warnings.warn(
                f"This overload of {name} is deprecated: write the number as a keyword, "
                f"{', '.join(f'{word}=' for word in names if word in NUMBERS)} after the tensors.",
                UserWarning,
                stacklevel=4,
            )
            tensors = tuple(value for word, value in zip(names, args, strict=True) if word not in NUMBERS)
            numbers = {word: value for word, value in zip(names, args, strict=True) if word in NUMBERS}
            return tensors, kwargs | numbers
    return None


def _method_order(order: tuple[str, ...]) -> tuple[str, ...]:
    """Return the order for a method, whose first argument is the tensor itself."""
    return ("input", *(word for word in order if word != "input"))


def needs_spellings(function: Any) -> bool:
    """Return whether a method with this signature has other spellings."""
    parameters = parameters_of(function)
    spreads = any(each.spread for each in parameters)
    known = {"dim", "keepdim", "dim0", "split_size_or_sections"}
    named = not known.isdisjoint(each.name for each in parameters)
    return spreads or named or function.__name__.rstrip("_") in OLD_ORDERS
