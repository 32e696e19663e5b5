"""The fast path for ops of one and two inputs that have no settings.

Dispatch is the hot path of the whole library. Nearly every call is plain: float32 or float64 tensors of one dtype on
one device, no listener, no rare mode. `unary` and `binary` make a function for one op that takes the fast path in that
case. For one input this is `Op.apply_alone`; for two it is written out here. Every other call goes to `Op.apply`. They
add no behaviour; a test runs both paths on every op and compares.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import dtypes
from ..events import LISTENERS
from .declared import named
from .graph import NOWHERE
from .op import Op
from .state import STATE
from .tensor import Storage, Tensor, edge_of, make, new

F32, F64 = dtypes.float32.numpy, dtypes.float64.numpy


def unary(op: type[Op]) -> Callable[[Any], Tensor]:
    """Return the function that calls `op`, which has one input and no settings."""

    def call(input: Any) -> Tensor:
        mode = STATE.mode
        if mode.slow or (LISTENERS and mode.announced()) or not isinstance(input, Tensor):
            return op.on_operands(input)
        return new(op).apply_alone(input, mode)

    return named(call, op)


def binary(op: type[Op], operator: bool = False) -> Callable[[Any, Any], Tensor]:
    """Return the function that calls `op`, which has two inputs and no settings.

    An `operator` returns NotImplemented for operands of other classes, so that Python tries their reflected method.
    """
    blank = op()
    forward = blank.forward
    able = [i for i in (0, 1) if op.differentiable(i)]
    masks = [tuple([i for i in able if i in mask]) for mask in ((0,), (1,), (0, 1))]
    of_first, of_second, of_both = (op.plan_for(needed) if needed else None for needed in masks)
    takes_b = 1 in able
    order = op.memory_order

    def call(input: Any, other: Any) -> Tensor:
        mode = STATE.mode
        if mode.slow or (LISTENERS and mode.announced()) or not isinstance(input, Tensor):
            return op.on_operands(input, other, operator=operator)
        left = input._array
        dtype = left.dtype
        if dtype is not F32 and dtype is not F64:
            return op.on_operands(input, other, operator=operator)
        backend = input._backend
        edge = (input._edge or edge_of(input)) if mode.grad else None
        metas = other_edge = None
        if isinstance(other, Tensor):
            right = other._array
            if right.dtype is not dtype or other._backend is not backend:
                return op()(input, other)
            if takes_b and mode.grad:
                other_edge = other._edge
                if other_edge is None and (other._requires_grad or other._view is not None):
                    other_edge = edge_of(other)
            if left.shape != right.shape:
                metas = ((left.shape, dtype), (right.shape, dtype))
        elif other.__class__ is float or other.__class__ is int:
            right = other
        else:
            return op.on_operands(input, other, operator=operator)
        try:
            result = forward(backend, left, right)
        except (RuntimeWarning, ValueError) as error:
            result = blank.recomputed(backend, (left, right), error)
        if result.__class__ is not left.__class__:
            result = backend.asarray(result)
        if order and not ((left.ndim < 2 or left.flags.c_contiguous) and (metas is None or right.flags.c_contiguous)):
            result = backend.arranged(result, order, (left, right))
        out = make(result, backend, Storage())
        links: Any = edge
        if other_edge is None:
            plan = None if edge is None else of_first
        elif edge is None:
            plan, links = of_second, NOWHERE + other_edge
        else:
            plan, links = of_both, edge + other_edge
        if plan is not None:
            node = new(op)
            node.become(plan, links, metas, (input, other, out), 2)
            out._edge = (node, 0)
        return out

    return named(call, op)
