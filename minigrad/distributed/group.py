"""Process groups: the ranks that exchange data together, and the default group of all of them."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import numpy as np

from .. import events
from ..errors import ArgumentError, DistributedError
from ..events import emit
from . import clock, failure, mpi
from .agreement import Agreement, Exchange
from .launch import MPI_RANKS, RANKS, launched
from .transport import Alone, Request, Transport
from .waiting import PATIENCE, NoticeBoard

BACKENDS = ("mpi", "gloo", "nccl")
"""The backend names that programs may pass. All of them use MPI here."""

UNINITIALIZED = "Default process group has not been initialized, please make sure to call init_process_group."


class ProcessGroup:
    """Ranks that exchange data together; `ranks` are their numbers in the world, in the order of the group."""

    def __init__(self, transport: Transport, ranks: Sequence[int], board: NoticeBoard, name: str, id: int) -> None:
        self.transport = transport
        self.ranks = tuple(ranks)
        self.board = board
        self.group_name = name
        self.id = id
        self._agreement = Agreement(transport.duplicate(), self.ranks)

    def rank(self) -> int:
        """The number of this process in the group."""
        return self.transport.rank

    def size(self) -> int:
        """The number of ranks in the group."""
        return self.transport.size

    def call(self, what: str, start: Callable[[], Request], checked: bool = True) -> Exchange:
        """Start an exchange between all ranks of the group."""
        exchange = self._agreement.call(what, start, checked)
        self.board.calls[self.id] = exchange.number
        return exchange

    def done(self, exchange: Exchange) -> bool:
        """Whether an exchange is complete. Calling this also makes progress."""
        return self._agreement.done(exchange)

    def advance(self) -> None:
        """Make progress with all exchanges."""
        self._agreement.advance()

    def wait(self, exchange: Exchange, patience: float | None = None) -> float:
        """Wait until an exchange is complete. Returns the seconds that this took."""
        call = (self.id, exchange.number)
        return self.board.wait(lambda: self.done(exchange), exchange.name, set(self.ranks), patience, call)

    def local(self, rank: int) -> int:
        """The number in this group of a rank of the world. Raises ArgumentError if it is not in the group."""
        if rank not in self.ranks:
            raise ArgumentError(f"Global rank {rank} is not part of group {self.group_name!r} of ranks {self.ranks}")
        return self.ranks.index(rank)

    def __repr__(self) -> str:
        return f"<ProcessGroup {self.group_name!r} of ranks {self.ranks}>"


class GroupMember:
    """The result of `new_group` for ranks that are not in the group."""

    NON_GROUP_MEMBER: Any = -100
    WORLD: ProcessGroup | None = None


class _Named(type):
    @property
    def WORLD(cls) -> ProcessGroup | None:
        """The group of all ranks; None before `init_process_group`."""
        return GroupMember.WORLD


class group(metaclass=_Named):
    """``group.WORLD``: the default group, None before `init_process_group`."""


class _Begun:
    """The state of this process: its transport, its notice board, its groups."""

    transport: Transport | None = None
    board: NoticeBoard | None = None
    groups = 0
    clock = 0.0
    """Seconds to add to this rank's clock to get that of rank 0."""


def is_available() -> bool:
    """Whether process groups can be used: always True, since a world of one rank needs no MPI."""
    return True


def is_mpi_available() -> bool:
    """Whether mpi4py is installed, which several ranks need."""
    return mpi.is_installed()


def is_gloo_available() -> bool:
    """Always False: MPI takes gloo's place."""
    return False


def is_nccl_available() -> bool:
    """Always False: MPI takes NCCL's place."""
    return False


def is_backend_available(backend: str) -> bool:
    """Whether `backend` can connect ranks here."""
    return backend.lower() == "mpi" and is_mpi_available()


def is_torchelastic_launched() -> bool:
    """Whether torchrun started this process."""
    return "TORCHELASTIC_RUN_ID" in os.environ


def is_initialized() -> bool:
    """Whether `init_process_group` was called, and the group still exists."""
    return GroupMember.WORLD is not None


def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: timedelta | None = None,
    world_size: int = -1,
    rank: int = -1,
    store: Any = None,
    group_name: str = "",
    pg_options: Any = None,
    device_id: Any = None,
) -> None:
    """Connect all ranks that the launcher started to one world. A process started alone is a world of one rank.

    `backend` may be "mpi", "gloo" or "nccl", for programs that run on PyTorch too: it is MPI in any case. Ranks find
    each other through their launcher, so `init_method`, `store` and the rest are ignored; `rank` and `world_size`
    must be the launcher's. A rank that waits for longer than `timeout` (60 s, or ``MINIGRAD_DISTRIBUTED_TIMEOUT``
    seconds) ends the job.

    >>> import minigrad as mg
    >>> mg.distributed.init_process_group("gloo")
    >>> mg.distributed.get_rank(), mg.distributed.get_world_size()
    (0, 1)
    >>> mg.distributed.destroy_process_group()
    """
    if is_initialized():
        raise ArgumentError("trying to initialize the default process group twice!")
    if backend is not None and not set(_backends(backend)) <= set(BACKENDS):
        raise ArgumentError(f"Invalid backend: '{backend}'. It may be one of {', '.join(BACKENDS)}: MPI carries each.")
    patience = _patience(timeout)
    transport, board = _joined(patience)
    for name, wanted, found in (("rank", rank, transport.rank), ("world_size", world_size, transport.size)):
        if wanted not in (-1, found):
            raise ArgumentError(f"{name}={wanted} was asked for, but the launcher gave this process {name} {found}")
    board.patience = patience
    GroupMember.WORLD = ProcessGroup(transport.duplicate(), range(transport.size), board, group_name or "default", 0)


def _backends(backend: str) -> list[str]:
    """The backends in a name; ``"cpu:gloo,cuda:nccl"`` has one for each kind of device."""
    return [part.rpartition(":")[2] for part in backend.lower().split(",")]


def _patience(timeout: timedelta | None) -> float:
    if timeout is not None:
        if not isinstance(timeout, timedelta):
            raise ArgumentError(f"timeout must be a datetime.timedelta, got {timeout!r}")
        return timeout.total_seconds()
    return float(os.environ.get("MINIGRAD_DISTRIBUTED_TIMEOUT", PATIENCE))


def _joined(patience: float) -> tuple[Transport, NoticeBoard]:
    """The world, which a process joins once."""
    if _Begun.transport is None or _Begun.board is None:
        _Begun.transport = _transport(patience)
        _Begun.board = NoticeBoard(_Begun.transport.duplicate(), patience)
        if _Begun.transport.size > 1:
            failure.leave_together(_Begun.board)
            _tell_who_is_who(_Begun.transport, _Begun.board)
            _Begun.clock = _clock_of(_Begun.transport.duplicate(), _Begun.board)
    return _Begun.transport, _Begun.board


def _transport(patience: float) -> Transport:
    if launched(MPI_RANKS) is not None or mpi.is_running():
        return mpi.world(patience)
    found = launched(RANKS)
    if found is not None:
        raise DistributedError(
            f"torchrun started {found[1]} processes; minigrad joins ranks by MPI. Start them with: "
            f"mpiexec -n {found[1]} python program.py"
        )
    return Alone()


def _tell_who_is_who(transport: Transport, board: NoticeBoard) -> None:
    """Print one line with the processes of all ranks, because launchers name a killed rank only by its process."""
    mine = np.zeros(64, "uint8")
    said = f"{os.getpid()} on {socket.gethostname()}".encode()[:64]
    mine[: len(said)] = list(said)
    all_said = np.empty((transport.size, 64), "uint8")
    request = transport.all_gather(mine, all_said)
    board.wait(request.done, "the other ranks to begin", set(range(transport.size)))
    if transport.rank == 0:
        ranks = [f"rank {i} is process {bytes(row).rstrip(bytes(1)).decode()}" for i, row in enumerate(all_said)]
        print(f"{transport.size} ranks over {transport.name}: {', '.join(ranks)}", file=sys.stderr, flush=True)
    board.wait(
        transport.barrier().done, "the other ranks to begin", set(range(transport.size))
    )  # so that the line appears


def _clock_of(transport: Transport, board: NoticeBoard) -> float:
    everybody = set(range(transport.size))

    def wait(request: Request) -> None:
        board.wait(request.done, "the clocks of the other ranks", everybody)

    return clock.offset(transport, wait)


def told(event: events.CollectiveRan) -> None:
    """Emit the event of an exchange that is complete."""
    emit(event._replace(clock=_Begun.clock))


def destroy_process_group(group: ProcessGroup | None = None) -> None:
    """Forget `group`; if None, the default group and all others."""
    world = default_group()
    if group is None or group is world:
        GroupMember.WORLD = None


def default_group() -> ProcessGroup:
    """The group of all ranks. Raises ArgumentError before `init_process_group`."""
    if GroupMember.WORLD is None:
        raise ArgumentError(UNINITIALIZED)
    return GroupMember.WORLD


def group_of(group: Any) -> ProcessGroup | None:
    """`group`, or the default group if None; None if this rank is not in it."""
    if group is None:
        return default_group()
    return None if group is GroupMember.NON_GROUP_MEMBER else group


def get_rank(group: Any = None) -> int:
    """The number of this process in `group`, by default in the world; -1 if it is not in the group."""
    found = group_of(group)
    return -1 if found is None else found.rank()


def get_world_size(group: Any = None) -> int:
    """The number of ranks in `group`; -1 if this process is not in it."""
    found = group_of(group)
    return -1 if found is None else found.size()


def get_backend(group: Any = None) -> str:
    """The name of the backend, always "mpi"."""
    if group_of(group) is None:
        raise ArgumentError("Invalid process group specified")
    return "mpi"


def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """The number in `group` of a rank of the world."""
    return group.local(global_rank)


def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """The number in the world of a rank of `group`."""
    if not 0 <= group_rank < len(group.ranks):
        raise ArgumentError(f"Group rank {group_rank} is not part of group {group}")
    return group.ranks[group_rank]


def get_process_group_ranks(group: ProcessGroup | None) -> list[int]:
    """The ranks of the world that are in `group`."""
    return list((group or default_group()).ranks)


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """The number of this process among those on its machine, from the launcher, else `fallback_rank`."""
    for name in ("OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID", "LOCAL_RANK"):
        if os.environ.get(name, "").isdecimal():
            return int(os.environ[name])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise DistributedError("the launcher does not say which rank of its machine this is: give a fallback_rank")


def new_group(
    ranks: Sequence[int] | None = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
    device_id: Any = None,
    sort_ranks: bool = True,
) -> Any:
    """Create a group of `ranks` of the world, of all if None. Every rank calls it, also those that will not be in it.

    Those get ``GroupMember.NON_GROUP_MEMBER``, on which collectives do nothing.
    """
    world = default_group()
    chosen = list(range(world.size()) if ranks is None else ranks)
    if sort_ranks:
        chosen.sort()
    if len(set(chosen)) != len(chosen) or not all(0 <= each < world.size() for each in chosen):
        raise ArgumentError(f"the new group's ranks must be different, from 0 to {world.size() - 1}, got {chosen}")
    _Begun.groups += 1
    agreed = world.call(f"new_group of ranks {chosen}", world.transport.barrier)
    world.wait(agreed)  # dividing a communicator waits without a timeout, so all ranks must be here
    made = world.transport.subgroup(chosen)
    if made is None:
        return GroupMember.NON_GROUP_MEMBER
    board = world.board if timeout is None else world.board.with_patience(_patience(timeout))
    return ProcessGroup(made, chosen, board, group_desc or f"group {_Begun.groups}", _Begun.groups)
