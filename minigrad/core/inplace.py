"""Run an op in place: overwrite the first input, raise its version, and give it a new history."""

from __future__ import annotations

from typing import Any

from .. import dtypes, events
from ..errors import DtypeError, ShapeError
from ..events import LISTENERS, emit
from .entry import carry_tangents
from .op import Op, common_backend
from .slices import check_apart, check_writable, rebase
from .state import STATE, Mode
from .tensor import Tensor, alias, edges_of

FLOATS, WHOLE = (dtypes.float32.numpy, dtypes.float64.numpy), dtypes.int64.numpy
LARGE = 2**62
"""Numbers below this can be held by each dtype that is written to at once."""


def inplace(op: Op, target: Tensor, *others: Any) -> Tensor:
    """``target.op_(*others)``: compute, overwrite, raise the version, and record. Returns `target`.

    If a gradient needs the old value of `target`, or of a tensor that shares its memory, that value is copied first.
    """
    mode = STATE.mode
    if mode.interpreters:
        return mode.interpreters[-1].interpret_inplace(op, target, others)
    if done_at_once(op, target, others, mode):
        return target
    inputs = (target, *others)
    # Without recording no edge is needed, and asking a view for one may be an error.
    edges = edges_of(inputs) if mode.grad else (None,) * len(inputs)
    recorded = mode.grad and any(edge is not None for edge in edges) and dtypes.differentiable(target._array.dtype)
    check_writable(target, recorded or (mode.grad and target.requires_grad), op.is_uniform(others))
    for each in others:
        if isinstance(each, Tensor) and each._storage is target._storage and each is not target:
            check_apart(target, each)
    if LISTENERS:
        emit(events.OpEntered(op, inputs))
    for watcher in mode.before_write:
        watcher.before_write(target)
    backend = common_backend(op, inputs)
    arrays = op.arrays_of(backend, inputs)
    before = _originals(op, inputs, edges) if recorded else inputs
    if arrays[0] is target._array and op.overwrites(backend, arrays):
        target._storage.version += 1
    else:
        _overwrite(op, target, op.compute(backend, arrays))
    if recorded:
        edges = tuple([None if i in op.constant else edge for i, edge in enumerate(edges)])
        op.attach(before, (target,), edges)
        rebase(target, op)
    if LISTENERS:
        op.announce(before, (target,))
        emit(events.Mutated(target, op))
    return target


def done_at_once(op: Any, target: Tensor, others: tuple[Any, ...], mode: Mode) -> bool:
    """Overwrite `target` with the op's ufunc alone if nothing is recorded and nothing rare is asked for.

    Then the other operand is a number, or a tensor of the same shape and dtype. Return whether it was done.
    """
    array, ufunc = target._array, getattr(op, "ufunc", "")
    if mode.slow or mode.before_write or LISTENERS or target._extra is not None or not ufunc:
        return False
    whole = array.dtype is WHOLE and ufunc in ("add", "subtract", "multiply")
    if not (array.flags.c_contiguous and (whole or array.dtype in FLOATS)) or (mode.grad and target.requires_grad):
        return False
    arrays, numbers = [array], (int,) if whole else (int, float)
    for each in others:
        if isinstance(each, Tensor):
            other = each._array
            if other.shape != array.shape or other.dtype is not array.dtype or each._backend is not target._backend:
                return False
            if (mode.grad and each.requires_grad) or (each is not target and each._storage is target._storage):
                return False
            arrays.append(other)
        elif each.__class__ in numbers and -LARGE < each < LARGE:
            arrays.append(each)
        else:
            return False
    backend = target._backend
    with backend.errstate(all="ignore"):
        getattr(backend, ufunc)(*arrays, out=array)
    target._storage.version += 1
    return True


def _originals(op: Op, inputs: tuple[Any, ...], edges: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return `inputs`, with a copy of each that shares the target's memory and that a gradient needs."""
    needed = tuple([i for i, edge in enumerate(edges) if edge is not None and i not in op.constant])
    saves = op.plan_for(needed).saves
    storage = inputs[0]._storage
    named = (*op.inputs_named, *op.inputs_named[-1:] * (len(inputs) - len(op.inputs_named)))
    return tuple([
        _copied(each, edge) if isinstance(each, Tensor) and each._storage is storage and name in saves else each
        for name, each, edge in zip(named, inputs, edges, strict=True)
    ])  # fmt: skip


def _copied(tensor: Tensor, edge: Any) -> Tensor:
    copy = alias(tensor, edge)
    copy._array = tensor._backend.copy(tensor._array)
    copy._storage = type(tensor._storage)()
    carry_tangents(tensor, copy)
    return copy


def _overwrite(op: Op, target: Tensor, result: Any) -> None:
    check_result(op, target, getattr(result, "shape", ()), result.dtype)
    target._array[...] = result
    target._storage.version += 1


def check_result(op: Op, target: Tensor, shape: tuple[int, ...], dtype: Any) -> None:
    """Raise if a result of this shape and dtype may not overwrite `target`."""
    array = target._array
    if shape != array.shape and _broadcast_is_larger(shape, array.shape):
        raise ShapeError(
            f"output with shape {list(array.shape)} doesn't match the broadcast shape {list(shape)}: an in-place op "
            f"({type(op).__name__}) cannot change the shape of the tensor it writes to."
        )
    kind = dtypes.of(dtype)
    if not dtypes.can_cast(kind, target.dtype):
        raise DtypeError(
            f"result type {kind.type_name} can't be cast to the desired output type {target.dtype.type_name}: "
            f"{type(op).__name__} in place would lose what the result holds. Compute out of place, or convert first."
        )


def _broadcast_is_larger(result: tuple[int, ...], target: tuple[int, ...]) -> bool:
    padded = (1,) * (len(target) - len(result)) + tuple(result)
    return len(padded) > len(target) or any(r not in (t, 1) for r, t in zip(padded, target, strict=True))
