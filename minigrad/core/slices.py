"""In-place changes of views and of their bases.

When a view is changed in place, the base gets a `CopySlices` node: the new values in the view's part of the base (its
window), the old base everywhere else. Each view of that base then gets an `AsStrided` node, which leads to the base's
new history. It is made when the view's place in the graph is next asked for; the shared version shows that it is out of
date.

    base ── CopySlices ◄── AsStrided ── view
              │  window: fn (the in-place op)
              └─ old base
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from ..errors import GradError
from .attachment import attach
from .grad_mode import enable_grad
from .gradient_edge import Adrift
from .graph import Edge, Node, leaf_edge, next_sequence_number
from .graph_extra import extra_of, maker_of
from .node_call import call
from .state import STATE
from .tensor import Tensor, edge_of, wrap
from .view import View, Way


class ViewExtras:
    """Methods that keep a view up to date when its base changes; they are attached to `View`."""

    __slots__ = ()

    base: Tensor
    way: Way
    edge: Edge | None
    version: int
    leaf: bool
    kind: Any
    home: Any

    def home_of(self, source: Tensor) -> tuple[Tensor | None, int]:
        """Return the `home` of a view that is taken of `source`, the tensor of this view."""
        return (source, len(self.way)) if self.home[0] is None else self.home

    def new_edge_of(self: Any, tensor: Tensor) -> Edge | None:
        """Return the view's place in the graph, rebuilt if the memory has changed since it was last asked for."""
        if self.leaf:
            return leaf_edge(tensor)
        base = self.base
        version = base._storage.version
        if self.version != version:
            self.way = self.way_now()
            self.remake(tensor)
            self.version = version
        if self.edge is None and (base._edge is not None or base._requires_grad):
            self.edge = (Adrift(), 0)
        return self.edge

    def remake(self: Any, tensor: Tensor) -> None:
        """Rebuild the view's place in the graph if its base has a history."""
        origin = edge_of(self.base)
        if origin is not None:
            if self.kind:
                raise GradError(_why_not(self, indirect=True))
            before, self.edge = self.edge, (AsStrided(Window(self), origin), 0)
            keep_retaining(tensor, before, self.edge)

    def way_now(self: Any) -> Way:
        """Return the ops from the present base to the view. In-place transposes of the base are undone first."""
        way = self.way
        for version, back in self.base._extra.turns if self.base._extra is not None else ():
            if version > self.version:
                if back is None:
                    raise GradError(
                        "The base of this view was given other strides in place (as_strided_), so the way from it to "
                        "the view is lost. Take the view anew, or use as_strided() out of place."
                    )
                way = ((back, 0), *way)
        return way

    def window(self, base: Tensor) -> Tensor:
        """Apply the ops that made this view to another `base` of the same shape."""
        return walked(self.way_now(), base)


def walked(way: Way, base: Tensor) -> Tensor:
    """Apply the ops in `way` to `base`."""
    for op, output in way:
        result = op.again()(base)
        base = result[output] if isinstance(result, tuple) else result
    return base


class Window:
    """A view without its base: the ops, and the layout of the base. Nodes keep this, so as not to hold the base."""

    __slots__ = ("way", "shape", "order", "dtype")

    def __init__(self, view: View) -> None:
        array = view.base._array
        self.way = view.way
        self.shape: tuple[int, ...] = array.shape
        self.dtype = array.dtype
        self.order = sorted(range(array.ndim), key=lambda dim: -array.strides[dim])
        """The dimensions of the base from the longest stride to the shortest."""

    def on(self, base: Tensor) -> Tensor:
        """Return the part of `base` that the window covers."""
        return walked(self.way, base)

    def blank(self, grad: Tensor) -> Tensor:
        """Return zeros laid out like the base, so that the ops of the view can be applied to them."""
        # Under vmap, make room for every example.
        levels = [each for each in STATE.mode.interpreters if each.size is not None]
        many = len(levels)
        sizes = [each.size for each in levels] + [self.shape[dim] for dim in self.order]
        dtype = grad._array.dtype
        if dtype.kind != self.dtype.kind and "c" in (dtype.kind, self.dtype.kind):  # the parts of complex numbers
            dtype = self.dtype
        laid_out = grad._backend.zeros(sizes, dtype)
        back = (*range(many), *(many + self.order.index(dim) for dim in range(len(self.shape))))
        zeros = wrap(laid_out.transpose(*back) if back else laid_out, grad._backend)
        for level in levels:
            zeros = level.wrapped(zeros)
        return zeros


class AsStrided(Node):
    """The node of a view whose base has a new history. Backward puts its gradient into zeros of the base's shape."""

    __slots__ = ("window",)

    __call__ = call

    def __init__(self, window: Window, origin: Edge) -> None:
        self.window = window
        self.edges = (origin,)
        self.seq = next_sequence_number()
        self.extra = None

    def name(self) -> str:
        return "AsStridedBackward0"

    def run(self, grad: Any, unasked: Sequence[int] = ()) -> Sequence[Any]:
        from .differentiate import grad as pull_back

        # An expanded window shows elements several times, so the gradient is computed through the view's ops.
        base = self.window.blank(grad)
        base._requires_grad = True
        with enable_grad():
            seen = self.window.on(base)
        return pull_back(seen, base, grad, create_graph=STATE.mode.grad)


class CopySlices(Node):
    """The node of a base that was changed through a view: the in-place op `fn` in the window, else the identity."""

    __slots__ = ("fn", "window", "metas")

    __call__ = call

    def __init__(self, fn: Any, window: Window, origin: Edge | None) -> None:
        self.fn = fn
        self.window = window
        self.edges = (origin, *fn.edges[1:])
        self.metas = None if fn.metas is None else (None, *fn.metas[1:])
        self.seq = next_sequence_number()
        self.extra = None

    def run(self, grad: Any, unasked: Sequence[int] = ()) -> Sequence[Any]:
        outside = self.window.blank(grad)
        outside.copy_(grad)
        inside = self.window.on(outside)
        inner, *others = self.fn.run(inside.clone())
        if inner is None or overlaps(inside._array):  # shared memory can only have been filled with one value
            inside.zero_()
        else:
            inside.copy_(inner)
        return (outside, *others)

    def release(self) -> None:
        self.fn.release()


def known_place(tensor: Tensor) -> Edge | None:
    """Return the stored place of `tensor` in the graph, without rebuilding a view's history."""
    return tensor._edge if tensor._view is None else tensor._view.edge


def place_of(node: Node, output: int) -> Edge:
    """Return the edge of an output of `node`: at the node itself, or through the `CopySlices` that wraps it."""
    slices = None if node.extra is None or node.extra.slices is None else node.extra.slices()
    return (node, output) if slices is None else (AsStrided(slices.window, (slices, 0)), 0)


# In-place changes ----------------------------------------------------------------------------------------------------


def check_writable(tensor: Tensor, needs_grad: bool, uniform: bool = False) -> None:
    """Raise if an in-place change of `tensor` would be ambiguous or wrong.

    `needs_grad`: a tensor involved needs a gradient; `uniform`: every element gets the same value.
    """
    if not uniform and overlaps(tensor._array):
        raise GradError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation."
        )
    if tensor.is_inference() and not STATE.mode.inference:
        raise GradError(
            "Inplace update to inference tensor outside InferenceMode is not allowed. "
            "You can make a clone to get a normal tensor before doing inplace update."
        )
    if needs_grad and STATE.mode.grad:
        check_place(tensor)


def check_apart(target: Tensor, source: Tensor) -> None:
    """Raise if the memory of `target`, which is written, partly overlaps that of `source`, which is read."""
    from .gradients import dense

    to, read = target._array, source._array
    if type(to) is not type(read) or not (to.size and read.size and dense(to) and dense(read)):
        return  # overlap of memory with gaps is not checked, as in PyTorch
    ours, theirs = target.data_ptr(), source.data_ptr()
    if to.shape == read.shape and to.strides == read.strides and ours == theirs:
        return
    if ours < theirs + read.nbytes and theirs < ours + to.nbytes:
        raise GradError(
            "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
            "memory location. Please clone() the tensor before performing the operation."
        )


def overlaps(array: Any) -> bool:
    """Return whether elements share memory, as after `expand`."""
    return bool(array.size) and any(s == 0 and n > 1 for s, n in zip(array.strides, array.shape, strict=True))


def check_place(tensor: Tensor) -> None:
    """Raise if `tensor` may not get a new history: for leaves, and for some views."""
    view = tensor._view
    if view is not None and view.kind:
        raise GradError(_why_not(view))
    if tensor.requires_grad and tensor.is_leaf and (view is None or view.leaf):
        raise GradError(
            "a leaf Variable that requires grad is being used in an in-place operation. "
            "Change it under no_grad(), or compute a new tensor instead."
        )
    if view is not None and view.base.requires_grad and view.base.is_leaf:
        raise GradError(
            "a view of a leaf Variable that requires grad is being used in an in-place operation. "
            "Change it under no_grad(), or compute a new tensor instead."
        )


def _why_not(view: View, indirect: bool = False) -> str:
    """Return why a view may not be changed in place or, if `indirect`, why it cannot follow a change of its base."""
    edge = view.edge
    maker = maker_of(edge[0]) if edge is not None else type(view.way[-1][0]).__name__ if view.way else "a Function"
    who = f"Output {0 if edge is None else edge[1]} of {maker}"
    what = "and its base or another view of its base has been" if indirect else "and is being"
    if view.kind == "multi":
        return (
            f"{who} is a view {what} modified inplace. This view is the output of a function that returns "
            "multiple views. Such functions do not allow the output views to be modified inplace. You should replace "
            "the inplace operation by an out-of-place one."
        )
    if view.kind == "function":
        return (
            f"{who} is a view {what} modified inplace. This view was created inside a custom Function (or "
            "because an input was returned as-is) and the autograd logic to handle view+inplace would override the "
            "custom backward associated with the custom Function. Replace the inplace operation by an out-of-place one."
        )
    mode, elsewhere = (
        ("inference_mode", "in normal mode") if view.kind == "inference" else ("no_grad", "with grad mode enabled")
    )
    made = "A view" if edge is None or edge[0].begins else f"{who} is a view of a view which"
    return (
        f"{made} was created in {mode.replace('_mode', '')} mode {what} modified inplace {elsewhere}. Given that this "
        "use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and "
        f"the inplace either both inside the {mode} block (if you don't want the inplace to be tracked) or both "
        "outside (if you want the inplace to be tracked)."
    )


def rebase(tensor: Tensor, node: Any) -> None:
    """Give `tensor`, or its base, the new history after `node` changed it in place. `node` already has its edges."""
    view = tensor._view
    if view is None:
        before, tensor._edge = tensor._edge, (node, 0)
        tensor._requires_grad = False
        keep_retaining(tensor, before, tensor._edge)
        return
    base = view.base
    slices = CopySlices(node, Window(view), edge_of(base))
    if node.plan.remade if hasattr(node, "plan") else node.remade:
        extra_of(node).slices = weakref.ref(slices)
    before, base._edge = base._edge, (slices, 0)
    base._requires_grad = False
    keep_retaining(base, before, base._edge)
    view.remake(tensor)
    view.version = base._storage.version


def keep_retaining(tensor: Tensor, before: Edge | None, after: Edge) -> None:
    """Let a tensor that retains its gradient do so at its new place in the graph."""
    if before is None or before[0].extra is None:
        return
    retains = before[0].extra.retains
    kept = retains.get(before[1])
    if kept is not None and kept() is tensor:
        extra_of(after[0]).retains[after[1]] = retains.pop(before[1])


attach(View, ViewExtras)
