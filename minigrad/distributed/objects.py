"""Collectives of any Python objects, which are pickled and sent as bytes, after their lengths.

Unpickling can run code that another rank sent, so use them only between ranks that trust each other, as in one job.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from ..errors import ArgumentError, ArgumentTypeError
from .group import ProcessGroup, group_of
from .transport import ANY, Request

SIZES, PAYLOAD = 11, 12
"""The tags of the two messages of an object: its length and its bytes."""


def _all_lengths(group: ProcessGroup, what: str, mine: int) -> list[int]:
    """The number of bytes of each rank."""
    given, out = np.array([mine], "int64"), np.empty(group.size(), "int64")
    group.wait(group.call(f"{what}: lengths", lambda: group.transport.all_gather(given, out)))
    return [int(each) for each in out]


def _padded(data: bytes, length: int) -> Any:
    buffer = np.zeros(length, "uint8")
    buffer[: len(data)] = np.frombuffer(data, "uint8")
    return buffer


def _rank(group: ProcessGroup, rank: int | None, group_rank: int | None) -> int:
    """The rank's number in the group; by default that of the world's rank 0."""
    return group.local(0 if rank is None else rank) if group_rank is None else group_rank


def all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
    """Put the `obj` of each rank into ``object_list[rank]``, on every rank."""
    if (found := group_of(group)) is None:
        return
    _check_list(object_list, found.size(), "object_list")
    data = pickle.dumps(obj)
    lengths = _all_lengths(found, "all_gather_object", len(data))
    given, out = _padded(data, max(lengths)), np.empty((found.size(), max(lengths)), "uint8")
    found.wait(found.call("all_gather_object", lambda: found.transport.all_gather(given, out)))
    for rank, length in enumerate(lengths):
        object_list[rank] = pickle.loads(out[rank, :length].tobytes())


def gather_object(
    obj: Any,
    object_gather_list: list[Any] | None = None,
    dst: int | None = None,
    group: Any = None,
    group_dst: int | None = None,
) -> None:
    """Put the `obj` of each rank into ``object_gather_list[rank]`` on rank `dst`."""
    if (found := group_of(group)) is None:
        return
    root = _rank(found, dst, group_dst)
    here = root == found.rank()
    if here:
        _check_list(object_gather_list, found.size(), "object_gather_list")
    elif object_gather_list:
        raise ArgumentError("Argument ``object_gather_list`` must NOT be specified on non-destination ranks.")
    data = pickle.dumps(obj)
    lengths = _all_lengths(found, "gather_object", len(data))
    given = _padded(data, max(lengths))
    out = np.empty((found.size(), max(lengths)), "uint8") if here else None
    found.wait(found.call(f"gather_object to {found.ranks[root]}", lambda: found.transport.gather(given, out, root)))
    if out is not None and object_gather_list is not None:
        for rank, length in enumerate(lengths):
            object_gather_list[rank] = pickle.loads(out[rank, :length].tobytes())


def broadcast_object_list(
    object_list: list[Any], src: int | None = None, group: Any = None, device: Any = None, group_src: int | None = None
) -> None:
    """Give every rank the objects that `object_list` holds on rank `src`."""
    if (found := group_of(group)) is None:
        return
    root = _rank(found, src, group_src)
    here = root == found.rank()
    _check_list(object_list, None, "object_list")
    data = pickle.dumps(list(object_list)) if here else b""
    length = _all_lengths(found, "broadcast_object_list", len(data))[root]
    buffer = _padded(data, length)
    what = f"broadcast_object_list from {found.ranks[root]}"
    found.wait(found.call(what, lambda: found.transport.broadcast(buffer, root)))
    if not here:
        came = pickle.loads(buffer.tobytes())
        if len(came) != len(object_list):
            raise ArgumentError(
                f"rank {found.ranks[root]} sent {len(came)} objects; here are {len(object_list)} places"
            )
        object_list[:] = came


def scatter_object_list(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: list[Any] | None = None,
    src: int | None = None,
    group: Any = None,
    group_src: int | None = None,
) -> None:
    """Put ``scatter_object_input_list[rank]`` of rank `src` into the first place of each rank's output list."""
    if (found := group_of(group)) is None:
        return
    root = _rank(found, src, group_src)
    here = root == found.rank()
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise ArgumentTypeError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    parts = []
    if here:
        _check_list(scatter_object_input_list, found.size(), "scatter_object_input_list")
        parts = [pickle.dumps(each) for each in scatter_object_input_list or ()]
    length = max(_all_lengths(found, "scatter_object_list", max(map(len, parts), default=0)))
    given = np.stack([_padded(part, length) for part in parts]) if here else None
    out = np.empty(length, "uint8")
    what = f"scatter_object_list from {found.ranks[root]}"
    found.wait(found.call(what, lambda: found.transport.scatter(given, out, root)))
    scatter_object_output_list[0] = pickle.loads(out.tobytes())  # reads its object, and ignores the padding


def send_object_list(
    object_list: list[Any],
    dst: int | None = None,
    group: Any = None,
    device: Any = None,
    group_dst: int | None = None,
    use_batch: bool = False,
) -> None:
    """Send the objects to rank `dst`, which calls `recv_object_list`."""
    if (found := group_of(group)) is None:
        return
    to = _rank(found, dst, group_dst)
    data = pickle.dumps(list(object_list))
    requests = [
        found.transport.send(np.array([len(data)], "int64"), to, 1 << 14 | SIZES),
        found.transport.send(_padded(data, len(data)), to, 1 << 14 | PAYLOAD),
    ]
    for request in requests:
        found.board.wait(request.done, f"rank {found.ranks[to]} to receive objects", {found.ranks[to]})


def recv_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: Any = None,
    device: Any = None,
    group_src: int | None = None,
    use_batch: bool = False,
) -> int:
    """Receive objects from rank `src`, or, if None, from the first that sends. Returns the sender."""
    if (found := group_of(group)) is None:
        return -1
    source = ANY if src is None and group_src is None else _rank(found, src, group_src)
    length = np.empty(1, "int64")
    sender = _received(found, found.transport.receive(length, source, 1 << 14 | SIZES), source)
    data = np.empty(int(length[0]), "uint8")
    _received(found, found.transport.receive(data, sender, 1 << 14 | PAYLOAD), sender)
    came = pickle.loads(data.tobytes())
    _check_list(object_list, len(came), "object_list")
    object_list[:] = came
    return found.ranks[sender]


def _received(group: ProcessGroup, request: Request, source: int) -> int:
    who = "any rank" if source == ANY else f"rank {group.ranks[source]}"
    group.board.wait(request.done, f"{who} to send objects", set() if source == ANY else {group.ranks[source]})
    return request.source


def _check_list(objects: Any, count: int | None, name: str) -> None:
    if not isinstance(objects, list):
        raise ArgumentTypeError(f"{name} must be a list, got {type(objects).__name__}")
    if count is not None and len(objects) != count:
        raise ArgumentError(f"{name} must have {count} places, got {len(objects)}")
