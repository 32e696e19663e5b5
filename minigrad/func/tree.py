"""Trees: nested tuples, lists and dicts of tensors, split into leaves and put together again.

>>> leaves, structure = flatten({"a": 1, "b": (2, 3)})
>>> leaves
[1, 2, 3]
>>> unflatten(structure, [10, 20, 30])
{'a': 10, 'b': (20, 30)}
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

LEAF = object()
"""Marks the place of a leaf in a structure."""

NODES: dict[type, tuple[Callable[[Any], Any], Callable[[Any, Any], Any]]] = {
    deque: (lambda node: (list(node), node.maxlen), deque),
    defaultdict: (
        lambda node: (list(node.values()), (node.default_factory, list(node))),
        lambda children, context: defaultdict(context[0], zip(context[1], children, strict=True)),
    ),
}
"""Further types of nodes, each with two functions: node -> (children, context), and (children, context) -> node."""


def flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], Any]:
    """Return the leaves of `tree` from left to right, and its structure without them. None is a leaf, too."""
    leaves: list[Any] = []

    def take(leaf: Any) -> Any:
        leaves.append(leaf)
        return LEAF

    return leaves, map_leaves(take, tree, is_leaf)


def unflatten(structure: Any, leaves: Iterable[Any]) -> Any:
    """Return the tree with this structure and these leaves."""
    following: Iterator[Any] = iter(leaves)
    return map_leaves(lambda _: next(following), structure)


def map_leaves(function: Callable[[Any], Any], tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """Return `tree` with `function` applied to every leaf. `is_leaf` may declare more values leaves."""
    if is_leaf is not None and is_leaf(tree):
        return function(tree)
    if type(tree) in NODES:
        children, context = NODES[type(tree)][0](tree)
        return NODES[type(tree)][1]([map_leaves(function, each, is_leaf) for each in children], context)
    if isinstance(tree, tuple):
        parts = [map_leaves(function, each, is_leaf) for each in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)
    if isinstance(tree, list):
        return [map_leaves(function, each, is_leaf) for each in tree]
    if isinstance(tree, dict):
        mapped = {key: map_leaves(function, each, is_leaf) for key, each in tree.items()}
        return OrderedDict(mapped) if isinstance(tree, OrderedDict) else mapped
    return function(tree)


def spread(prefix: Any, tree: Any) -> list[Any] | None:
    """Return the value of `prefix` for each leaf of `tree`; a value at a node counts for all leaves below. None: no
    fit.

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
    """Return the structure of `tree` as a short text: ``(*, [*, *])``.

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
