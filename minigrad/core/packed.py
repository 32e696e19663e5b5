"""Saved-tensor hooks: what is kept of a tensor that a pack hook took over, and how it comes back."""

from __future__ import annotations

from typing import Any

from .. import events
from ..errors import ArgumentTypeError, GradError
from ..events import LISTENERS, emit
from .grad_mode import no_grad
from .scope import call_inside
from .tensor import Tensor, alias


class Packed:
    """How to get back a tensor that a pack hook took over."""

    __slots__ = ("unpack", "edge")

    def __init__(self, unpack: Any, edge: Any) -> None:
        self.unpack = unpack
        self.edge = edge


def pack(value: Tensor, edge: Any, is_output: bool, hooks: tuple[Any, Any]) -> tuple[Any, Packed]:
    """Hand `value` to a pack hook: an input itself, an output without its place in the graph, which it has not yet."""
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
    """Get a tensor back from the unpack hook, in its old place in the graph."""
    value = call_inside(no_grad(), packed.unpack, payload)
    if not isinstance(value, Tensor):
        raise ArgumentTypeError(
            f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(value).__name__}"
        )
    if LISTENERS:
        emit(events.HookRan("unpack", packed.unpack, value, payload, value))
    return alias(value, packed.edge) if packed.edge is not None else value
