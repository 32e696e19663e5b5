"""Train with several processes, over MPI, with the names of ``torch.distributed``.

    pip install 'minigrad-live[mpi]'
    mpiexec -n 4 python program.py

A process started alone is a world of one rank, and needs no MPI. README.md in this folder
explains how the package is built, and what PyTorch has in addition.

>>> import minigrad as mg
>>> from minigrad import distributed as dist
>>> dist.init_process_group("gloo")
>>> x = mg.ones(2)
>>> dist.all_reduce(x)
>>> x
tensor([1., 1.])
>>> dist.destroy_process_group()
"""

from __future__ import annotations

import importlib
from typing import Any

from ..errors import UnknownNameError
from . import failure as _failure
from .collectives import (
    all_gather,
    all_gather_into_tensor,
    all_reduce,
    all_to_all,
    all_to_all_single,
    barrier,
    broadcast,
    gather,
    monitored_barrier,
    reduce,
    reduce_scatter,
    reduce_scatter_tensor,
    scatter,
)
from .group import (
    GroupMember,
    ProcessGroup,
    destroy_process_group,
    get_backend,
    get_global_rank,
    get_group_rank,
    get_node_local_rank,
    get_process_group_ranks,
    get_rank,
    get_world_size,
    group,
    init_process_group,
    is_available,
    is_backend_available,
    is_gloo_available,
    is_initialized,
    is_mpi_available,
    is_nccl_available,
    is_torchelastic_launched,
    new_group,
)
from .messages import P2POp, batch_isend_irecv, irecv, isend, recv, send
from .objects import (
    all_gather_object,
    broadcast_object_list,
    gather_object,
    recv_object_list,
    scatter_object_list,
    send_object_list,
)
from .reduction import ReduceOp
from .work import Work

__all__ = [
    "init_process_group", "destroy_process_group", "is_available", "is_initialized", "is_mpi_available",
    "is_gloo_available", "is_nccl_available", "is_backend_available", "is_torchelastic_launched", "get_rank",
    "get_world_size", "get_backend", "get_node_local_rank", "new_group", "group", "GroupMember", "ProcessGroup",
    "get_group_rank", "get_global_rank", "get_process_group_ranks",
    "ReduceOp", "Work", "barrier", "monitored_barrier", "broadcast", "all_reduce", "reduce", "all_gather",
    "all_gather_into_tensor", "gather", "scatter", "reduce_scatter", "reduce_scatter_tensor", "all_to_all",
    "all_to_all_single",
    "send", "recv", "isend", "irecv", "P2POp", "batch_isend_irecv",
    "all_gather_object", "gather_object", "broadcast_object_list", "scatter_object_list", "send_object_list",
    "recv_object_list",
]  # fmt: skip

_failure.end_all_on_errors()

PACKAGES = ("checkpoint", "nn", "optim", "simulate")
"""Packages that are imported when first named, because they need layers and optimisers."""


def __getattr__(name: str) -> Any:
    if name in PACKAGES:
        return importlib.import_module("." + name, __name__)
    raise UnknownNameError(f"module {__name__!r} has no attribute {name!r}. README.md beside it lists what there is.")
