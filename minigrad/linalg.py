"""Linear algebra, by the names of ``torch.linalg``: ``import minigrad as mg; mg.linalg.solve(A, b)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .absent import absent_from
from .ops.linalg.error_codes import cholesky_ex, inv_ex, solve_ex
from .ops.linalg.functions import (
    cholesky,
    cross,
    det,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    matrix_power,
    multi_dot,
    qr,
    slogdet,
    svd,
    svdvals,
    vecdot,
)
from .ops.linalg.lu import lu, lu_factor, lu_factor_ex, lu_solve
from .ops.linalg.matmul import matmul
from .ops.linalg.matrix_functions import cond, lstsq, matrix_exp, matrix_norm, matrix_rank, norm, pinv, vector_norm
from .ops.linalg.multilinear import tensorinv, tensorsolve, vander
from .ops.linalg.solve import LinAlgError, inv, solve, solve_triangular
from .ops.linalg.triangular_factors import householder_product
from .ops.shape.strided import diagonal

__all__ = [
    "LinAlgError", "cholesky", "cholesky_ex", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh",
    "householder_product", "inv", "inv_ex", "lstsq", "lu", "lu_factor", "lu_factor_ex", "lu_solve", "matmul",
    "matrix_exp", "matrix_norm", "matrix_power", "matrix_rank", "multi_dot", "norm", "pinv", "qr", "slogdet", "solve",
    "solve_ex", "solve_triangular", "svd", "svdvals", "tensorinv", "tensorsolve", "vander", "vecdot", "vector_norm",
]  # fmt: skip


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        raise absent_from(__name__, name)
