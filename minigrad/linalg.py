"""Linear algebra, as ``torch.linalg`` has it: ``import minigrad as mg; mg.linalg.solve(A, b)``."""

from __future__ import annotations

from .ops.linalg import (
    cholesky,
    cross,
    det,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    inv,
    matrix_power,
    multi_dot,
    qr,
    slogdet,
    solve,
    solve_triangular,
    svd,
    svdvals,
    vecdot,
)
from .ops.matmul import matmul
from .ops.matrix import cond, lstsq, lu, matrix_exp, matrix_norm, matrix_rank, norm, pinv, vector_norm
from .ops.solve import LinAlgError
from .ops.windows import diagonal

__all__ = [
    "LinAlgError", "cholesky", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "lstsq",
    "lu", "matmul", "matrix_exp", "matrix_norm", "matrix_power", "matrix_rank", "multi_dot", "norm", "pinv", "qr",
    "slogdet", "solve", "solve_triangular", "svd", "svdvals", "vecdot", "vector_norm",
]  # fmt: skip
