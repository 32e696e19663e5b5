"""Messages from one rank to another: `send` and `recv` block, `isend` and `irecv` return at once.

Messages from one rank to another arrive in order, for each `tag`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import events
from ..core.tensor import Tensor
from ..errors import ArgumentError, ArgumentTypeError, DistributedError
from .group import ProcessGroup, get_rank, group_of
from .staging import packed, room, tensor_in, words, written
from .transport import ANY
from .work import Work


def isend(
    tensor: Tensor, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None
) -> Work | None:
    """Begin to send `tensor` to rank `dst` of the world, or `group_dst` of the group.

    None if this rank is not in the group.
    """
    tensor_in(tensor, "tensor")
    if (found := group_of(group)) is None:
        return None
    to = _peer(found, dst, group_dst, "dst")
    if to == found.rank() and found.size() > 1:
        raise ArgumentError(
            "Invalid destination rank: destination rank should not be the same as the rank of the current process."
        )
    given = packed([tensor], found.transport)
    request = found.transport.send(given, to, tag)
    what = f"rank {found.ranks[to]} to receive {words(tensor)}"
    return _work(found, request, what, {found.ranks[to]}, _nothing, tensor, "send")


def irecv(
    tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None
) -> Work | None:
    """Begin to receive into `tensor` from rank `src`, or, if None, from whichever rank sends first."""
    tensor_in(tensor, "tensor")
    if (found := group_of(group)) is None:
        return None
    source = ANY if src is None and group_src is None else _peer(found, src, group_src, "src")
    out = room(tensor.numel(), tensor._array.dtype, tensor, found.transport)
    request = found.transport.receive(out, source, tag)

    def finish() -> None:
        work.source = found.ranks[request.source]
        if request.count != out.nbytes:
            raise DistributedError(
                f"rank {work.source} sent {request.count} bytes, but {words(tensor)} was to be received: {out.nbytes}"
            )
        written(out, [tensor])

    needed = {found.ranks[source]} if source != ANY else set()
    who = "any rank" if source == ANY else f"rank {found.ranks[source]}"
    work = _work(found, request, f"{who} to send {words(tensor)}", needed, finish, tensor, "recv")
    return work


def send(tensor: Tensor, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None) -> None:
    """Send `tensor`, and wait. A large tensor is not sent before the other rank receives it."""
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


def recv(tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None) -> int:
    """Receive into `tensor`, and wait. Returns the rank that sent it, -1 if this rank is not in the group."""
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    return work.source


class P2POp:
    """One message of `batch_isend_irecv`: `op` is `isend` or `irecv`."""

    def __init__(
        self,
        op: Callable[..., Any],
        tensor: Tensor,
        peer: int | None = None,
        group: Any = None,
        tag: int = 0,
        group_peer: int | None = None,
    ) -> None:
        if op not in (isend, irecv):
            raise ArgumentError("Invalid ``op``. Expected ``op`` to be of type ``isend`` or ``irecv``.")
        self.op, self.tensor, self.peer, self.group, self.tag, self.group_peer = (
            op,
            tensor,
            peer,
            group,
            tag,
            group_peer,
        )


def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> list[Work]:
    """Begin all messages, and return the works to wait for."""
    if not p2p_op_list or not all(isinstance(each, P2POp) for each in p2p_op_list):
        raise ArgumentTypeError("Invalid ``p2p_op_list``. Each op is expected to to be of type ``P2POp``.")
    works = [each.op(each.tensor, each.peer, each.group, each.tag, each.group_peer) for each in p2p_op_list]
    return [work for work in works if work is not None]


def _peer(group: ProcessGroup, rank: int | None, group_rank: int | None, name: str) -> int:
    if (rank is None) == (group_rank is None):
        raise ArgumentError(f"Must specify one of {name} and group_{name}, and not both (this is rank {get_rank()})")
    if group_rank is not None:
        if not 0 <= group_rank < group.size():
            raise ArgumentError(f"group_{name}={group_rank} is not from 0 to {group.size() - 1}")
        return group_rank
    return group.local(rank)  # type: ignore[arg-type]


def _nothing() -> None:
    """Do nothing: no work is left."""


def _work(
    group: ProcessGroup, request: Any, what: str, needed: set[int], finish: Any, tensor: Tensor, kind: str
) -> Work:
    return Work(
        request.done,
        lambda patience: group.board.wait(request.done, what, needed, patience),
        finish,
        [tensor],
        lambda seconds, waited: events.CollectiveRan(kind, (tensor,), seconds, waited=waited),
    )
