"""How this process was started: alone, or as one of several ranks, by a launcher that says so in the environment."""

from __future__ import annotations

import os

RANKS = (
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("SLURM_PROCID", "SLURM_NTASKS"),
    ("RANK", "WORLD_SIZE"),
)
"""The variables of Open MPI, MPICH and its relatives, Slurm and torchrun."""

MPI_RANKS = RANKS[:3]
"""The launchers whose ranks MPI can connect to one world."""


def launched(names: tuple[tuple[str, str], ...] = RANKS) -> tuple[int, int] | None:
    """The rank and world size from the launcher; None for a process that runs alone.

    >>> import os
    >>> os.environ["RANK"], os.environ["WORLD_SIZE"] = "1", "4"
    >>> launched()
    (1, 4)
    >>> del os.environ["RANK"], os.environ["WORLD_SIZE"]
    """
    for rank, size in names:
        found = os.environ.get(rank, ""), os.environ.get(size, "")
        if all(text.isdecimal() for text in found) and int(found[1]) > 1:
            return int(found[0]), int(found[1])
    return None
