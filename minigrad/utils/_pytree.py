"""Trees of tensors under the names that programs import from PyTorch's module: see `minigrad.func.tree`.

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
    """A tree's structure, without its leaves."""

    def __init__(self, structure: Any, num_leaves: int) -> None:
        self._structure = structure
        self.num_leaves = num_leaves

    def unflatten(self, leaves: Any) -> Any:
        """The tree with these leaves; ArgumentError where there are more or fewer than it has places."""
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ArgumentError(
                f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree that "
                f"holds {self.num_leaves} items"
            )
        return trees.unflatten(self._structure, leaves)

    def is_leaf(self) -> bool:
        """Whether the tree was one leaf and nothing else."""
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
    """The leaves from left to right, and the structure. None is a leaf; so is what `is_leaf` says is one."""
    leaves, structure = trees.flatten(tree, is_leaf)
    return leaves, TreeSpec(structure, len(leaves))


def tree_unflatten(leaves: Any, treespec: TreeSpec) -> Any:
    """The tree of this structure with these leaves."""
    return treespec.unflatten(leaves)


def tree_leaves(tree: Any, is_leaf: IsLeaf = None) -> list[Any]:
    """The leaves from left to right."""
    return tree_flatten(tree, is_leaf)[0]


def tree_structure(tree: Any, is_leaf: IsLeaf = None) -> TreeSpec:
    """The structure without its leaves."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """A tree of the same structure with `func` of each leaf, given with the leaves of `rests` at its place.

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
    """Calls `func` of each leaf for what it does, and returns `tree`."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_only(kind: Any, func: Any = None, tree: Any = None, is_leaf: IsLeaf = None) -> Any:
    """`tree_map`, of those leaves only that are a `kind`: a type, a tuple of types, or a function that says."""
    chosen = kind if callable(kind) and not isinstance(kind, type) else lambda leaf: isinstance(leaf, kind)
    return tree_map(lambda leaf: func(leaf) if chosen(leaf) else leaf, tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether `pred` holds of every leaf."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether `pred` holds of some leaf."""
    return any(map(pred, tree_leaves(tree, is_leaf)))


def register_pytree_node(
    cls: type, flatten_fn: Callable[[Any], Any], unflatten_fn: Callable[[Any, Any], Any], **given: Any
) -> None:
    """Makes every `cls` a node: `flatten_fn` gives its children and a context, `unflatten_fn` makes one of both.

    The transforms of `minigrad.func` look into it from then on. Names for serialisation are taken and not used.
    """
    if cls in trees.NODES:
        raise ArgumentError(f"{cls} is already registered as pytree node.")
    trees.NODES[cls] = (flatten_fn, unflatten_fn)
