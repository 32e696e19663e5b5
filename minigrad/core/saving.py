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
from ..errors import ArgumentTypeError, FreedGraphError, GradError, StaleTensorError
from ..events import LISTENERS, emit
from .grad_mode import no_grad
from .scope import call_inside
from .state import STATE
from .tensor import Tensor, alias, edge_of
from .view import place_of


class Packed:
    """How to get back a tensor that a pack hook took over."""

    __slots__ = ("unpack", "edge")

    def __init__(self, unpack: Any, edge: Any) -> None:
        self.unpack = unpack
        self.edge = edge


def save(node: Any, values: Sequence[Any], outputs: Sequence[Tensor]) -> tuple[Any, ...]:
    """`values` as pairs to keep in ``node.saved``."""
    kept: list[tuple[Any, Any]] = []
    own = {id(out) for out in outputs}
    for value in values:
        if not isinstance(value, Tensor):
            kept.append((value, None))
            continue
        if value._extra is not None and value._extra.inference:
            raise GradError(
                "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode "
                f"in computation tracked by autograd ({node.name()} needs one). Make a clone to get a normal tensor, "
                "or use no_grad() instead of inference_mode()."
            )
        is_output = id(value) in own
        if STATE.mode.saved_hooks and STATE.mode.saved_hooks[-1][0] is not None:
            kept.append(pack(value, None if is_output else edge_of(value), is_output, STATE.mode.saved_hooks[-1]))
            continue
        kept.append((alias(value) if is_output else value, value._storage.version))
    return tuple(kept)


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
        raise freed(node)
    values = []
    for i, (value, version) in enumerate(node.saved):
        if version is None:
            pass
        elif version.__class__ is Packed:
            value = unpack(value, version)
        elif value._storage.version != version:
            raise stale(node, names[i], value, version)
        elif value._extra is not None and value._extra.left > node.seq and with_history:
            raise left(node, names[i], value)
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


def announce(node: Any, names: Sequence[str], kept: Sequence[Any]) -> None:
    """Tell the listeners what was saved."""
    for name, (value, version) in zip(names, kept, strict=False):
        if isinstance(value, Tensor) and isinstance(version, int):
            emit(events.TensorSaved(node, name, value, version))


def freed(node: Any) -> FreedGraphError:
    """The error of a second backward."""
    return FreedGraphError(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
        "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
        f"saved tensors after calling backward. Here {node.name()} had already let go of what it saved. Usual causes: "
        "the same loss was used twice, a state was carried to the next step without .detach(), or a part of the "
        "forward pass was computed once, outside the loop."
    )


def left(node: Any, name: str, value: Tensor) -> GradError:
    """The error of a saved tensor, kept under `name`, that has left its graph: what it was computed from is lost."""
    return GradError(
        "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_(). This is not supported, "
        f"please use out-of-place `.detach()` instead. {node.name()} saved it as '{name}', of shape "
        f"{list(value._array.shape)}, to compute gradients with, and a gradient of these would need its history: "
        "write y = y.detach(), or call detach_() after backward."
    )


def stale(node: Any, name: str, value: Tensor, version: int) -> StaleTensorError:
    """The error of a saved tensor, kept under `name`, that was changed in place."""
    edge = edge_of(value)
    made = f", which is output {edge[1]} of {edge[0].name()}," if edge is not None else ""
    if edge is None and name == "out":
        made = f", which is output 0 of {node.name()},"
    message = (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[minigrad.{value.dtype.type_name}Tensor {list(value._array.shape)}]{made} is at version "
        f"{value._storage.version}; expected version {version} instead. {node.name()} saved it as '{name}'. "
        "Hint: compute the new value out of place (x = x + 1 instead of x += 1), or clone() before changing it; "
        "autograd.set_detect_anomaly(True) shows the lines."
    )
    if LISTENERS:
        emit(events.AnomalyFound("stale", node, message))
    return StaleTensorError(message)
