"""Simulate a training step of many ranks over a given network, event by event, in one process.

Each rank computes forward and backward; as backward fills a bucket of gradients, the ranks all-reduce it, one bucket
after the other, and after the last one they all take the step. A message of b bytes takes
``latency + b / bandwidth`` seconds; a rank sends and receives one at a time. Nothing else is assumed, so the effects
(a straggler that all wait for, latency that dominates a ring of a thousand ranks) follow from the algorithm.

>>> network = Network(latency=25e-6, bandwidth=1.25e9)  # 10 Gbit/s
>>> played = step(4, backward=0.1, buckets=[25_000_000] * 4, network=network)
>>> round(played.seconds, 3), round(played.share_of_waiting, 2)
(0.146, 0.31)
>>> played.events()[0]
Event(start=0.0, end=0.025, rank=0, kind='backward', to=None, bytes=0, bucket=0)

"Ring" is bandwidth-optimal (Patarasuk and Yuan, 2009): 2 (n - 1) messages of b / n bytes. "Doubling" halves and doubles
(Thakur, Rabenseifner and Gropp, 2005): 2 log2 n messages, as many bytes; n must be a power of two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..errors import ArgumentError

Algorithm = Literal["ring", "doubling"]


@dataclass(frozen=True)
class Network:
    """A network with the same latency in seconds and bandwidth in bytes per second between any two ranks."""

    latency: float
    bandwidth: float

    def seconds(self, size: float) -> float:
        """Seconds that a message of `size` bytes takes."""
        return self.latency + size / self.bandwidth


@dataclass(frozen=True)
class Event:
    """A rank's work from `start` to `end`: "forward", "backward", "send", "wait" or "update"."""

    start: float
    end: float
    rank: int
    kind: str
    to: int | None = None
    bytes: int = 0
    bucket: int | None = None


@dataclass(frozen=True)
class AllReduce:
    """One all-reduce: message m of rank r goes to ``peer[m, r]``, from ``start[m, r]`` until ``end[m, r]``."""

    start: np.ndarray
    end: np.ndarray
    peer: np.ndarray
    size: np.ndarray
    """The bytes of message m."""

    @property
    def done(self) -> np.ndarray:
        """The time at which each rank has the sum."""
        if not len(self.end):
            return self.start[0] if len(self.start) else np.zeros(0)
        took = self.end[-1].copy()
        np.maximum.at(took, self.peer[-1], self.end[-1])
        return took


def all_reduce(
    ready: Sequence[float] | np.ndarray, size: int, network: Network, algorithm: Algorithm = "ring"
) -> AllReduce:
    """Simulate the sum of `size` bytes over ``len(ready)`` ranks; each is ready at the time ``ready[rank]``.

    >>> summed = all_reduce([0.0, 0.0, 1.0, 0.0], 4_000, Network(latency=0.0, bandwidth=1000.0))
    >>> summed.done.tolist()  # rank 2 comes a second late; so all are late
    [7.0, 7.0, 7.0, 7.0]
    """
    ranks = len(ready)
    here = np.arange(ranks)
    plan: list[tuple[np.ndarray, float]] = []
    if algorithm == "ring":
        plan = [((here + 1) % ranks, size / ranks)] * (2 * (ranks - 1))
    elif ranks & (ranks - 1):
        raise ArgumentError(f"doubling needs 2, 4, 8, ... ranks, got {ranks}: take algorithm='ring'")
    else:
        distances = [1 << level for level in range(ranks.bit_length() - 1)]
        halves = [(here ^ d, size / 2 ** (i + 1)) for i, d in enumerate(reversed(distances))]
        plan = halves + halves[::-1]
    free = np.array(ready, float)  # when each rank has the data to send next, and has sent the data before
    starts, ends = [], []
    for peer, part in plan:
        end = np.maximum(free, free[peer]) if algorithm == "doubling" else free
        starts.append(end.copy())
        end = end + network.seconds(part)
        ends.append(end)
        arrived = np.empty(ranks)
        arrived[peer] = end
        free = np.maximum(end, arrived)
    shape = (len(plan), ranks)
    return AllReduce(
        np.array(starts).reshape(shape),
        np.array(ends).reshape(shape),
        np.array([peer for peer, _ in plan]).reshape(shape),
        np.array([part for _, part in plan]),
    )


@dataclass(frozen=True)
class Step:
    """The result of a simulated step."""

    ranks: int
    forward: np.ndarray
    """The seconds of forward on each rank; `backward` likewise."""
    backward: np.ndarray
    reductions: list[AllReduce]
    update: float
    done: np.ndarray
    """The time at which each rank has all gradients."""

    @property
    def seconds(self) -> float:
        """Seconds until the last rank has finished the step."""
        return float(self.done.max()) + self.update

    @property
    def share_of_waiting(self) -> float:
        """The average part of the step in which a rank only waits for gradients."""
        if np.isinf(self.seconds):
            return 1.0
        computed = self.forward + self.backward
        return float((self.done - computed).mean() / self.seconds)

    @property
    def slowest(self) -> int:
        """The rank that computed for the longest time."""
        return int((self.forward + self.backward).argmax())

    def events(self, ranks: Sequence[int] | None = None) -> list[Event]:
        """The events of the `ranks`, by default of all, ordered by their start.

        For 1,024 ranks in a ring these are millions.
        """
        chosen = range(self.ranks) if ranks is None else ranks
        return sorted(self._of(chosen), key=lambda event: (event.start, event.rank))

    def _of(self, ranks: Sequence[int]) -> Iterator[Event]:
        count = len(self.reductions)
        for rank in ranks:
            begin, whole = float(self.forward[rank]), float(self.backward[rank])
            if begin:
                yield Event(0.0, begin, rank, "forward")
            for bucket in range(count):
                yield Event(
                    begin + whole * bucket / count,
                    begin + whole * (bucket + 1) / count,
                    rank,
                    "backward",
                    bucket=bucket,
                )
            for bucket, reduction in enumerate(self.reductions):
                for start, end, peer, size in zip(
                    reduction.start[:, rank],
                    reduction.end[:, rank],
                    reduction.peer[:, rank],
                    reduction.size,
                    strict=True,
                ):
                    if start < np.inf:
                        yield Event(float(start), float(end), rank, "send", int(peer), int(size), bucket)
            if self.done[rank] > begin + whole:
                yield Event(begin + whole, float(self.done[rank]), rank, "wait")
            if self.update and self.done[rank] < np.inf:
                yield Event(float(self.done[rank]), float(self.done[rank]) + self.update, rank, "update")


def step(
    ranks: int,
    backward: float,
    buckets: Sequence[int],
    network: Network,
    forward: float = 0.0,
    update: float = 0.0,
    slow: Mapping[int, float] | None = None,
    lost: int | None = None,
    algorithm: Algorithm = "ring",
) -> Step:
    """Simulate one step of data-parallel training.

    Args:
        ranks: the number of ranks.
        backward: seconds of backward, in which the buckets fill one after the other, each in an equal part of it.
        buckets: bytes of each bucket.
        network: the time that a message takes.
        forward, update: seconds before and after.
        slow: by rank, how many times slower a straggler computes.
        lost: a rank that dies in backward. The ranks that wait for it, and soon all do, wait for ever: until
            inf seconds.
    """
    if ranks < 1 or not buckets:
        raise ArgumentError(f"at least one rank and one bucket are needed, got {ranks} and {list(buckets)}")
    speed = np.ones(ranks)
    for rank, factor in (slow or {}).items():
        speed[rank] = factor
    forwards, backwards = forward * speed, backward * speed
    free = np.zeros(ranks)
    reductions = []
    for number, size in enumerate(buckets):
        full = forwards + backwards * (number + 1) / len(buckets)
        if lost is not None:
            full[lost] = np.inf
        reduction = all_reduce(np.maximum(full, free), size, network, algorithm)
        reductions.append(reduction)
        free = reduction.done if ranks > 1 else full
    return Step(ranks, forwards, backwards, reductions, update, np.maximum(free, forwards + backwards))


def seconds_of_all_reduce(
    ranks: int, size: float, network: Network, algorithm: Algorithm | Literal["best"] = "best"
) -> float:
    """The seconds that `all_reduce` takes if all ranks are ready at once, by formula; "best" is the faster algorithm.

    >>> network = Network(latency=1e-5, bandwidth=1e9)
    >>> [round(1e3 * seconds_of_all_reduce(1024, 1e6, network, how), 2) for how in ("ring", "doubling")]
    [22.46, 2.2]
    """
    if ranks == 1:
        return 0.0
    moved = 2 * size * (ranks - 1) / ranks / network.bandwidth
    ring = 2 * (ranks - 1) * network.latency + moved
    doubling = 2 * float(np.ceil(np.log2(ranks))) * network.latency + moved
    return {"ring": ring, "doubling": doubling, "best": min(ring, doubling)}[algorithm]


def predicted(
    ranks: int, compute: float, size: float, network: Network, overlap: float = 1.0, backward: float = 2 / 3
) -> float:
    """Seconds of a step: `compute` on each rank, plus the part of the all-reduce that backward does not hide.

    `backward` is its share of `compute`, of which communication may use the part `overlap`; the last bucket, taken as a
    tenth of the bytes, is never hidden.
    """
    whole = seconds_of_all_reduce(ranks, size, network)
    hidden = min(overlap * backward * compute, 0.9 * whole)
    return compute + whole - hidden


LINKS = {
    "10 Gbit/s": Network(30e-6, 1.1e9),
    "100 Gbit/s": Network(10e-6, 11e9),
    "NVLink class": Network(3e-6, 200e9),
}
"""Links with the speed that messages reach in practice, about nine tenths of their nominal speed."""


@dataclass(frozen=True)
class Load:
    """A model for data parallelism: bytes of gradients, and floating-point operations for one sample of a step."""

    name: str
    parameters: float
    flops: float

    @property
    def gradient_bytes(self) -> float:
        """The bytes of the gradients in float32."""
        return 4 * self.parameters


LOADS = (
    Load("MLP, 0.7 M", 0.7e6, 6 * 0.7e6),
    Load("GPT-2 small, 124 M, 1,024 tokens", 124e6, 6 * 124e6 * 1024),
    Load("GPT 1.3 B, 2,048 tokens", 1.3e9, 6 * 1.3e9 * 2048),
)
"""Six operations for each parameter and token: two forward, four backward (Kaplan et al., 2020)."""


def efficiency(ranks: int, load: Load, network: Network, samples: int, flops_a_second: float) -> float:
    """The speed-up divided by the number of ranks, each with `samples` samples: 1 if communication costs nothing."""
    compute = samples * load.flops / flops_a_second
    return compute / predicted(ranks, compute, load.gradient_bytes, network)
