"""Tuples, lists and dicts of tensors, to any depth: taken apart into leaves, and put together again.

>>> leaves, structure = flatten({"a": 1, "b": (2, 3)})
>>> leaves
[1, 2, 3]
>>> unflatten(structure, [10, 20, 30])
{'a': 10, 'b': (20, 30)}
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

LEAF = object()
"""Stands in a structure wherever a leaf stood."""


def flatten(tree: Any) -> tuple[list[Any], Any]:
    """The leaves of `tree` from left to right, and its structure without them. None is a leaf like any other."""
    leaves: list[Any] = []

    def take(leaf: Any) -> Any:
        leaves.append(leaf)
        return LEAF

    return leaves, map_leaves(take, tree)


def unflatten(structure: Any, leaves: Iterable[Any]) -> Any:
    """The tree with this structure and these leaves."""
    following: Iterator[Any] = iter(leaves)
    return map_leaves(lambda _: next(following), structure)


def map_leaves(function: Callable[[Any], Any], tree: Any) -> Any:
    """A tree of the same structure, with `function` of every leaf."""
    if isinstance(tree, tuple):
        parts = [map_leaves(function, each) for each in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)
    if isinstance(tree, list):
        return [map_leaves(function, each) for each in tree]
    if isinstance(tree, dict):
        mapped = {key: map_leaves(function, each) for key, each in tree.items()}
        return OrderedDict(mapped) if isinstance(tree, OrderedDict) else mapped
    return function(tree)


def spread(prefix: Any, tree: Any) -> list[Any] | None:
    """One value of `prefix` for each leaf of `tree`: a value at a node counts for everything below. None: no fit.

    >>> spread((0, {"a": 1}), (["x", "y"], {"a": "z"}))
    [0, 0, 1]
    """
    if isinstance(prefix, (tuple, list)):
        if type(prefix) is not type(tree) or len(prefix) != len(tree):
            return None
        return _joined(spread(p, t) for p, t in zip(prefix, tree, strict=True))
    if isinstance(prefix, dict):
        if not isinstance(tree, dict) or prefix.keys() != tree.keys():
            return None
        return _joined(spread(prefix[key], each) for key, each in tree.items())
    return [prefix] * len(flatten(tree)[0])


def _joined(parts: Iterable[list[Any] | None]) -> list[Any] | None:
    total: list[Any] = []
    for part in parts:
        if part is None:
            return None
        total += part
    return total


def describe(tree: Any) -> str:
    """The structure of `tree` in a few characters: ``(*, [*, *])``.

    >>> describe((1, [2, 3]))
    '(*, [*, *])'
    """
    if isinstance(tree, tuple):
        return "(" + ", ".join(describe(each) for each in tree) + ("," if len(tree) == 1 else "") + ")"
    if isinstance(tree, list):
        return "[" + ", ".join(describe(each) for each in tree) + "]"
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{key!r}: {describe(each)}" for key, each in tree.items()) + "}"
    return "*"
