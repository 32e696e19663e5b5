"""`DistributedSampler`: gives each of several processes its part of a dataset."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sized
from typing import Any

from ...distributed.group import get_rank, get_world_size
from ...errors import ArgumentError
from ...ops.random.distributions import Generator, randperm
from .sampler import Sampler


class DistributedSampler(Sampler[int]):
    """The indices for process `rank` of `num_replicas`: every num_replicas-th index of a common order.

    Both default to those of the default process group.

    All parts have the same length: with `drop_last` the remainder is left out, without it some samples occur twice.
    Call `set_epoch` before each epoch to shuffle again.

    >>> list(DistributedSampler(range(5), num_replicas=2, rank=1, shuffle=False))
    [1, 3, 0]
    """

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        num_replicas = get_world_size() if num_replicas is None else num_replicas
        rank = get_rank() if rank is None else rank
        if not 0 <= rank < num_replicas:
            raise ArgumentError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.shuffle = shuffle
        self.seed = seed
        self.drop_last = drop_last
        count = len(dataset)
        self.num_samples = count // num_replicas if drop_last else math.ceil(count / num_replicas)
        self.total_size = self.num_samples * num_replicas

    def _order(self) -> list[Any]:
        count = len(self.dataset)
        if not self.shuffle:
            return list(range(count))
        return list(randperm(count, generator=Generator().manual_seed(self.seed + self.epoch)).tolist())

    def __iter__(self) -> Iterator[int]:
        order = self._order()
        repeats = math.ceil(self.total_size / max(len(order), 1))
        return iter((order * max(repeats, 1))[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch, which determines the order; every process must set the same."""
        self.epoch = epoch
