"""One rank fails in the way named by the first argument, while the others wait for it."""

from __future__ import annotations

import os
import signal
import sys
import time
from datetime import timedelta

import minigrad as mg
from minigrad import distributed as dist

way = sys.argv[1]
if os.environ.get("PMI_RANK", os.environ.get("OMPI_COMM_WORLD_RANK")) == "1":
    if way == "early":
        raise ValueError("before the group was made")
    if way == "absent":
        time.sleep(20)  # the launcher should end it much earlier
        sys.exit("it never joined")
dist.init_process_group("gloo", timeout=timedelta(seconds=float(os.environ.get("SECONDS", "4"))))
rank, size = dist.get_rank(), dist.get_world_size()
x = mg.ones(4)
dist.all_reduce(x)
if rank == 1:
    if way in ("raises", "exits", "leaves", "other call", "other shape", "other type", "too much"):
        print("failing at", time.time(), flush=True)
    if way == "raises":
        raise ValueError("the data of rank 1 is broken")
    if way == "exits":
        sys.exit(3)
    if way == "leaves":
        sys.exit(0)
    if way == "killed":
        print("failing at", time.time() + 1, flush=True)
        time.sleep(1)  # the launcher drops what it has not passed on by then
        os.kill(os.getpid(), signal.SIGKILL)
    if way == "stops":
        print("stopping", os.getpid(), flush=True)
        os.kill(os.getpid(), signal.SIGSTOP)
    if way == "other call":
        dist.broadcast(mg.ones(4), 0)
    if way == "other shape":
        dist.all_reduce(mg.ones(3, 4))
    if way == "other type":
        dist.all_reduce(mg.ones(4, dtype=mg.float64))
    if way == "other order":
        dist.barrier()
    if way == "both receive":
        dist.recv(mg.zeros(2), 0)
    if way == "too much":
        dist.send(mg.ones(8), 0)
    if way == "is slow":
        time.sleep(2.5)
if way == "both receive":
    dist.recv(mg.zeros(2), 1)
if way == "too much" and rank == 0:
    dist.recv(mg.zeros(4), 1)
dist.all_reduce(x)
print(f"rank {rank} came to its end with {x[0].item()}", flush=True)
