"""The short road for ops of one and two inputs.

Dispatch is the hot path of the whole library. Nearly every call is plain: float32 or float64 tensors of one dtype on
one device, nobody listening, no rare mode. `unary` and `binary` make a function for one op that does just what
`Op.apply` does in that case, spelled out for that number of inputs, and hand everything else to `Op.apply`. They add no
behaviour; a test runs both roads on every op and compares.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import dtypes
from ..events import LISTENERS
from .grad_mode import RECORD, SLOW, STATE
from .graph import NOWHERE, next_sequence_number
from .inputs import misfit, quietly
from .op import Op
from .plan import NOTHING, Plan
from .saving import save
from .tensor import Storage, Tensor, alias, edge_of, new

ONLY_B, B_AND_A = (1,), (1, 0)
F32, F64 = dtypes.float32.numpy, dtypes.float64.numpy


def unary(op: type[Op]) -> Callable[[Any], Tensor]:
    """The function that calls `op`, which has one input and no settings."""
    blank = op()
    forward = blank.forward
    plan = op.plan_for((0,)) if op.differentiable(0) else None
    assert plan is None or len(plan.saves) <= 1
    keeps_input = plan is not None and plan.sources == (0,)
    keeps_output = plan is not None and plan.sources == (1,)

    def call(x: Any) -> Tensor:
        mode = STATE.mode
        if mode == SLOW or LISTENERS or not isinstance(x, Tensor):
            return op()(as_operand(x))
        array = x._array
        dtype = array.dtype
        if dtype is not F32 and dtype is not F64:
            return op()(x)
        backend = x._backend
        try:
            result = forward(backend, array)
        except RuntimeWarning:
            result = quietly(forward, backend, array)
        if result.__class__ is not array.__class__:
            result = backend.asarray(result)
        out = new(Tensor)
        out._array = result
        out._storage = Storage()
        out._backend = backend
        out._edge = None
        out._requires_grad = False
        out._grad = None
        out._view = None
        out._extra = None
        edge = x._edge
        if mode == RECORD and plan is not None and (edge is not None or x._requires_grad):
            if edge is None:
                edge = edge_of(x)
                if edge is None:
                    return out
            node = new(op)
            node.links = edge
            node.plan = plan
            node.seq = next_sequence_number()
            node.extra = None
            node.metas = None
            if keeps_input:
                if x._extra is not None and x._extra.inference:
                    node.saved = save(node, (x,), ())
                else:
                    node.saved = ((x, x._storage.version),)
            elif keeps_output:
                node.saved = ((alias(out), 0),)
            else:
                node.saved = NOTHING
            out._edge = (node, 0)
        return out

    return named(call, op)


def binary(op: type[Op]) -> Callable[[Any, Any], Tensor]:
    """The function that calls `op`, which has two inputs and no settings."""
    blank = op()
    forward = blank.forward
    able = [i for i in (0, 1) if op.differentiable(i)]
    plans: list[Plan | None] = [None, None, None, None]
    for mask in (1, 2, 3):
        needed = tuple(i for i in able if mask >> i & 1)
        plans[mask] = op.plan_for(needed) if needed else None
    one, other, both = plans[1], plans[2], plans[3]
    takes_b = 1 in able

    def call(a: Any, b: Any) -> Tensor:
        mode = STATE.mode
        if mode == SLOW or LISTENERS or not isinstance(a, Tensor):
            return op()(as_operand(a), as_operand(b))
        left = a._array
        dtype = left.dtype
        if dtype is not F32 and dtype is not F64:
            return op()(a, as_operand(b))
        backend = a._backend
        edge = a._edge
        if edge is None and a._requires_grad:
            edge = edge_of(a)
        metas = other_edge = None
        if isinstance(b, Tensor):
            right = b._array
            if right.dtype is not dtype or b._backend is not backend:
                return op()(a, b)
            if takes_b:
                other_edge = b._edge
                if other_edge is None and b._requires_grad:
                    other_edge = edge_of(b)
            if left.shape != right.shape:
                metas = ((left.shape, dtype), (right.shape, dtype))
        elif b.__class__ is float or b.__class__ is int:
            right = b
        else:
            return op()(a, as_operand(b))
        try:
            result = forward(backend, left, right)
        except RuntimeWarning:
            result = quietly(forward, backend, left, right)
        except ValueError as error:
            raise misfit(blank, (left, right), error) from error
        if result.__class__ is not left.__class__:
            result = backend.asarray(result)
        out = new(Tensor)
        out._array = result
        out._storage = Storage()
        out._backend = backend
        out._edge = None
        out._requires_grad = False
        out._grad = None
        out._view = None
        out._extra = None
        if mode == RECORD:
            plan = (None if edge is None else one) if other_edge is None else (other if edge is None else both)
            if plan is None:
                return out
            node = new(op)
            node.links = (edge or NOWHERE) + (other_edge or NOWHERE)
            node.plan = plan
            node.seq = next_sequence_number()
            node.extra = None
            node.metas = metas
            sources = plan.sources
            if not sources:
                node.saved = NOTHING
            elif sources == ONLY_B and right is b:
                node.saved = ((b, None),)
            elif sources == ONLY_B and (b._extra is None or not b._extra.inference):
                node.saved = ((b, b._storage.version),)
            elif sources == B_AND_A and not (closed(a._extra) or closed(b._extra)):
                node.saved = ((b, b._storage.version), (a, a._storage.version))
            else:
                values = (a, b, out)
                node.saved = save(node, [values[i] for i in sources], (out,))
            out._edge = (node, 0)
        return out

    return named(call, op)


def closed(extra: Any) -> bool:
    """Whether the tensor with these rare things was made in inference mode, and so may not be saved."""
    return extra is not None and extra.inference


def named(function: Any, op: type[Op]) -> Any:
    """`function` under the name and with the words of its op."""
    function.__name__ = function.__qualname__ = op.__name__.lower()
    function.__doc__ = op.__doc__
    function.op = op
    return function


def as_operand(value: Any) -> Any:
    """What may stand where a tensor is expected: a tensor or a Python number; a NumPy array becomes a tensor."""
    if isinstance(value, (Tensor, bool, int, float, complex)):
        return value
    from ..ops.create import as_tensor

    return as_tensor(value)
