"""A node's saved tensors: stored after forward, taken out once in backward, and then released.

Each saved value is a pair. (tensor, version) for a tensor: if its version differs when backward takes it out, it was
changed in place, and the gradient would be wrong, so that is an error. (value, None) for anything else. (payload,
`packed.Packed`) for a tensor that a saved-tensor hook packed.

An output is saved without its place in the graph, since output -> node -> output would be a reference cycle that keeps
both alive; it gets its place back when it is taken out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .state import STATE


def restore_only(node: Any) -> Any:
    """Return the only value that `node` saved: `restore` without hooks and without outputs to put back."""
    if node.saved is not None:
        value, version = node.saved[0]
        if version is None or (
            version.__class__ is int
            and value._storage.version == version
            and (value._extra is None or value._extra.left < node.seq)
            and not (node.plan.remade and STATE.mode.grad)
        ):
            return value
    return restore(node, node.plan.saves, node.plan.remade)[0]


def restore(node: Any, names: Sequence[str], remade: Sequence[tuple[int, int]], with_history: bool = True) -> list[Any]:
    """Return the saved tensors of `node`, checked; `remade` lists those that are outputs, as (place, output number).

    With `with_history`, each must still have the history that it was saved with.
    """
    if node.saved is None:
        from . import messages

        raise messages.freed(node)
    values = []
    for i, (value, version) in enumerate(node.saved):
        if version is not None and (
            version.__class__ is not int
            or value._storage.version != version
            or (value._extra is not None and value._extra.left > node.seq)
        ):
            from .packed import unpacked

            value = unpacked(node, names[min(i, len(names) - 1)], value, version, with_history)
        values.append(value)
    if remade and STATE.mode.grad:
        from .packed import remake

        remake(node, values, remade)
    return values
