"""The rank of this process, where a launcher started several: MPI's, torchrun's, Slurm's.

Launchers say so in the environment of each process; whoever has imported mpi4py has it from there. Nothing is imported
for it, and a program that runs alone has no rank.
"""

from __future__ import annotations

import os
import socket
import sys
from typing import Any

from ...distributed.launch import launched

LAUNCHES = ("OMPI_MCA_ess_base_jobid", "PMIX_NAMESPACE", "TORCHELASTIC_RUN_ID", "MINIGRAD_LAUNCH")
"""The environment variables that processes started together have in common, and with no others."""


def rank_here() -> dict[str, Any]:
    """The ``rank`` of this process, the ``world_size``, and the ``launch`` that it belongs to; empty where it is alone.

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
    """Its name; where the launcher gives none, the process that started this one: on one machine it is the same."""
    named = next((os.environ[name] for name in LAUNCHES if os.environ.get(name)), None)
    return named or f"{socket.gethostname()}-{os.getppid()}"
