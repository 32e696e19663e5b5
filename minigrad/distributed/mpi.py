"""The transport over MPI, with mpi4py; no other file imports it.

Only non-blocking calls are used, so that `waiting.py` can sleep between checks, say what it waits for,
and time out.
"""

from __future__ import annotations

import faulthandler
import importlib.util
import os
import sys
from collections.abc import Sequence
from typing import Any

from ..errors import DistributedError, MissingPackageError
from .launch import MPI_RANKS, launched
from .reduction import ReduceOp
from .transport import ANY, Buffer, Request, Transport

TO_INSTALL = "pip install 'minigrad-live[mpi]', then start it with: mpiexec -n 4 python program.py"


def is_installed() -> bool:
    """Whether mpi4py can be imported. The MPI library itself may still be missing."""
    return importlib.util.find_spec("mpi4py") is not None


def is_running() -> bool:
    """Whether this process has initialised MPI, and not finalised it."""
    mpi: Any = sys.modules.get("mpi4py.MPI")
    return mpi is not None and mpi.Is_initialized() and not mpi.Is_finalized()


def world(patience: float) -> MpiTransport:
    """The transport between all ranks of the launch.

    The process ends if they do not start within `patience` seconds.
    """
    if not is_installed():
        raise MissingPackageError(f"several ranks were started, and mpi4py, which joins them, is missing: {TO_INSTALL}")
    mpi = _begun(patience)
    comm = mpi.COMM_WORLD
    told = launched(MPI_RANKS)
    if told is not None and comm.Get_size() == 1:
        raise DistributedError(
            f"the launcher started {told[1]} ranks, but MPI sees one alone: mpiexec is of another MPI than "
            f"{_library(mpi)}. Use the mpiexec that was installed with it: {os.path.dirname(sys.executable)}/mpiexec"
        )
    return MpiTransport(mpi, comm.Dup())


def end() -> None:
    """Finalise MPI if this module initialised it; mpi4py finalises what it initialised itself."""
    mpi: Any = sys.modules.get("mpi4py.MPI")
    if _Begun.here and mpi is not None and not mpi.Is_finalized():
        mpi.Finalize()


class _Begun:
    here = False


def abort(status: int) -> None:
    """End all ranks at once, without their exit handlers."""
    mpi: Any = sys.modules.get("mpi4py.MPI")
    if mpi is not None and mpi.Is_initialized() and not mpi.Is_finalized():
        mpi.COMM_WORLD.Abort(status)


def join_to_abort(status: int, patience: float) -> None:
    """End the ranks that wait for this one to initialise MPI: initialise it, then abort.

    If they do not arrive within `patience` seconds, this process ends alone.
    """
    if launched(MPI_RANKS) is None or not is_installed():
        return
    with open(os.devnull, "w") as nowhere:
        _begun(patience, nowhere)
    abort(status)


def _begun(patience: float, told: Any = None) -> Any:
    """Initialise mpi4py's MPI and return it. MPI waits for all ranks, so a timer outside Python ends the process after
    a while.

    The timer writes the stack to `told`, or to standard error, where the name of the last function says what is wrong.
    """
    import mpi4py

    mpi4py.rc.initialize = False
    from mpi4py import MPI

    if not MPI.Is_initialized():
        faulthandler.dump_traceback_later(patience, exit=True, file=told or 2)
        try:
            _wait_until_all_ranks_have_called_init_process_group(MPI)
        finally:
            faulthandler.cancel_dump_traceback_later()
        _Begun.here = True
    return MPI


def _wait_until_all_ranks_have_called_init_process_group(mpi: Any) -> None:
    mpi.Init_thread(mpi.THREAD_MULTIPLE)


def _library(mpi: Any) -> str:
    return " ".join(mpi.Get_library_version().split(",")[0].split()[:3]).replace(" Version:", "")


class MpiRequest:
    """One or several requests of MPI. Keeps their buffers alive."""

    def __init__(self, mpi: Any, request: Any, *kept: Any) -> None:
        self._mpi, self._request, self._kept = mpi, request, kept
        self._status = mpi.Status()
        self.source = ANY
        self.count = 0

    def done(self) -> bool:
        """Whether the exchange is complete."""
        if self._request is None:
            return True
        try:
            complete = self._request.Test(self._status)
        except self._mpi.Exception as error:
            self._request = None
            if error.Get_error_class() == self._mpi.ERR_TRUNCATE:
                raise DistributedError(
                    f"more was sent than was to be received: {self._kept[-1].nbytes} bytes"
                ) from None
            raise DistributedError(f"MPI: {error.Get_error_string()}") from None
        if complete:
            self.source = self._status.Get_source()
            self.count = self._status.Get_count(self._mpi.BYTE) if self.source >= 0 else 0
            self._request, self._kept = None, ()
        return bool(complete)


class MpiTransport(Transport):
    """A communicator of MPI."""

    def __init__(self, mpi: Any, comm: Any) -> None:
        self._mpi, self._comm = mpi, comm
        self.rank, self.size = comm.Get_rank(), comm.Get_size()
        self.name = _library(mpi)
        self.on_device = os.environ.get("MINIGRAD_MPI_ON_DEVICE") == "1"

    def _bytes(self, buffer: Buffer) -> list[Any]:
        return [buffer.reshape(-1).view("uint8"), self._mpi.BYTE]

    def _op(self, op: ReduceOp) -> Any:
        return getattr(self._mpi, {"AVG": "SUM", "PRODUCT": "PROD"}.get(op.name, op.name))

    def _started(self, request: Any, *kept: Any) -> Request:
        return MpiRequest(self._mpi, request, *kept)

    def barrier(self) -> Request:
        return self._started(self._comm.Ibarrier())

    def broadcast(self, buffer: Buffer, root: int) -> Request:
        return self._started(self._comm.Ibcast(self._bytes(buffer), root), buffer)

    def all_reduce(self, buffer: Buffer, op: ReduceOp) -> Request:
        return self._started(self._comm.Iallreduce(self._mpi.IN_PLACE, buffer, self._op(op)), buffer)

    def reduce(self, given: Buffer, out: Buffer, op: ReduceOp, root: int) -> Request:
        return self._started(self._comm.Ireduce(given, out, self._op(op), root), given, out)

    def reduce_scatter(self, given: Buffer, out: Buffer, op: ReduceOp) -> Request:
        return self._started(self._comm.Ireduce_scatter_block(given, out, self._op(op)), given, out)

    def all_gather(self, given: Buffer, out: Buffer) -> Request:
        return self._started(self._comm.Iallgather(self._bytes(given), self._bytes(out)), given, out)

    def gather(self, given: Buffer, out: Buffer | None, root: int) -> Request:
        room = None if out is None else self._bytes(out)
        return self._started(self._comm.Igather(self._bytes(given), room, root), given, out)

    def scatter(self, given: Buffer | None, out: Buffer, root: int) -> Request:
        parts = None if given is None else self._bytes(given)
        return self._started(self._comm.Iscatter(parts, self._bytes(out), root), given, out)

    def all_to_all(self, given: Buffer, out: Buffer, sent: Sequence[int], received: Sequence[int]) -> Request:
        outgoing = [given.reshape(-1).view("uint8"), [n * given.itemsize for n in sent], self._mpi.BYTE]
        incoming = [out.reshape(-1).view("uint8"), [n * out.itemsize for n in received], self._mpi.BYTE]
        return self._started(self._comm.Ialltoallv(outgoing, incoming), given, out)

    def send(self, given: Buffer, to: int, tag: int) -> Request:
        return self._started(self._comm.Isend(self._bytes(given), to, tag), given)

    def receive(self, out: Buffer, source: int, tag: int) -> Request:
        source = self._mpi.ANY_SOURCE if source == ANY else source
        return self._started(self._comm.Irecv(self._bytes(out), source, tag), out)

    def waiting(self, tag: int) -> bool:
        return bool(self._comm.Iprobe(self._mpi.ANY_SOURCE, tag))

    def subgroup(self, ranks: Sequence[int]) -> Transport | None:
        if list(ranks) == list(range(self.size)):
            return MpiTransport(self._mpi, self._comm.Dup())
        mine = self.rank in ranks
        key = list(ranks).index(self.rank) if mine else 0
        made = self._comm.Split(0 if mine else self._mpi.UNDEFINED, key)
        return MpiTransport(self._mpi, made) if mine else None
