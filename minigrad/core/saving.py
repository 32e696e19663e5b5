"""What a node keeps for its backward: put away after forward, taken out once in backward, and then let go.

Each saved thing is a pair. (tensor, version) for a tensor: if its version has moved on when backward takes it out, it
was changed in place, and the gradient would be wrong, so that is an error. (value, None) for anything else. (payload,
`Packed`) where a saved-tensor hook took the tensor over.

An output is put away without its place in the graph, since output -> node -> output would be a circle that keeps both
alive; it gets its place back when it is taken out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import events
from ..events import emit
from . import messages, packed
from .state import STATE
from .tensor import Tensor, alias, edge_of
from .view import place_of


def save(node: Any, values: Sequence[Any], outputs: Sequence[Tensor]) -> tuple[Any, ...]:
    """`values` as pairs to keep in ``node.saved``."""
    kept: list[tuple[Any, Any]] = []
    own = {id(out) for out in outputs}
    for value in values:
        if not isinstance(value, Tensor):
            kept.append((value, None))
            continue
        if value._extra is not None and value._extra.inference:
            raise messages.inference_saved(node)
        is_output = id(value) in own
        if STATE.mode.saved_hooks and STATE.mode.saved_hooks[-1][0] is not None:
            kept.append(
                packed.pack(value, None if is_output else edge_of(value), is_output, STATE.mode.saved_hooks[-1])
            )
            continue
        kept.append((alias(value) if is_output else value, value._storage.version))
    return tuple(kept)


def restore_only(node: Any) -> Any:
    """The only thing that `node` saved: `restore`, the short way for what needs no hook and no new place."""
    if node.saved is not None:
        value, version = node.saved[0]
        if version is None or (
            version.__class__ is int
            and value._storage.version == version
            and (value._extra is None or value._extra.left < node.seq)
            and not (STATE.mode.grad and node.plan.remade)
        ):
            return value
    return restore(node, node.plan.saves, node.plan.remade)[0]


def restore(node: Any, names: Sequence[str], remade: Sequence[tuple[int, int]], with_history: bool = True) -> list[Any]:
    """What `node` saved, checked; `remade` are the places of those that are its own outputs (place, output number).

    `with_history`: each must still have the place in the graph that it was saved with.
    """
    if node.saved is None:
        raise messages.freed(node)
    values = []
    for i, (value, version) in enumerate(node.saved):
        if version is None:
            pass
        elif version.__class__ is packed.Packed:
            value = packed.unpack(value, version)
        elif value._storage.version != version:
            raise messages.stale(node, names[i], value, version)
        elif value._extra is not None and value._extra.left > node.seq and with_history:
            raise messages.left(node, names[i], value)
        values.append(value)
    if STATE.mode.grad:
        for place, output in remade:
            values[place] = _remade(values[place], place_of(node, output))
    return values


def _remade(kept: Tensor, edge: Any) -> Tensor:
    """An output that was put away, back in its place in the graph, and moving in forward mode as it did."""
    value = alias(kept, edge)
    if kept._extra is not None and kept._extra.tangents:
        value.extra.tangents = kept._extra.tangents
    return value


def announce(node: Any, names: Sequence[str], kept: Sequence[Any]) -> None:
    """Tell the listeners what was saved."""
    for name, (value, version) in zip(names, kept, strict=False):
        if isinstance(value, Tensor) and isinstance(version, int):
            emit(events.TensorSaved(node, name, value, version))
