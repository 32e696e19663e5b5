"""The rare cases of saved tensors: pack hooks, errors about one, outputs that get back their place in the graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import events
from ..errors import ArgumentTypeError, GradError
from ..events import LISTENERS, emit
from . import messages
from .grad_mode import no_grad
from .scope import call_inside
from .slices import place_of
from .state import STATE
from .tensor import Tensor, alias, edge_of


class Packed:
    """How to restore a tensor that a pack hook took: the unpack hook, and the tensor's edge."""

    __slots__ = ("unpack", "edge")

    def __init__(self, unpack: Any, edge: Any) -> None:
        self.unpack = unpack
        self.edge = edge


def saved_pairs(node: Any, values: Sequence[Any], outputs: Sequence[Tensor]) -> tuple[Any, ...]:
    """Return `values` as pairs to keep in ``node.saved``, packed by the innermost pack hook if there is one."""
    hooks = STATE.mode.saved_hooks[-1] if STATE.mode.saved_hooks else (None, None)
    kept: list[tuple[Any, Any]] = []
    for value in values:
        if not isinstance(value, Tensor):
            kept.append((value, None))
        elif value.is_inference():
            raise messages.inference_saved(node)
        else:
            is_output = any(value is out for out in outputs)
            if hooks[0] is None:
                kept.append((alias(value) if is_output else value, value._storage.version))
                continue
            kept.append(pack(value, None if is_output else edge_of(value), is_output, hooks))
    return tuple(kept)


def pack(value: Tensor, edge: Any, is_output: bool, hooks: tuple[Any, Any]) -> tuple[Any, Packed]:
    """Pass `value` to a pack hook. An output is passed outside the graph: its place is not set yet."""
    pack_hook, unpack_hook = hooks
    plain = alias(value) if is_output else value
    version = value._storage.version
    payload = call_inside(no_grad(), pack_hook, plain)
    if value._storage.version != version:
        raise GradError(
            "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot "
            "be modified by in-place operations as this can lead to unexpected side-effects: clone first."
        )
    if LISTENERS:
        emit(events.HookRan("pack", pack_hook, value, value, payload))
    return payload, Packed(unpack_hook, edge)


def unpack(payload: Any, packed: Packed) -> Tensor:
    """Return a tensor from the unpack hook, with its old place in the graph."""
    value = call_inside(no_grad(), packed.unpack, payload)
    if not isinstance(value, Tensor):
        raise ArgumentTypeError(
            f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(value).__name__}"
        )
    if LISTENERS:
        emit(events.HookRan("unpack", packed.unpack, value, payload, value))
    return alias(value, packed.edge) if packed.edge is not None else value


def unpacked(node: Any, name: str, value: Any, version: Any, with_history: bool) -> Any:
    """Return the saved tensor `name` of `node` from its unpack hook. Raise if it was changed or has left its graph."""
    if version.__class__ is Packed:
        return unpack(value, version)
    if value._storage.version != version:
        raise messages.stale(node, name, value, version)
    if with_history:
        raise messages.left(node, name, value)
    return value


def remake(node: Any, values: list[Any], remade: Sequence[tuple[int, int]]) -> None:
    """Give the outputs among `values` their places in the graph and their tangents back."""
    for place, output in remade:
        kept = values[place]
        values[place] = value = alias(kept, place_of(node, output))
        if kept._extra is not None and kept._extra.tangents:
            value.extra.tangents = kept._extra.tangents


def announce(node: Any, names: Sequence[str], kept: Sequence[Any]) -> None:
    """Tell the listeners which tensors were saved."""
    for name, (value, version) in zip(names, kept, strict=False):
        if isinstance(value, Tensor) and isinstance(version, int):
            emit(events.TensorSaved(node, name, value, version))
