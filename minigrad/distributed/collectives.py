"""Collectives on tensors: functions that all ranks of a group call together, with PyTorch's names.

Each takes ``group=None`` for all ranks, and ``async_op=True`` to get a `Work` to wait for later. On a rank that is not
in the group it does nothing. They change tensors in place, without recording a graph: `distributed.nn.functional` has
those that can be differentiated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from .. import events
from ..core.tensor import Tensor
from ..errors import ArgumentError, ShapeError
from .group import ProcessGroup, group_of
from .reduction import ReduceOp, checked
from .staging import one_each, packed, room, tensor_in, tensors_in, words, written
from .transport import Request
from .work import Work, ended


def _work(
    group: ProcessGroup,
    what: str,
    start: Callable[[], Request],
    finish: Callable[[], Any],
    tensors: Sequence[Tensor],
    reduction: str = "",
) -> Work:
    """Begin an exchange of the whole group."""
    exchange = group.call(what, start)
    kind = what.partition(" ")[0]
    return Work(
        lambda: group.done(exchange),
        lambda patience: group.wait(exchange, patience),
        finish,
        tensors,
        lambda seconds, waited: events.CollectiveRan(kind, tuple(tensors), seconds, reduction, waited=waited),
    )


def _root(group: ProcessGroup, rank: int | None, group_rank: int | None, name: str) -> int:
    """The rank's number in the group, given its number in the world or in the group."""
    if (rank is None) == (group_rank is None):
        raise ArgumentError(f"Must specify one of {name} and group_{name}, and not both")
    if group_rank is None:
        return group.local(rank)  # type: ignore[arg-type]
    if not 0 <= group_rank < group.size():
        raise ArgumentError(f"group_{name}={group_rank} is not from 0 to {group.size() - 1}")
    return group_rank


def barrier(
    group: Any = None, async_op: bool = False, device_ids: Any = None, timeout: timedelta | None = None
) -> Work | None:
    """Wait until all ranks of the group have called this."""
    if (found := group_of(group)) is None:
        return None
    work = _work(found, "barrier", found.transport.barrier, _nothing, ())
    if timeout is not None and not async_op:
        work.wait(timeout)
        return None
    return ended(work, async_op)


def monitored_barrier(group: Any = None, timeout: timedelta | None = None, wait_all_ranks: bool = False) -> None:
    """Like `barrier`, but on a timeout the error names the missing ranks."""
    barrier(group, timeout=timeout)


def broadcast(
    tensor: Tensor, src: int | None = None, group: Any = None, async_op: bool = False, group_src: int | None = None
) -> Work | None:
    """Give every rank the elements that `tensor` has on rank `src`."""
    tensor_in(tensor, "tensor")
    if (found := group_of(group)) is None:
        return None
    root = _root(found, 0 if src is None and group_src is None else src, group_src, "src")
    buffer = packed([tensor], found.transport)
    what = f"broadcast of {words(tensor)} from {found.ranks[root]}"
    finish = _nothing if root == found.rank() else lambda: written(buffer, [tensor])
    return ended(_work(found, what, lambda: found.transport.broadcast(buffer, root), finish, [tensor]), async_op)


def all_reduce(tensor: Tensor, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False) -> Work | None:
    """Replace each element by the sum over all ranks, or by another reduction; all get the same bits."""
    op = checked(op, tensor_in(tensor, "tensor").dtype)
    if (found := group_of(group)) is None:
        return None
    buffer = packed([tensor], found.transport, reduced=True)
    what = f"all_reduce {op.value} of {words(tensor)}"

    def finish() -> None:
        written(_mean(buffer, op, found), [tensor])

    work = _work(found, what, lambda: found.transport.all_reduce(buffer, op), finish, [tensor], _name(op))
    return ended(work, async_op)


def _mean(buffer: Any, op: ReduceOp, group: ProcessGroup) -> Any:
    return buffer / group.size() if op is ReduceOp.AVG else buffer


def _name(op: ReduceOp) -> str:
    return "mean" if op is ReduceOp.AVG else op.value


def _nothing() -> None:
    """Do nothing: no work is left."""


def reduce(
    tensor: Tensor,
    dst: int | None = None,
    op: Any = ReduceOp.SUM,
    group: Any = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Replace each element on rank `dst` by the sum over all ranks; on the other ranks `tensor` is unchanged."""
    op = checked(op, tensor_in(tensor, "tensor").dtype)
    if (found := group_of(group)) is None:
        return None
    root = _root(found, 0 if dst is None and group_dst is None else dst, group_dst, "dst")
    given = packed([tensor], found.transport, reduced=True)
    out = room(given.size, given.dtype, tensor, found.transport)
    what = f"reduce {op.value} of {words(tensor)} to {found.ranks[root]}"

    def finish() -> None:
        if root == found.rank():
            written(_mean(out, op, found), [tensor])

    work = _work(found, what, lambda: found.transport.reduce(given, out, op, root), finish, [tensor], _name(op))
    return ended(work, async_op)


def all_gather(tensor_list: list[Tensor], tensor: Tensor, group: Any = None, async_op: bool = False) -> Work | None:
    """Put the `tensor` of each rank into ``tensor_list[rank]``, on every rank."""
    tensors_in(tensor_list, "tensor_list")
    tensor_in(tensor, "tensor")
    tensors_in([*tensor_list, tensor], "tensor_list and tensor")
    if (found := group_of(group)) is None:
        return None
    one_each(tensor_list, found.size(), "tensor_list")
    return ended(_gathered_by_all(found, "all_gather", tensor, tensor_list), async_op)


def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """Put the `input_tensor` of all ranks into one `output_tensor`, concatenated or stacked."""
    tensor_in(output_tensor, "output_tensor"), tensor_in(input_tensor, "input_tensor")
    tensors_in([output_tensor, input_tensor], "output_tensor and input_tensor")
    if (found := group_of(group)) is None:
        return None
    _check_size(output_tensor, input_tensor.numel() * found.size(), "output", "input size times world size")
    return ended(_gathered_by_all(found, "all_gather_into_tensor", input_tensor, [output_tensor]), async_op)


def _gathered_by_all(group: ProcessGroup, name: str, given: Tensor, outs: list[Tensor]) -> Work:
    buffer = packed([given], group.transport)
    out = room(buffer.size * group.size(), buffer.dtype, given, group.transport)
    what = f"{name} of {words(given)}"
    return _work(group, what, lambda: group.transport.all_gather(buffer, out), lambda: written(out, outs), outs)


def gather(
    tensor: Tensor,
    gather_list: list[Tensor] | None = None,
    dst: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Put the `tensor` of each rank into ``gather_list[rank]`` on rank `dst`; the other ranks pass no list."""
    tensor_in(tensor, "tensor")
    if (found := group_of(group)) is None:
        return None
    root = _root(found, 0 if dst is None and group_dst is None else dst, group_dst, "dst")
    here = root == found.rank()
    outs = _for_the_root(gather_list, here, found, "gather_list", "destination")
    given = packed([tensor], found.transport)
    out = room(given.size * found.size(), given.dtype, tensor, found.transport) if here else None
    what = f"gather of {words(tensor)} to {found.ranks[root]}"
    finish = (lambda: written(out, outs)) if here else _nothing
    return ended(_work(found, what, lambda: found.transport.gather(given, out, root), finish, [tensor]), async_op)


def scatter(
    tensor: Tensor,
    scatter_list: list[Tensor] | None = None,
    src: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Put ``scatter_list[rank]`` of rank `src` into the `tensor` of each rank; the other ranks pass no list."""
    tensor_in(tensor, "tensor")
    if (found := group_of(group)) is None:
        return None
    root = _root(found, 0 if src is None and group_src is None else src, group_src, "src")
    here = root == found.rank()
    parts = _for_the_root(scatter_list, here, found, "scatter_list", "source")
    given = packed(parts, found.transport) if here else None
    out = room(tensor.numel(), tensor._array.dtype, tensor, found.transport)
    what = f"scatter of {words(tensor)} from {found.ranks[root]}"
    work = _work(
        found,
        what,
        lambda: found.transport.scatter(given, out, root),
        lambda: written(out, [tensor]),
        [tensor],
    )
    return ended(work, async_op)


def _for_the_root(tensors: Any, here: bool, group: ProcessGroup, name: str, role: str) -> list[Tensor]:
    if not here:
        if tensors:
            raise ArgumentError(f"Argument ``{name}`` must NOT be specified on non-{role} ranks.")
        return []
    if not tensors:
        raise ArgumentError(f"Argument ``{name}`` must be specified on {role} rank.")
    one_each(tensors_in(tensors, name), group.size(), name)
    return list(tensors)


def reduce_scatter(
    output: Tensor, input_list: list[Tensor], op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Sum ``input_list[r]`` over all ranks, into the `output` of rank r."""
    op = checked(op, tensor_in(output, "output").dtype)
    tensors_in(input_list, "input_list")
    if (found := group_of(group)) is None:
        return None
    one_each(input_list, found.size(), "input_list")
    return ended(_reduced_in_parts(found, "reduce_scatter", output, input_list, op), async_op)


def reduce_scatter_tensor(
    output: Tensor, input: Tensor, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Sum `input` over all ranks; its r-th part goes into the `output` of rank r."""
    op = checked(op, tensor_in(output, "output").dtype)
    tensor_in(input, "input")
    if (found := group_of(group)) is None:
        return None
    _check_size(input, output.numel() * found.size(), "input", "output size times world size")
    return ended(_reduced_in_parts(found, "reduce_scatter_tensor", output, [input], op), async_op)


def _reduced_in_parts(group: ProcessGroup, name: str, output: Tensor, given: list[Tensor], op: ReduceOp) -> Work:
    tensors_in([output, *given], "output and input")
    buffer = packed(given, group.transport, reduced=True)
    _check_size(output, buffer.size // group.size(), "output", "the size of each part")
    out = room(output.numel(), buffer.dtype, output, group.transport)
    what = f"{name} {op.value} of {words(output)} each"

    def finish() -> None:
        written(_mean(out, op, group), [output])

    return _work(group, what, lambda: group.transport.reduce_scatter(buffer, out, op), finish, [output], _name(op))


def all_to_all(
    output_tensor_list: list[Tensor], input_tensor_list: list[Tensor], group: Any = None, async_op: bool = False
) -> Work | None:
    """Send ``input_tensor_list[r]`` to rank r, and put what rank r sent here into ``output_tensor_list[r]``."""
    tensors_in([*tensors_in(output_tensor_list, "output_tensor_list")], "output_tensor_list")
    tensors_in([*tensors_in(input_tensor_list, "input_tensor_list"), *output_tensor_list], "both lists")
    if (found := group_of(group)) is None:
        return None
    for name, tensors in (("input_tensor_list", input_tensor_list), ("output_tensor_list", output_tensor_list)):
        if len(tensors) != found.size():
            raise ArgumentError(f"{name} must have one tensor for each of {found.size()} ranks, got {len(tensors)}")
    sent = [each.numel() for each in input_tensor_list]
    received = [each.numel() for each in output_tensor_list]
    work = _exchanged(found, "all_to_all", output_tensor_list, input_tensor_list, sent, received)
    return ended(work, async_op)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """`all_to_all` of one tensor, cut along its first dimension into equal parts, or parts of the given sizes."""
    tensor_in(output, "output"), tensor_in(input, "input")
    tensors_in([output, input], "output and input")
    if (found := group_of(group)) is None:
        return None
    sent = _parts(input, input_split_sizes, found.size(), "input")
    received = _parts(output, output_split_sizes, found.size(), "output")
    return ended(_exchanged(found, "all_to_all_single", [output], [input], sent, received), async_op)


def _parts(tensor: Tensor, sizes: Sequence[int] | None, count: int, name: str) -> list[int]:
    """The number of elements of each part."""
    rows = tensor.shape[0] if tensor.ndim else 1
    row = tensor.numel() // rows if rows else 0
    if not sizes:
        if rows % count:
            raise ShapeError(f"the first dimension of {name} ({rows}) cannot be cut into {count} equal parts")
        return [rows // count * row] * count
    if len(sizes) != count or sum(sizes) != rows:
        raise ShapeError(f"{name}_split_sizes {list(sizes)} must be {count} sizes that add up to {rows}")
    return [size * row for size in sizes]


def _exchanged(
    group: ProcessGroup, name: str, outs: list[Tensor], given: list[Tensor], sent: list[int], received: list[int]
) -> Work:
    buffer = packed(given, group.transport)
    out = room(sum(received), buffer.dtype, outs[0], group.transport)
    what = f"{name} of {outs[0].dtype.name}"
    start = lambda: group.transport.all_to_all(buffer, out, sent, received)  # noqa: E731
    return _work(group, what, start, lambda: written(out, outs), outs)


def _check_size(tensor: Tensor, wanted: int, name: str, what: str) -> None:
    if tensor.numel() != wanted:
        raise ShapeError(f"{name} tensor size must be equal to {what}: {wanted}, got {tensor.numel()}")
