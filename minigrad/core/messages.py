"""Long error texts of the core. They are built only when something fails."""

from __future__ import annotations

from typing import Any

from .. import events
from ..errors import FreedGraphError, GradError, ShapeError, StaleTensorError
from ..events import LISTENERS, emit
from .graph_extra import maker_of
from .tensor import Tensor, edge_of


def misfitting(found: tuple[int, ...], shape: tuple[int, ...]) -> ShapeError:
    """Return the error for a gradient that cannot be summed to the shape of its input."""
    return ShapeError(f"a gradient of shape {list(found)} came for an input of shape {list(shape)}")


def inference_saved(node: Any) -> GradError:
    """Return the error for an inference tensor that `node` would have to save."""
    return GradError(
        "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode "
        f"in computation tracked by autograd ({node.name()} needs one). Make a clone to get a normal tensor, "
        "or use no_grad() instead of inference_mode()."
    )


def freed(node: Any) -> FreedGraphError:
    """Return the error for a second backward through a released graph."""
    return FreedGraphError(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
        "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
        f"saved tensors after calling backward. Here {node.name()} had already let go of what it saved. Usual causes: "
        "the same loss was used twice, a state was carried to the next step without .detach(), or a part of the "
        "forward pass was computed once, outside the loop."
    )


def left(node: Any, name: str, value: Tensor) -> GradError:
    """Return the error for a saved tensor `name` that `detach_` has removed from its graph: its history is lost."""
    return GradError(
        "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_(). This is not supported, "
        f"please use out-of-place `.detach()` instead. {node.name()} saved it as '{name}', of shape "
        f"{list(value._array.shape)}, to compute gradients with, and a gradient of these would need its history: "
        "write y = y.detach(), or call detach_() after backward."
    )


def stale(node: Any, name: str, value: Tensor, version: int) -> StaleTensorError:
    """Return the error for a saved tensor `name` that was changed in place."""
    edge = edge_of(value)
    made = f", which is output {edge[1]} of {maker_of(edge[0])}," if edge is not None else ""
    if edge is None and name == "out":
        made = f", which is output 0 of {maker_of(node)},"
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
