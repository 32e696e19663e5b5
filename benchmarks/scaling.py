"""Measure how training scales over ranks here, and whether a model with measured parameters predicts it.

    python -m benchmarks.scaling             measure at 1, 2 and 4 ranks, and print the tables
    python -m benchmarks.scaling --far       only what the model says of 8 to 4,096 ranks, drawn in scaling.svg

The model: the time of a step is that of computing in parallel, of copying the gradients to buckets and back, and of the
all-reduce of each bucket, interpolated linearly between measured sizes. Each is measured separately: computing under
`no_sync`, where nothing is exchanged. Steps with exchanges are not used for the model, so that they can test whether it
is right.

All times are from when the first rank begins until the last has finished, on the clock that all processes of a machine
share. If ranks share a core, this includes what one rank's own clock misses: while one runs, the other waits
for its turn, up to a slice of the scheduler (some 4 ms), before it begins, copies, or answers.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

BATCH = 512
SIZES = (1_000, 64_000, 1_000_000, 4_000_000, 8_000_000)
ROUNDS = 30
LAUNCHES = 5


def measure() -> None:
    """One rank of the measurement; rank 0 prints what it found."""
    import minigrad as mg
    from minigrad import distributed as dist
    from minigrad.distributed.group import default_group
    from minigrad.distributed.reduction import ReduceOp
    from minigrad.nn.parallel import DistributedDataParallel

    dist.init_process_group()
    group = default_group()
    ranks = dist.get_world_size()
    found: dict[str, Any] = {"ranks": ranks, "all_reduce": {}, "steps": {}}
    for size in SIZES:
        buffer = np.ones(size // 4, "float32")

        def reduce(buffer: Any = buffer) -> None:
            buffer[:] = 1
            group.wait(group.call("buffer", lambda: group.transport.all_reduce(buffer, ReduceOp.SUM), checked=False))

        (found["all_reduce"][size],) = _best(reduce)
    for name in ("cnn", "mlp"):
        mg.manual_seed(0)
        net, shape = _net(name)
        x, labels = mg.randn(BATCH // ranks, *shape), mg.randint(0, 10, (BATCH // ranks,))
        shared = DistributedDataParallel(net)
        count = sum(p.numel() for p in net.parameters())
        one, other = np.ones(count, "float32"), np.ones(count, "float32")

        def step(shared: Any = shared, x: Any = x, labels: Any = labels) -> None:
            for p in shared.parameters():
                p.grad = None
            mg.nn.functional.cross_entropy(shared(x), labels).backward()

        def compute(shared: Any = shared, step: Any = step) -> None:
            with shared.no_sync():
                step()

        def copy(one: Any = one, other: Any = other) -> None:
            one[:] = other
            one[:] /= 2.0
            other[:] = one

        buckets = [4 * sum(p.numel() for p in bucket.parameters) for bucket in shared._reducer.buckets]
        found["steps"][name] = {"buckets": buckets, "seconds": _best(step, compute, copy)}
    if dist.get_rank() == 0:
        print(json.dumps(found), flush=True)


def _best(*calls: Callable[[], None]) -> list[float]:
    """The seconds of the fastest of several rounds of each call by all ranks: other programs can only add time."""
    from minigrad import distributed as dist

    times = []
    for _ in range(ROUNDS):
        for call in calls:
            dist.barrier()
            began = time.perf_counter()
            call()
            times.append((began, time.perf_counter()))
    every: list[Any] = [None] * dist.get_world_size()
    dist.all_gather_object(every, times)
    first, last = np.min(every, axis=0)[:, 0], np.max(every, axis=0)[:, 1]
    return [float(each) for each in (last - first).reshape(ROUNDS, len(calls)).min(axis=0)]


def _net(name: str) -> tuple[Any, tuple[int, ...]]:
    from minigrad import nn

    if name == "mlp":
        return nn.Sequential(nn.Linear(64, 768), nn.ReLU(), nn.Linear(768, 768), nn.ReLU(), nn.Linear(768, 10)), (64,)
    layers = [nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(16 * 16, 10)), (1, 8, 8)


def main() -> None:
    """Run the ranks, and print the tables."""
    if "--far" not in sys.argv:
        _near()
    _far()


def _near() -> None:
    beside = Path(sys.executable).with_name("mpiexec")
    mpiexec = str(beside) if beside.exists() else shutil.which("mpiexec")
    if mpiexec is None:
        sys.exit("no mpiexec: pip install 'minigrad-live[mpi]'")
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    runs = {}
    for ranks in (1, 2, 4):
        command = [mpiexec, "-n", str(ranks), sys.executable, "-m", "benchmarks.scaling", "--rank"]
        launches = []
        for _ in range(LAUNCHES):
            ran = subprocess.run(command, env={**os.environ, **threads}, stdout=subprocess.PIPE, text=True, timeout=500)
            launches.append(json.loads(ran.stdout.splitlines()[-1]))
        runs[ranks] = _least(launches)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    print(f"{cores} cores, 1 thread a rank\n\n| all-reduce | 2 ranks | 4 ranks |\n| --- | --- | --- |")
    for size in SIZES:
        times = [1e3 * runs[ranks]["all_reduce"][str(size)] for ranks in (2, 4)]
        print(f"| {size:,} bytes | {times[0]:.3g} ms | {times[1]:.3g} ms |")
    print("\n| step of 512 samples | ranks | measured | model | error | played | error |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in ("cnn", "mlp"):
        for ranks in (1, 2, 4):
            measured, compute, copying = runs[ranks]["steps"][name]["seconds"]
            buckets = runs[ranks]["steps"][name]["buckets"]
            model = compute + copying + sum(_all_reduce(runs[ranks], size) for size in buckets if ranks > 1)
            played = _played(runs[ranks], ranks, buckets, compute + copying)
            cells = [f"{1e3 * seconds:.1f} ms | {100 * (seconds / measured - 1):+.0f} %" for seconds in (model, played)]
            print(f"| {name} | {ranks} | {1e3 * measured:.1f} ms | {' | '.join(cells)} |")


def _least(launches: list[dict[str, Any]]) -> dict[str, Any]:
    """The least value of each figure: launches place ranks on cores differently, which can only add time."""
    first = launches[0]
    for size in first["all_reduce"]:
        first["all_reduce"][size] = min(run["all_reduce"][size] for run in launches)
    for name, found in first["steps"].items():
        found["seconds"] = [
            min(each) for each in zip(*(run["steps"][name]["seconds"] for run in launches), strict=True)
        ]
    return first


def _all_reduce(run: dict[str, Any], size: int) -> float:
    """The seconds of an all-reduce, interpolated linearly between measured sizes: the bandwidth differs in and out of
    the cache."""
    return float(np.interp(size, SIZES, [run["all_reduce"][str(each)] for each in SIZES]))


def _played(run: dict[str, Any], ranks: int, buckets: list[int], compute: float) -> float:
    """The seconds of the same step in the simulation, with a network as measured around the size of most gradients.

    The time of a ring's all-reduce is linear in its bytes: two sizes give its latency and bandwidth. The cores that
    move the buckets also compute, so nothing overlaps: backward ends before the first bucket is sent.
    """
    from minigrad.distributed.simulate import Network, step

    if ranks == 1:
        return compute
    above = next(each for each in SIZES[1:] if each >= max(buckets))
    below = SIZES[SIZES.index(above) - 1]
    low, high = (run["all_reduce"][str(each)] for each in (below, above))
    a_byte = max(high - low, 1e-12) / (above - below)
    latency = max(low - a_byte * below, 0.0) / (2 * (ranks - 1))
    network = Network(latency, 2 * (ranks - 1) / ranks / a_byte)
    return step(ranks, 0.0, buckets, network, forward=compute).seconds


def _far() -> None:
    from minigrad.distributed.simulate import LINKS, efficiency

    from .scaling_picture import PICTURE, SETTINGS, picture

    PICTURE.write_text(picture(), encoding="utf-8")
    counts = (8, 64, 512, 4096)
    print(f"\n| model, samples a rank, op/s of a rank | link | {' | '.join(f'{n:,} ranks' for n in counts)} |")
    print("| --- | --- |" + " --- |" * len(counts))
    for load, samples, speed in SETTINGS:
        for link, network in LINKS.items():
            shares = [f"{100 * efficiency(n, load, network, samples, speed):.0f} %" for n in counts]
            print(f"| {load.name}, {samples}, {speed:.0e} | {link} | {' | '.join(shares)} |")


if __name__ == "__main__":
    measure() if "--rank" in sys.argv else main()
