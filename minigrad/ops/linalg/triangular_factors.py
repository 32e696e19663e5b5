"""Functions of the triangular factors of Cholesky, and of Householder reflections."""

from __future__ import annotations

from typing import Any

from ...core.interpreter import reading
from ...core.tensor import Tensor, wrap
from ...errors import ShapeError
from ..common import return_types
from ..common.arguments import accepts_out
from ..common.bases import conj
from .matmul import matmul
from .solve import eye_like, matrices, solve_triangular, square

__all__ = ["cholesky_inverse", "cholesky_solve", "geqrf", "orgqr", "ormqr", "triangular_solve"]


@accepts_out
def cholesky_solve(B: Any, L: Any, upper: bool = False) -> Tensor:
    """Solve ``A X = B`` for the A whose Cholesky factor is `L` (or, if `upper`, its transpose)."""
    for name, each in (("b", B), ("u", L)):
        if each._array.ndim < 2:
            raise ShapeError(f"{name} should have at least 2 dimensions, but has {each._array.ndim} dimensions instead")
    square("cholesky_solve", L)
    if L._array.shape[-1] != B._array.shape[-2]:
        raise ShapeError(f"Incompatible matrix sizes for cholesky_solve: {list(B.shape)} and {list(L.shape)}")
    lower = L.triu().mH if upper else L.tril()
    return solve_triangular(lower.mH, solve_triangular(lower, B, upper=False), upper=True)


@accepts_out
def cholesky_inverse(L: Any, upper: bool = False) -> Tensor:
    """The inverse of the matrix whose Cholesky factor is `L` (or, if `upper`, its transpose)."""
    if L._array.ndim < 2:
        raise ShapeError(f"cholesky_inverse: The input tensor must have at least 2 dimensions, it has {L._array.ndim}.")
    square("cholesky_inverse", L)
    return cholesky_solve(eye_like(L).expand(L._array.shape), L, upper)


@accepts_out
def triangular_solve(b: Any, A: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False) -> Any:
    """Solve ``A X = b`` with one triangle of A; return (solution, cloned_coefficient), the second a copy of A."""
    for name, each in (("b", b), ("A", A)):
        if each._array.ndim < 2:
            raise ShapeError(
                f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it has "
                f"{each._array.ndim} dimensions instead"
            )
    square("triangular_solve", A)
    if A._array.shape[-1] != b._array.shape[-2]:
        raise ShapeError(f"triangular_solve: Incompatible shapes {list(A.shape)} and {list(b.shape)}")
    used, above = (A.mT, not upper) if transpose else (A, upper)
    solution = solve_triangular(used, b, upper=above, unitriangular=unitriangular)
    return return_types.triangular_solve(solution, A.clone().expand(*solution._array.shape[:-2], *A._array.shape[-2:]))


@accepts_out
def householder_product(A: Any, tau: Any) -> Tensor:
    """The first columns of the product of reflections ``I - tau v v.mH``; each v is stored below A's diagonal."""
    matrices("linalg.householder_product", A)
    rows, columns = A._array.shape[-2:]
    if rows < columns:
        raise ShapeError(
            "torch.linalg.householder_product: input.shape[-2] must be greater than or equal to input.shape[-1]"
        )
    if tau._array.shape[-1] > columns or tau._array.ndim != A._array.ndim - 1:
        raise ShapeError(
            "torch.linalg.householder_product: input.shape[-1] must be greater than or equal to tau.shape[-1], and "
            f"tau must have one dimension less than input, but they are {list(A.shape)} and {list(tau.shape)}"
        )
    vectors = _with_unit_diagonal(A)
    product: Any = _with_unit_diagonal(A * 0)
    for k in reversed(range(tau._array.shape[-1])):
        v = vectors[..., :, k : k + 1]
        product = product - tau[..., k, None, None] * matmul(v, matmul(conj(v).mT, product))
    return product


def _with_unit_diagonal(A: Any) -> Any:
    """Return the part of A below its diagonal, with ones on the diagonal."""
    xp = A._backend
    return A.tril(-1) + wrap(xp.eye(*A._array.shape[-2:], dtype=A._array.dtype), xp)


orgqr = householder_product


@accepts_out
@reading
def geqrf(input: Any) -> Any:
    """The QR factorisation in LAPACK's form, (a, tau): R on and above the diagonal of `a`, Q's reflections below it.

    `householder_product` computes Q from these, and `ormqr` multiplies by it. This has no gradient; `linalg.qr` has.
    """
    matrices("geqrf", input)
    xp = input._backend
    rows, columns = input._array.shape[-2:]
    if not input._array.size:
        zeros = xp.zeros((*input._array.shape[:-2], min(rows, columns)), input._array.dtype)
        return return_types.geqrf(input.detach().clone(), wrap(zeros, xp))
    turned, tau = xp.linalg.qr(input._array, mode="raw")
    return return_types.geqrf(wrap(xp.swapaxes(turned, -1, -2), xp), wrap(tau, xp))


@accepts_out
def ormqr(input: Any, tau: Any, other: Any, left: bool = True, transpose: bool = False) -> Tensor:
    """``Q @ other`` (``other @ Q`` unless `left`), with Q, or Q.mH if `transpose`, given by its reflections as `geqrf`
    gives them; Q itself is never made."""
    matrices("ormqr", input, other)
    rows, meeting = input._array.shape[-2], other._array.shape[-2 if left else -1]
    if rows != meeting:
        raise ShapeError(
            f"torch.ormqr: other.shape[{-2 if left else -1}] must be equal to input.shape[-2], but they are {meeting} "
            f"and {rows}"
        )
    if not left:
        return conj(ormqr(input, tau, conj(other).mT, True, not transpose)).mT
    vectors, product, count = _with_unit_diagonal(input), other, tau._array.shape[-1]
    for k in range(count) if transpose else reversed(range(count)):
        v = vectors[..., :, k : k + 1]
        share = (conj(tau) if transpose else tau)[..., k, None, None]
        product = product - share * matmul(v, matmul(conj(v).mT, product))
    return product


METHODS = {
    "cholesky_solve": cholesky_solve, "cholesky_inverse": cholesky_inverse, "triangular_solve": triangular_solve,
    "orgqr": orgqr, "geqrf": geqrf, "ormqr": ormqr,
}  # fmt: skip
