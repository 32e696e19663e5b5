"""The node of a user's Function, its ctx, and how its outputs get their place in the graph."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from ..core import messages, packed, saving
from ..core.accumulate import fit
from ..core.grad_mode import enable_grad
from ..core.graph import Edge, Node, next_sequence_number
from ..core.looking import SavedTensor
from ..core.slices import check_writable, rebase
from ..core.smallprint import grad_dtype_of
from ..core.state import STATE
from ..core.tensor import Tensor, alias, edge_of, wrap
from ..core.view import View, ViewKind
from ..errors import ArgumentTypeError, AssertedArgumentError, GradError
from ..events import LISTENERS, NodeRecorded, SavedReleased, emit

if TYPE_CHECKING:
    from .function import Function


class FunctionCtx:
    """The object that ``forward`` and ``backward`` share. Any attribute may be set on it; the node keeps it."""

    needs_input_grad: tuple[bool, ...]
    _to_save: tuple[Any, ...] = ()
    _for_forward: tuple[Any, ...] = ()
    _dirty: tuple[Any, ...] = ()
    _non_differentiable: tuple[Any, ...] = ()
    _materialize_grads = True
    _materialize_non_diff_grads = True

    _pushing = False
    _differentiable: tuple[bool, ...] = ()
    """For each output, whether it is differentiable; known after forward."""

    def __init__(self, node: FunctionNode) -> None:
        self._node = weakref.ref(node)

    @contextmanager
    def pushing(self) -> Iterator[None]:
        """Inside, ``saved_tensors`` returns what was saved for ``jvp``."""
        self._pushing = True
        try:
            yield
        finally:
            self._pushing = False

    def __getattr__(self, name: str) -> Any:
        """Read a missing attribute from the node: ``ctx.name()``, ``ctx.next_functions``."""
        node = self.__dict__["_node"]()
        if node is None or name.startswith("__"):
            owner = type(self if node is None else node).__name__
            raise AttributeError(f"{owner!r} object has no attribute {name!r}: forward did not set it")
        return node.of_node(name)

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors (or None) for ``backward`` to read as ``ctx.saved_tensors``. In-place changes are detected."""
        for index, each in enumerate(tensors):
            if each is not None and not isinstance(each, Tensor):
                raise ArgumentTypeError(
                    f"save_for_backward can only save variables, but argument {index} is of type "
                    f"{type(each).__name__}. Set anything else as an attribute: ctx.name = value."
                )
        self._to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Keep tensors (or None) for ``jvp``, which reads them as ``ctx.saved_tensors``."""
        if not all(each is None or isinstance(each, Tensor) for each in tensors):
            raise AssertedArgumentError(
                "save_for_forward expects all arguments to be tensors; you should save non-tensors as attributes on "
                "ctx: ctx.name = value."
            )
        self._for_forward = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Say which inputs ``forward`` changed in place; each must be returned."""
        for index, each in enumerate(args):
            if not isinstance(each, Tensor):
                raise GradError(
                    f"mark_dirty can only accept variables, but argument {index} is of type {type(each).__name__}: "
                    "pass the input tensors that forward wrote to."
                )
        self._dirty = args

    def mark_shared_storage(self, *pairs: Any) -> None:
        """Do nothing but warn: shared memory is detected without it."""
        warnings.warn(
            "mark_shared_storage is deprecated. Tensors with shared storages are automatically tracked. Note that "
            "calls to `set_()` are not tracked",
            FutureWarning,
            stacklevel=2,
        )

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Say which outputs have no gradient."""
        for each in args:
            if not isinstance(each, Tensor):
                raise GradError(
                    f"mark_non_differentiable only accepts variable arguments, but got {type(each).__name__}: pass the "
                    "output tensors that have no gradient."
                )
        self._non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Set whether ``backward`` gets zeros (the default) or None for a gradient that never arrived."""
        if not isinstance(value, bool):
            raise ArgumentTypeError(f"set_materialize_grads expected a bool, but got {type(value).__name__}")
        self._materialize_grads = value

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """The tensors of ``save_for_backward``; an error if the graph was freed or a tensor changed in place."""
        node = self._node()
        if self._pushing or node is None:
            return self._for_forward
        return tuple(node.restored() if not node.user_function.clear_saved_tensors_on_access else node.restored_once())

    @property
    def saved_variables(self) -> tuple[Tensor | None, ...]:
        """The old name of `saved_tensors`."""
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors


class FunctionNode(Node):
    """The node of a Function in the graph. Each Function has a subclass named after it."""

    takes_nothing = True

    user_function: ClassVar[type[Function]]
    inputs_taken: Sequence[Any]
    shapes_out: Sequence[Any]

    def __init__(self) -> None:
        self.extra = None
        self.ctx = FunctionCtx(self)
        self.saved: Sequence[Any] | None = ()
        self.remade: Sequence[tuple[int, int]] = ()
        self.emptied = False

    def __getattr__(self, name: str) -> Any:
        """Read a missing attribute from the ctx, so that ``grad_fn`` shows what ``forward`` set there."""
        ctx = self.__dict__.get("ctx")
        if ctx is not None and (name in ctx.__dict__ or hasattr(FunctionCtx, name)):
            return getattr(ctx, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def of_node(self, name: str) -> Any:
        """Return an attribute of the node itself, which the ctx asks for."""
        try:
            return object.__getattribute__(self, name)
        except AttributeError:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}: forward did not set it"
            ) from None

    def restored(self) -> list[Any]:
        """Return the saved tensors, checked. Outputs among them are in the graph again, even without recording."""
        if self.saved is None:
            raise messages.freed(self)
        recording = STATE.mode.grad
        with enable_grad():
            return saving.restore(self, [str(i) for i in range(len(self.saved))], self.remade, recording)

    def restored_once(self) -> list[Any]:
        """Return the saved tensors, and release them at once."""
        if self.emptied:
            raise GradError(
                "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the "
                f"autograd.Function. Keep what it returned in {type(self).__name__}, or set it to False."
            )
        found = self.restored()
        self.emptied = True
        self.release()
        return found

    @property
    def _raw_saved_tensors(self) -> tuple[SavedTensor, ...]:
        """The slots of the saved tensors, on which hooks can be registered."""
        if self.saved is None:
            raise messages.freed(self)
        return tuple(SavedTensor(self, place, self.remade) for place in range(len(self.saved)))

    def release(self) -> None:
        if self.saved:
            self.saved = None
            if LISTENERS:
                emit(SavedReleased(self))

    def run(self, grad: Any, unasked: Sequence[int] = ()) -> Sequence[Any]:
        grads = list(grad) if self.outputs > 1 else [grad]
        ctx = self.ctx
        for index, meta in enumerate(self.shapes_out):
            if grads[index] is None and meta is not None:
                shape, dtype, backend, differentiable = meta
                if ctx._materialize_grads and (differentiable or ctx._materialize_non_diff_grads):
                    grads[index] = wrap(backend.zeros(shape, dtype), backend)
        rule = self.user_function.rule()
        return self.checked(rule(ctx, grads) if self.user_function.boxed_grads_call else rule(ctx, *grads))

    def checked(self, results: Any) -> list[Tensor | None]:
        """Check the gradients that the user's ``backward`` returned: their number, and that each fits its input."""
        results = results if isinstance(results, tuple) else (results,)
        name, wanted = type(self).__name__, len(self.edges)
        if len(results) > wanted and all(each is None for each in results[wanted:]):
            results = results[:wanted]
        if len(results) != wanted:
            raise GradError(
                f"function {name} returned an incorrect number of gradients (expected {wanted}, got {len(results)}): "
                "backward returns one gradient for each argument of forward, None where there is none."
            )
        return [self.fitted(index, each) for index, each in enumerate(results)]

    def fitted(self, index: int, grad: Any) -> Tensor | None:
        """Return one of these gradients, summed and cast to fit its input."""
        meta = self.inputs_taken[index]
        if grad is None:
            return None
        if not isinstance(grad, Tensor):
            raise GradError(f"expected Variable or None (got {type(grad).__name__})")
        if meta is None:
            raise GradError(
                f"function {type(self).__name__} returned a gradient different from None at position {index + 1}, "
                "but the corresponding forward input was not a Variable"
            )
        shape, dtype = meta
        if self.edges[index] is None:
            return None
        found = grad._array.shape
        padded = (1,) * (len(found) - len(shape)) + tuple(shape)
        if len(padded) > len(found) or any(want not in (got, 1) for want, got in zip(padded, found, strict=True)):
            raise GradError(
                f"Function {type(self).__name__} returned an invalid gradient at index {index} - got {list(found)} "
                f"but expected shape compatible with {list(shape)}"
            )
        return fit(grad, shape, dtype)


def finish(node: FunctionNode, args: tuple[Any, ...], edges: tuple[Edge | None, ...], outputs: Any) -> Any:
    """Add the node to the graph, and give every output its place there. Return the outputs."""
    recorded = STATE.mode.grad and any(edge is not None for edge in edges)
    results = outputs if isinstance(outputs, tuple) else (outputs,)
    _check_dirty(node, args, results)
    node.seq = next_sequence_number()
    node.edges = edges if recorded else (None,) * len(args)
    node.inputs_taken = [(x._array.shape, _grad_dtype(x)) if isinstance(x, Tensor) else None for x in args]
    node.outputs = max(len(results), 1)
    placed = _places(node, results, args, recorded)
    node.shapes_out = [_meta(node, before, after) for before, after in zip(results, placed, strict=True)]
    node.ctx._differentiable = tuple(meta is not None and meta[3] for meta in node.shapes_out)
    if recorded:
        _save(node, results, placed, args)
    if LISTENERS:
        tensors = tuple(each for each in placed if isinstance(each, Tensor))
        emit(NodeRecorded(node, args, tensors, recorded))
        packed.announce(node, [str(i) for i in range(len(node.saved or ()))], node.saved or ())
    node.ctx._dirty = node.ctx._non_differentiable = ()  # else a reference cycle
    return placed if isinstance(outputs, tuple) else placed[0]


def _among(tensor: Any, tensors: Iterable[Any]) -> bool:
    return any(tensor is each for each in tensors)


def _grad_dtype(tensor: Tensor) -> Any:
    return grad_dtype_of(tensor)


def _check_dirty(node: FunctionNode, args: Sequence[Any], results: Sequence[Any]) -> None:
    for each in node.ctx._dirty:
        if not _among(each, args):
            told = (
                "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated "
                "should be passed to ctx.mark_dirty()."
            )
            if each._view is not None:
                raise GradError(told)
            warnings.warn(told, UserWarning, stacklevel=5)
        if not _among(each, results):
            raise GradError(
                "Some elements marked as dirty during the forward method were not returned as output. "
                "The inputs that are modified inplace must all be outputs of the Function."
            )
        each._storage.version += 1  # forward may have changed it unnoticed, through NumPy


def _places(node: FunctionNode, results: Sequence[Any], args: Sequence[Any], recorded: bool) -> tuple[Any, ...]:
    """Return the outputs with their places in the graph. A tensor that is returned twice stays one tensor."""
    placed: dict[int, Any] = {}
    tensors = [each for each in results if isinstance(each, Tensor)]
    kind: ViewKind = "function" if len(tensors) == 1 else "multi"
    for number, each in enumerate(results):
        if isinstance(each, Tensor):  # a tensor that is returned twice gets its last place, as in PyTorch
            placed[id(each)] = _place(node, number, each, args, recorded, kind)
    return tuple([placed[id(each)] if isinstance(each, Tensor) else each for each in results])


def _place(node: FunctionNode, number: int, out: Tensor, args: Sequence[Any], recorded: bool, kind: ViewKind) -> Tensor:
    """Return one output with its place in the graph: it was changed in place, is an input, a view, or new."""
    differentiable = out.dtype.is_differentiable and not _among(out, node.ctx._non_differentiable)
    if _among(out, node.ctx._dirty):
        if recorded and differentiable:
            _rebase_dirty(node, number, out, kind)
        return out
    if _among(out, args):
        out = _handed_through(out)
        if not differentiable and out.requires_grad:
            return out.detach()
    view = out._view
    if view is not None and STATE.mode.grad:
        view.kind = kind
    if recorded and differentiable:
        edge: Edge = (node, number)
        if view is not None:
            view.connect(*edge)
        elif out._edge is not None or out._requires_grad:
            out = alias(out, edge)
        else:
            out._edge = edge
    return out


def _handed_through(tensor: Tensor) -> Tensor:
    """Return a view of an input that ``forward`` returned unchanged, so that the output gets a place of its own."""
    out = alias(tensor)
    base = tensor if tensor._view is None else tensor._view.base
    out._view = View(base, () if tensor._view is None else tensor._view.way, "no_grad")
    return out


def _rebase_dirty(node: FunctionNode, number: int, out: Tensor, kind: ViewKind) -> None:
    """Give an input that ``forward`` changed in place its new history, with the checks that in-place ops use."""
    view = out._view
    if view is None and out._edge is None and out._requires_grad:
        raise GradError(
            "a leaf Variable that requires grad has been used in an in-place operation. "
            "A Function that changes its input needs a non-leaf: call it on x.clone()."
        )
    check_writable(out, True)
    if view is not None and kind == "multi":
        raise GradError(
            "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return "
            "more than one Tensor: make sure that the input is no view, with .clone(), or return only one Tensor."
        )
    node.metas = None
    rebase(out, node)
    if view is None:
        out._edge = (node, number)


def _meta(node: FunctionNode, before: Any, after: Any) -> tuple[Any, ...] | None:
    if not isinstance(after, Tensor):
        return None
    differentiable = after.dtype.is_differentiable and not _among(before, node.ctx._non_differentiable)
    return (after._array.shape, after._array.dtype, after._backend, differentiable)


def _save(node: FunctionNode, results: Sequence[Any], placed: Sequence[Any], args: Sequence[Any]) -> None:
    """Save the tensors of ``save_for_backward``. Only now is it known which of them are outputs."""
    inputs = [each for each in args if not _among(each, node.ctx._dirty)]  # a returned input stays an input
    outputs = [each for each in (*results, *placed) if isinstance(each, Tensor) and not _among(each, inputs)]
    numbers = {id(each): i for i, each in enumerate(results) if isinstance(each, Tensor)}
    node.remade = tuple(
        (place, numbers[id(each)])
        for place, each in enumerate(node.ctx._to_save)
        if each is not None
        and id(each) in numbers
        and edge_of(results[numbers[id(each)]]) is not None
        and edge_of(results[numbers[id(each)]])[0] is node  # type: ignore[index]
    )
    node.saved = packed.saved_pairs(node, node.ctx._to_save, outputs)
    node.ctx._to_save = ()
