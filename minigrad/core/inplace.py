"""Running an op in place: the result overwrites the first input, whose version and history move on."""

from __future__ import annotations

from typing import Any

from .. import dtypes, events
from ..errors import DtypeError, ShapeError
from ..events import LISTENERS, emit
from .grad_mode import STATE
from .op import Op, array_of, common_backend, quietly
from .tensor import Tensor, alias, edge_of
from .view import check_writable, rebase


def inplace(op: Op, target: Tensor, *others: Any) -> Tensor:
    """``target.op_(*others)``: compute, overwrite, raise the version, and record. Returns `target`.

    Where a gradient asks for `target` as it was, that is copied before it is overwritten.
    """
    if STATE.interpreters:
        return STATE.interpreters[-1].interpret_inplace(op, target, others)  # type: ignore[no-any-return]
    inputs = (target, *others)
    edges = tuple([edge_of(each) if isinstance(each, Tensor) else None for each in inputs])
    recorded = STATE.grad and any(edge is not None for edge in edges)
    check_writable(target, recorded or (STATE.grad and target.requires_grad))
    if LISTENERS:
        emit(events.OpEntered(op))
    for told in STATE.before_write:
        told(target)
    backend = common_backend(op, inputs)
    arrays = op.promoted(backend, inputs) if op.promotion else [array_of(each) for each in inputs]
    try:
        result = op.forward(backend, *arrays)
    except RuntimeWarning:
        result = quietly(op.forward, backend, *arrays)
    before = _original(op, target, edges) if recorded else target
    _overwrite(op, target, result)
    if recorded:
        needed = tuple([i for i, edge in enumerate(edges) if edge is not None])
        op.attach((before, *others), (target,), edges, needed)
        rebase(target, op)
    if LISTENERS:
        op.announce((before, *others), (target,))
        emit(events.Mutated(target, op))
    return target


def _original(op: Op, target: Tensor, edges: tuple[Any, ...]) -> Tensor:
    """`target` as it is now, if any gradient will ask for it."""
    needed = tuple([i for i, edge in enumerate(edges) if edge is not None])
    if op.inputs_named[0] not in op.plan_for(needed).saves:
        return target
    copy = alias(target, edges[0])
    copy._array = target._backend.copy(target._array)
    copy._storage = type(target._storage)()
    return copy


def _overwrite(op: Op, target: Tensor, result: Any) -> None:
    check_result(op, target, getattr(result, "shape", ()), result.dtype)
    target._array[...] = result
    target._storage.version += 1


def check_result(op: Op, target: Tensor, shape: tuple[int, ...], dtype: Any) -> None:
    """Whether a result of this shape and type may overwrite `target`."""
    array = target._array
    if shape != array.shape and _broadcast_is_larger(shape, array.shape):
        raise ShapeError(
            f"output with shape {list(array.shape)} doesn't match the broadcast shape {list(shape)}: an in-place op "
            f"({type(op).__name__}) cannot change the shape of the tensor it writes to."
        )
    kind = dtypes.of(dtype)
    if not dtypes.can_cast(kind, target.dtype):
        raise DtypeError(
            f"result type {kind.name} can't be cast to the desired output type {target.dtype.name}: "
            f"{type(op).__name__} in place would lose what the result holds. Compute out of place, or convert first."
        )


def _broadcast_is_larger(result: tuple[int, ...], target: tuple[int, ...]) -> bool:
    padded = (1,) * (len(target) - len(result)) + tuple(result)
    return len(padded) > len(target) or any(r not in (t, 1) for r, t in zip(padded, target, strict=True))
