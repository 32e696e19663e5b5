"""Data parallel training: each rank has its part of the batch; an all-reduce averages the gradients over all ranks.

    pip install "minigrad-live[mpi]"
    mpiexec -n 2 python -m minigrad.examples.mpi.data_parallel

With `mg.watch` every rank is a lane in the explorer. The parameters end up the same on all of them, as if one process
had seen the whole batch.
"""

from __future__ import annotations

import time
from typing import Any

import minigrad as mg
from minigrad import events, nn, optim


def average_gradients(comm: Any, parameters: list[mg.Tensor]) -> None:
    """Make each ``.grad`` the mean over all ranks, and emit an event for listeners."""
    from mpi4py import MPI

    before = tuple(mg.tensor(p.grad.numpy().copy()) for p in parameters) if events.LISTENERS else ()
    began = time.perf_counter()
    for parameter in parameters:
        comm.Allreduce(MPI.IN_PLACE, parameter.grad.numpy(), op=MPI.SUM)
        parameter.grad /= comm.size
    if events.LISTENERS:
        seconds = time.perf_counter() - began
        events.emit(events.CollectiveRan("all_reduce", tuple(parameters), seconds, "mean", True, before))


def train(comm: Any, steps: int = 3) -> list[float]:
    """Fit a line to this rank's part of the points; the loss of each step, averaged over the ranks."""
    mg.manual_seed(0)
    x = mg.linspace(-1, 1, 32).reshape(-1, 1)
    y = 3 * x - 1
    mine = slice(comm.rank, None, comm.size)
    model = nn.Linear(1, 1)
    optimizer = optim.SGD(model.parameters(), lr=0.3)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = ((model(x[mine]) - y[mine]) ** 2).mean()
        loss.backward()
        average_gradients(comm, list(model.parameters()))
        optimizer.step()
        losses.append(comm.allreduce(loss.item()) / comm.size)
    return losses


if __name__ == "__main__":
    from mpi4py import MPI

    mg.watch(f"rank {MPI.COMM_WORLD.rank}", browser=False)
    found = train(MPI.COMM_WORLD)
    if MPI.COMM_WORLD.rank == 0:
        print("losses", [round(loss, 4) for loss in found])
