"""Collectives that can be differentiated: each returns new tensors, and its backward is the opposite collective.

The backward of a broadcast is a sum, and the backward of a sum is a broadcast. The losses of all ranks count
together: a gradient here is that of their sum. So every rank must run backward, through the same collectives.

They can be differentiated any number of times, since each backward uses these functions too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...autograd.function import Function
from ...core.tensor import Tensor
from ...errors import MissingRuleError
from ...ops.create.like import empty_like, zeros_like
from .. import collectives
from ..group import get_rank, get_world_size
from ..reduction import ReduceOp


def broadcast(tensor: Tensor, src: int, group: Any = None) -> Tensor:
    """Give every rank the `tensor` of rank `src`."""
    return _Broadcast.apply(tensor, src, group)


def reduce(tensor: Tensor, dst: int, op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """The sum over all ranks on rank `dst`; on the other ranks a copy of `tensor`, from which no gradient comes."""
    return _Reduce.apply(tensor, dst, _summed(op), group)


def all_reduce(tensor: Tensor, op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """The sum over all ranks, on every rank.

    >>> import minigrad as mg
    >>> mg.distributed.init_process_group()
    >>> x = mg.ones(2, requires_grad=True)
    >>> all_reduce(x).sum().backward()
    >>> x.grad
    tensor([1., 1.])
    >>> mg.distributed.destroy_process_group()
    """
    return _AllReduce.apply(tensor, _summed(op), group)


def gather(tensor: Tensor, dst: int = 0, group: Any = None) -> tuple[Tensor, ...]:
    """The tensors of all ranks on rank `dst`; zeros on the others."""
    return _Gather.apply(tensor, dst, group)


def scatter(tensors: Sequence[Tensor], src: int = 0, group: Any = None) -> Tensor:
    """The tensor for this rank, from those of rank `src`; the other ranks pass tensors of the same shape."""
    return _Scatter.apply(src, group, *tensors)


def all_gather(tensor: Tensor, group: Any = None) -> tuple[Tensor, ...]:
    """The tensors of all ranks, on every rank."""
    return _AllGather.apply(tensor, group)


def reduce_scatter(output: Tensor, input_list: Sequence[Tensor], op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """The sum over all ranks of ``input_list[rank]``; also written to `output`."""
    return _ReduceScatter.apply(output, _summed(op), group, *input_list)


def all_to_all(
    output_tensor_list: Sequence[Tensor], input_tensor_list: Sequence[Tensor], group: Any = None
) -> tuple[Tensor, ...]:
    """Send each rank its part, and return the parts received; the outputs' shapes are those of `output_tensor_list`."""
    return _AllToAll.apply(group, len(input_tensor_list), *input_tensor_list, *output_tensor_list)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None,
    group: Any = None,
) -> Tensor:
    """Cut `input` along its first dimension, a part for each rank; returns the received parts, shaped like `output`."""
    return _AllToAllSingle.apply(group, output, output_split_sizes, input_split_sizes, input)


def _summed(op: Any) -> Any:
    if op not in (ReduceOp.SUM, ReduceOp.AVG):
        raise MissingRuleError(f"only sums and means can be differentiated, got {op}: call distributed.all_reduce")
    return op


def _here(rank: int) -> bool:
    """Whether this process is this rank of the world."""
    return get_rank() == rank


class _Broadcast(Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor, src: int, group: Any) -> Tensor:
        ctx.src, ctx.group = src, group
        out = tensor.clone()
        collectives.broadcast(out, src, group)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        total = reduce(grad, ctx.src, ReduceOp.SUM, ctx.group)
        return (total if _here(ctx.src) else zeros_like(grad)), None, None


class _Reduce(Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor, dst: int, op: Any, group: Any) -> Tensor:
        ctx.dst, ctx.op, ctx.group = dst, op, group
        out = tensor.clone()
        collectives.reduce(out, dst, op, group)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        given = broadcast(grad, ctx.dst, ctx.group)
        return _shared(given, ctx.op, ctx.group), None, None, None


class _AllReduce(Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor, op: Any, group: Any) -> Tensor:
        ctx.op, ctx.group = op, group
        out = tensor.clone()
        collectives.all_reduce(out, op, group)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return all_reduce(grad, ctx.op, ctx.group), None, None


class _Gather(Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor, dst: int, group: Any) -> Any:
        ctx.dst, ctx.group = dst, group
        outs = [zeros_like(tensor) for _ in range(get_world_size(group))]
        collectives.gather(tensor, outs if _here(dst) else None, dst, group)
        return tuple(outs)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        return scatter(grads, ctx.dst, ctx.group), None, None


class _Scatter(Function):
    @staticmethod
    def forward(ctx: Any, src: int, group: Any, *tensors: Tensor) -> Tensor:
        ctx.src, ctx.group = src, group
        out = empty_like(tensors[0])
        collectives.scatter(out, list(tensors) if _here(src) else None, src, group)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return (None, None, *gather(grad, ctx.src, ctx.group))


class _AllGather(Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor, group: Any) -> Any:
        ctx.group = group
        outs = [empty_like(tensor) for _ in range(get_world_size(group))]
        collectives.all_gather(outs, tensor, group)
        return tuple(outs)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        return reduce_scatter(empty_like(grads[0]), grads, ReduceOp.SUM, ctx.group), None


class _ReduceScatter(Function):
    @staticmethod
    def forward(ctx: Any, output: Tensor, op: Any, group: Any, *inputs: Tensor) -> Tensor:
        ctx.op, ctx.group = op, group
        collectives.reduce_scatter(output, list(inputs), op, group)
        return output.clone()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        grads = all_gather(grad, ctx.group)
        return (None, None, None, *(_shared(each, ctx.op, ctx.group) for each in grads))


class _AllToAll(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, count: int, *tensors: Tensor) -> Any:
        ctx.group, ctx.shapes = group, [each.shape for each in tensors[:count]]
        outs = [empty_like(each) for each in tensors[count:]]
        collectives.all_to_all(outs, list(tensors[:count]), group)
        return tuple(outs)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        room = [grads[0].new_empty(tuple(shape)) for shape in ctx.shapes]
        return (None, None, *all_to_all(room, grads, ctx.group), *(None for _ in grads))


class _AllToAllSingle(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, output: Tensor, received: Any, sent: Any, input: Tensor) -> Tensor:
        ctx.group, ctx.shape, ctx.received, ctx.sent = group, input.shape, received, sent
        out = empty_like(output)
        collectives.all_to_all_single(out, input, received, sent, group)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        room = grad.new_empty(tuple(ctx.shape))
        return None, None, None, None, all_to_all_single(room, grad, ctx.sent, ctx.received, ctx.group)


def _shared(grad: Tensor, op: Any, group: Any) -> Tensor:
    return grad / get_world_size(group) if op is ReduceOp.AVG else grad
