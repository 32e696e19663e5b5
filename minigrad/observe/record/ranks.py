"""Find the rank of this process, if a launcher started several: MPI, torchrun or Slurm.

Launchers set it in the environment of each process; if the program has imported mpi4py, that is asked. Nothing is
imported for it. A program that runs alone has no rank.
"""

from __future__ import annotations

import os
import socket
import sys
from typing import Any

from ...distributed.launch import launched

LAUNCHES = ("OMPI_MCA_ess_base_jobid", "PMIX_NAMESPACE", "TORCHELASTIC_RUN_ID", "MINIGRAD_LAUNCH")
"""Environment variables that have one value in all processes of a launch, and another in every other launch."""


def rank_here() -> dict[str, Any]:
    """The ``rank`` of this process, the ``world_size``, and the ``launch`` that it belongs to; empty if it runs alone.

    >>> import os
    >>> os.environ["RANK"], os.environ["WORLD_SIZE"] = "1", "4"
    >>> found = rank_here()
    >>> del os.environ["RANK"], os.environ["WORLD_SIZE"]
    >>> found["rank"], found["world_size"]
    (1, 4)
    """
    pair = _from_mpi4py() or launched()
    if pair is None:
        return {}
    return {"rank": pair[0], "world_size": pair[1], "launch": _launch()}


def _from_mpi4py() -> tuple[int, int] | None:
    mpi: Any = sys.modules.get("mpi4py.MPI")
    if mpi is None or not mpi.Is_initialized() or mpi.Is_finalized() or mpi.COMM_WORLD.size < 2:
        return None
    return mpi.COMM_WORLD.rank, mpi.COMM_WORLD.size


def _launch() -> str:
    """The name of the launch; if it has none, the host and the parent process, which all its ranks share."""
    named = next((os.environ[name] for name in LAUNCHES if os.environ.get(name)), None)
    return named or f"{socket.gethostname()}-{os.getppid()}"
