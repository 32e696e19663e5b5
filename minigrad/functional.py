"""Functions that are also at the top level, at PyTorch's import path: ``minigrad.functional.norm``."""

from __future__ import annotations

from . import ops

NAMES = (
    "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_shapes", "broadcast_tensors", "cartesian_prod",
    "cdist", "chain_matmul", "einsum", "istft", "lu", "meshgrid", "norm", "split", "stft", "tensordot", "unique",
    "unique_consecutive", "unravel_index",
)  # fmt: skip

globals().update({name: ops.function(name) for name in NAMES})
__all__ = list(NAMES)
