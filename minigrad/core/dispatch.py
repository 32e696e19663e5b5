"""The short road for ops of one and two inputs.

Dispatch is the hot path of the whole library. Nearly every call is plain: float32 or float64 tensors of one dtype on
one device, nobody listening, no rare mode. `unary` and `binary` make a function for one op that does just what
`Op.apply` does in that case, spelled out for that number of inputs, and hand everything else to `Op.apply`. They add no
behaviour; a test runs both roads on every op and compares.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from .. import dtypes
from ..events import LISTENERS
from .graph import NOWHERE, next_sequence_number
from .op import Op
from .plan import NOTHING, Plan
from .saving import save
from .state import STATE
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

    def call(input: Any) -> Tensor:
        mode = STATE.mode
        if mode.slow or (LISTENERS and mode.announced()) or not isinstance(input, Tensor):
            return op()(as_operand(input))
        array = input._array
        dtype = array.dtype
        if dtype is not F32 and dtype is not F64:
            return op()(input)
        backend = input._backend
        try:
            result = forward(backend, array)
        except RuntimeWarning as warning:
            result = blank.recomputed(backend, (array,), warning)
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
        edge = input._edge
        if mode.grad and plan is not None and (edge is not None or input._requires_grad or input._view is not None):
            if edge is None:
                edge = edge_of(input)
                if edge is None:
                    return out
            node = new(op)
            node.links = edge
            node.plan = plan
            node.seq = next_sequence_number()
            node.extra = None
            node.metas = None
            if keeps_input:
                if input._extra is not None and input._extra.inference:
                    node.saved = save(node, (input,), ())
                else:
                    node.saved = ((input, input._storage.version),)
            elif keeps_output:
                node.saved = ((alias(out), 0),)
            else:
                node.saved = NOTHING
            out._edge = (node, 0)
        return out

    return named(call, op)


def binary(op: type[Op], operator: bool = False) -> Callable[[Any, Any], Tensor]:
    """The function that calls `op`, which has two inputs and no settings.

    An `operator` leaves foreign objects to their own reflected method, by returning NotImplemented.
    """
    blank = op()
    forward = blank.forward
    able = [i for i in (0, 1) if op.differentiable(i)]
    plans: list[Plan | None] = [None, None, None, None]
    for mask in (1, 2, 3):
        needed = tuple(i for i in able if mask >> i & 1)
        plans[mask] = op.plan_for(needed) if needed else None
    of_first, of_second, of_both = plans[1], plans[2], plans[3]
    takes_b = 1 in able

    def call(input: Any, other: Any) -> Tensor:
        mode = STATE.mode
        if mode.slow or (LISTENERS and mode.announced()) or not isinstance(input, Tensor):
            if operator and foreign(other):
                return NotImplemented
            return op()(as_operand(input), as_operand(other))
        left = input._array
        dtype = left.dtype
        if dtype is not F32 and dtype is not F64:
            if operator and foreign(other):
                return NotImplemented
            return op()(input, as_operand(other))
        backend = input._backend
        edge = input._edge
        if edge is None and mode.grad and (input._requires_grad or input._view is not None):
            edge = edge_of(input)
        metas = other_edge = None
        if isinstance(other, Tensor):
            right = other._array
            if right.dtype is not dtype or other._backend is not backend:
                return op()(input, other)
            if takes_b:
                other_edge = other._edge
                if other_edge is None and mode.grad and (other._requires_grad or other._view is not None):
                    other_edge = edge_of(other)
            if left.shape != right.shape:
                metas = ((left.shape, dtype), (right.shape, dtype))
        elif other.__class__ is float or other.__class__ is int:
            right = other
        else:
            if operator and foreign(other):
                return NotImplemented
            return op()(input, as_operand(other))
        try:
            result = forward(backend, left, right)
        except (RuntimeWarning, ValueError) as error:
            result = blank.recomputed(backend, (left, right), error)
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
        if mode.grad:
            links: Any = edge
            if other_edge is None:
                plan = None if edge is None else of_first
            elif edge is None:
                plan, links = of_second, NOWHERE + other_edge
            else:
                plan, links = of_both, edge + other_edge
            if plan is None:
                return out
            node = new(op)
            node.links = links
            node.plan = plan
            node.seq = next_sequence_number()
            node.extra = None
            node.metas = metas
            sources = plan.sources
            if not sources:
                node.saved = NOTHING
            elif sources == ONLY_B and right is other:
                node.saved = ((other, None),)
            elif sources == ONLY_B and (other._extra is None or not other._extra.inference):
                node.saved = ((other, other._storage.version),)
            elif sources == B_AND_A and not (closed(input._extra) or closed(other._extra)):
                node.saved = ((other, other._storage.version), (input, input._storage.version))
            else:
                values = (input, other, out)
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


def foreign(value: Any) -> bool:
    """Whether `value` is of a class that may know tensors: an operator then leaves it to that class."""
    known = isinstance(value, (Tensor, int, float, complex)) or hasattr(value, "__array__")
    return not known and type(value).__module__ != "builtins"


def as_operand(value: Any) -> Any:
    """What may stand where a tensor is expected: a tensor or a Python number; a NumPy array becomes a tensor."""
    if isinstance(value, (Tensor, bool, int, float, complex)):
        return value
    return Reader.as_tensor(value)


class Reader:
    """How to make a tensor of any other value; `minigrad.ops` attaches it."""

    as_tensor: ClassVar[Callable[[Any], Tensor]]
