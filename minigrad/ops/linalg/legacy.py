"""Linear algebra under names and with arguments from before ``torch.linalg``."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...errors import DomainError, DtypeError, ShapeError
from ..common import return_types
from ..common.arguments import accepts_out
from ..reduce.sums import cast_first, chosen_axes
from . import functions as linalg
from . import lu as factors
from .matrix_functions import matrix_norm, pinv
from .solve import matrices
from .vector_norm import VectorNorm

__all__ = ["cholesky", "cross", "dist", "lu", "lu_solve", "norm", "pinverse", "qr", "svd"]


@accepts_out
def cholesky(input: Any, upper: bool = False) -> Tensor:
    """`linalg.cholesky`, with `upper` as a positional argument."""
    return linalg.cholesky(input, upper=upper)


@accepts_out
def svd(input: Any, some: bool = True, compute_uv: bool = True) -> Any:
    """The singular value decomposition (U, S, V), with ``input = U @ diag(S) @ V.mH``.

    Without `compute_uv` only S is computed, and U and V are zeros.
    """
    if not compute_uv:
        matrices("svd", input)
        (rows, columns), batch = input._array.shape[-2:], input._array.shape[:-2]
        zeros = input.new_zeros((*batch, rows, rows)), input.new_zeros((*batch, columns, columns))
        return return_types.svd(zeros[0], linalg.svdvals(input), zeros[1])
    U, S, Vh = linalg.svd(input, full_matrices=not some)
    return return_types.svd(U, S, Vh.mH)


@accepts_out
def qr(input: Any, some: bool = True) -> Any:
    """`linalg.qr`, reduced if `some`, else complete."""
    return return_types.qr(linalg.qr(input, "reduced" if some else "complete"))


def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """`linalg.pinv`; singular values below `rcond` times the largest count as 0."""
    return pinv(input, rtol=rcond)


def lu(A: Any, pivot: bool = True, get_infos: bool = False, out: Any = None) -> Any:
    """`linalg.lu_factor` as (LU, pivots), with `get_infos` also infos."""
    LU, pivots, infos = factors.lu_factor_ex(A, pivot=pivot)
    return (LU, pivots, infos) if get_infos else (LU, pivots)


@accepts_out
def lu_solve(b: Any, LU_data: Any, LU_pivots: Tensor) -> Tensor:
    """`linalg.lu_solve`, with the right-hand side as first argument."""
    return factors.lu_solve(LU_data, LU_pivots, b)


@accepts_out
def cross(input: Any, other: Any, dim: int | None = None) -> Tensor:
    """`linalg.cross`, by default along the first dimension of size 3."""
    if dim is None:
        shape = input._array.shape
        dim = next((i for i, size in enumerate(shape) if size == 3), None)
        if dim is None:
            raise ShapeError(f"no dimension of size 3 in input: cross() got a tensor of shape {list(shape)}")
    return linalg.cross(input, other, dim=dim)


@accepts_out
def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    """The p-norm of all elements, or over `dim`; "fro" means 2.

    >>> import minigrad as mg
    >>> mg.norm(mg.tensor([3.0, 4.0]))
    tensor(5.)
    """
    input = cast_first(input, dtype)
    if not input.dtype.is_differentiable:
        raise DtypeError(f"norm(): expected a floating point or complex tensor as input. Got {input.dtype}")
    if isinstance(p, str) and p not in ("fro", "nuc"):
        raise DomainError(f"norm(): only the names 'fro' and 'nuc' stand for norms, got {p!r}")
    if p == "nuc":
        return matrix_norm(input, "nuc", (-2, -1) if dim is None else dim, keepdim)
    order = 2.0 if p in ("fro", None) else float(p)
    return VectorNorm(order, chosen_axes(dim, input._array.ndim), keepdim)(input)


def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The p-norm of the difference of two tensors."""
    return norm(input - other, p)


METHODS = {
    "cholesky": cholesky, "cross": cross, "dist": dist, "lu": lu, "lu_solve": lu_solve, "norm": norm,
    "pinverse": pinverse, "qr": qr, "svd": svd,
}  # fmt: skip
