"""Trees of tensors, by the names of PyTorch's module: see `minigrad.func.tree`.

>>> leaves, spec = tree_flatten({"a": 1, "b": (2, 3)})
>>> leaves, spec.num_leaves
([1, 2, 3], 3)
>>> tree_unflatten([10, 20, 30], spec)
{'a': 10, 'b': (20, 30)}
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import ArgumentError
from ..func import tree as trees

__all__ = [
    "TreeSpec", "register_pytree_node", "tree_all", "tree_any", "tree_flatten", "tree_leaves", "tree_map", "tree_map_",
    "tree_map_only", "tree_structure", "tree_unflatten",
]  # fmt: skip

IsLeaf = Callable[[Any], bool] | None


class TreeSpec:
    """The structure of a tree, without its leaves."""

    def __init__(self, structure: Any, num_leaves: int) -> None:
        self._structure = structure
        self.num_leaves = num_leaves

    def unflatten(self, leaves: Any) -> Any:
        """Return the tree with these leaves. ArgumentError if their number is wrong."""
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ArgumentError(
                f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree that "
                f"holds {self.num_leaves} items"
            )
        return trees.unflatten(self._structure, leaves)

    def is_leaf(self) -> bool:
        """Return whether the tree is a single leaf."""
        return self._structure is trees.LEAF

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TreeSpec) and self._structure == other._structure

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"TreeSpec({trees.map_leaves(lambda _: _Star(), self._structure)!r})"


class _Star:
    def __repr__(self) -> str:
        return "*"


def tree_flatten(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[Any], TreeSpec]:
    """Return the leaves from left to right, and the structure. None is a leaf, and so is what `is_leaf` accepts."""
    leaves, structure = trees.flatten(tree, is_leaf)
    return leaves, TreeSpec(structure, len(leaves))


def tree_unflatten(leaves: Any, treespec: TreeSpec) -> Any:
    """Return the tree with this structure and these leaves."""
    return treespec.unflatten(leaves)


def tree_leaves(tree: Any, is_leaf: IsLeaf = None) -> list[Any]:
    """Return the leaves from left to right."""
    return tree_flatten(tree, is_leaf)[0]


def tree_structure(tree: Any, is_leaf: IsLeaf = None) -> TreeSpec:
    """Return the structure without the leaves."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """Return a tree of the same structure with `func` of each leaf and of the leaves of `rests` in the same place.

    >>> tree_map(lambda a, b: a + b, {"x": 1, "y": [2]}, {"x": 10, "y": [20]})
    {'x': 11, 'y': [22]}
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [_leaves_under(spec, rest, is_leaf) for rest in rests]
    return spec.unflatten(func(*each) for each in zip(leaves, *others, strict=True))


def _leaves_under(spec: TreeSpec, tree: Any, is_leaf: IsLeaf) -> list[Any]:
    leaves, own = tree_flatten(tree, is_leaf)
    if own != spec:
        raise ArgumentError(f"tree_map(): the trees differ in structure: {spec} and {own}")
    return leaves


def tree_map_(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """Call `func` with each leaf for its side effects, and return `tree`."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_only(kind: Any, func: Any = None, tree: Any = None, is_leaf: IsLeaf = None) -> Any:
    """Do what `tree_map` does, for leaves of a `kind` only: a type, a tuple of types, or a predicate."""
    chosen = kind if callable(kind) and not isinstance(kind, type) else lambda leaf: isinstance(leaf, kind)
    return tree_map(lambda leaf: func(leaf) if chosen(leaf) else leaf, tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Return whether `pred` is true for every leaf."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Return whether `pred` is true for any leaf."""
    return any(map(pred, tree_leaves(tree, is_leaf)))


def register_pytree_node(
    cls: type, flatten_fn: Callable[[Any], Any], unflatten_fn: Callable[[Any, Any], Any], **given: Any
) -> None:
    """Make instances of `cls` nodes. `flatten_fn` returns children and a context; `unflatten_fn` takes both.

    The transforms of `minigrad.func` then treat them as trees. Names for serialisation are accepted, without effect.
    """
    if cls in trees.NODES:
        raise ArgumentError(f"{cls} is already registered as pytree node.")
    trees.NODES[cls] = (flatten_fn, unflatten_fn)
