"""The parts of mpi4py that the example uses. The real one needs an MPI, which a test cannot require.

Ranks are processes of one machine that exchange data as files in a shared folder. RANK and
WORLD_SIZE identify this rank, as with any launcher; MEETING is the folder.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np

PATIENCE = 60.0


class Comm:
    """All processes of the launch."""

    def __init__(self) -> None:
        self.rank, self.size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
        self._folder = Path(os.environ["MEETING"])
        self._count = 0

    def Allreduce(self, given: object, array: Any, op: object) -> None:
        """Replace the array by its sum over all ranks."""
        assert given is MPI.IN_PLACE
        assert op is MPI.SUM
        array[...] = self._summed(array)

    def allreduce(self, number: float) -> float:
        """The sum over all ranks."""
        return float(self._summed(np.asarray(number)))

    def _summed(self, mine: Any) -> Any:
        self._count += 1
        half = self._folder / f"half-{self.rank}.npy"
        np.save(half, mine)
        os.replace(half, self._file(self.rank))  # so that the file is complete or missing
        return sum(self._from(rank) for rank in range(self.size))

    def _from(self, rank: int) -> Any:
        deadline = time.monotonic() + PATIENCE
        while not self._file(rank).exists():
            assert time.monotonic() < deadline, f"rank {rank} has not come to number {self._count}"
            time.sleep(0.002)
        return np.load(self._file(rank))

    def _file(self, rank: int) -> Path:
        return self._folder / f"{self._count}-{rank}.npy"


class MPI:
    """The object that ``from mpi4py import MPI`` imports."""

    IN_PLACE, SUM = object(), object()
    COMM_WORLD = Comm()
