"""The all-reduce of a ring, over real ranks: each sends to its right neighbour and receives from its left one.

    mpiexec -n 4 python -m minigrad.examples.mpi.ring

Lesson 13 derives it. What it sums is compared with `distributed.all_reduce`.
"""

from __future__ import annotations

import minigrad as mg
from minigrad import distributed as dist


def all_reduce(gradients):
    """The sum of `gradients` over all ranks: collected chunk by chunk, then spread."""
    rank, n = dist.get_rank(), dist.get_world_size()
    chunks = list(gradients.tensor_split(n))
    for s in range(n - 1):
        c = (rank - 1 - s) % n
        chunks[c] = chunks[c] + exchange(chunks[(rank - s) % n], chunks[c])
    for s in range(n - 1):
        c = (rank - s) % n
        chunks[c] = exchange(chunks[(rank + 1 - s) % n], chunks[c])
    return mg.cat(chunks)


def exchange(outgoing, like):
    """Send to the right neighbour, and return what came from the left."""
    rank, n = dist.get_rank(), dist.get_world_size()
    sending = dist.isend(outgoing, (rank + 1) % n)
    came = mg.empty_like(like)
    dist.recv(came, (rank - 1) % n)
    sending.wait()
    return came


if __name__ == "__main__":
    dist.init_process_group()
    mine = mg.arange(8.0) + 100 * dist.get_rank()
    summed = all_reduce(mine)
    dist.all_reduce(mine)
    assert mg.equal(summed, mine)
    if dist.get_rank() == 0:
        print(f"{dist.get_world_size()} ranks, sum {summed.tolist()}")
