"""Linear algebra as functions: what `mg.linalg` offers. The ops behind it are in `solve` and `factor`.

Matrices are the last two dimensions, all others a batch. Where a matrix does not allow what is asked, LinAlgError says
why.
"""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor, wrap
from ...errors import DtypeError, ShapeError
from ..common import return_types
from ..common.arguments import accepts_out
from ..common.bases import conj
from ..shape.join import cat, stack
from .determinant import Det, Slogdet
from .factorisations import Cholesky, Eig, Eigh, Qr, Svd
from .matmul import matmul
from .solve import HALVES, Inv, Solve

__all__ = ["det", "inverse", "logdet", "matrix_power", "slogdet"]


def square(name: str, *tensors: Any) -> None:
    """ShapeError unless these are floating (batches of) square matrices."""
    for each in tensors:
        matrices(name, each)
        if each._array.shape[-1] != each._array.shape[-2]:
            rows, columns = each._array.shape[-2:]
            raise ShapeError(f"{name}: A must be batches of square matrices, but they are {rows} by {columns} matrices")


def matrices(name: str, *tensors: Any) -> None:
    """ShapeError unless these are floating (batches of) matrices."""
    for each in tensors:
        if each._array.ndim < 2:
            raise ShapeError(f"{name}: The input tensor A must have at least 2 dimensions, it has {each._array.ndim}.")
        if not each.dtype.is_differentiable:
            raise DtypeError(f"{name}: Expected a floating point or complex tensor as input. Got {each.dtype}")
        if each.dtype in HALVES:
            raise DtypeError(f"{name}: Low precision dtypes not supported. Got {each.dtype}; convert with .float()")


@accepts_out
def inv(A: Tensor) -> Tensor:
    """The inverse of square matrices. LinAlgError where one is singular.

    >>> import minigrad as mg
    >>> mg.linalg.inv(mg.tensor([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    square("linalg.inv", A)
    return Inv()(A)


inverse = inv


@accepts_out
def solve(A: Any, B: Any, *, left: bool = True) -> Tensor:
    """The X of ``A X = B`` (of ``X A = B`` with ``left=False``). B may be vectors (of the batch shape of A)."""
    square("linalg.solve", A)
    vectors = B._array.ndim == 1 or (B._array.ndim + 1 == A._array.ndim and B._array.shape == A._array.shape[:-1])
    if vectors:
        B = B.unsqueeze(-1)
    if not left and not vectors:
        return solve(A.mT, B.mT).mT
    if A._array.shape[-1] != B._array.shape[-2]:
        raise ShapeError(
            f"linalg.solve: Incompatible shapes of A and B for the equation AX = B ({list(A.shape)} and "
            f"{list(B.shape)})"
        )
    result = Solve()(A, B)
    return result.squeeze(-1) if vectors else result


@accepts_out
def solve_triangular(A: Any, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    """`solve`, reading only one triangle of A (with ones on its diagonal if `unitriangular`)."""
    square("linalg.solve_triangular", A)
    if not left:
        kept = {"upper": not upper, "unitriangular": unitriangular}
        return solve_triangular(A.mT, B.mT, **kept).mT
    inside = 1 if unitriangular else 0
    triangle = A.triu(inside) if upper else A.tril(-inside)
    if unitriangular:
        triangle = triangle + eye_like(A)
    return Solve()(triangle, B)


def eye_like(A: Any) -> Tensor:
    """The identity matrix of the size of A."""
    xp = A._backend
    return wrap(xp.eye(A._array.shape[-1], dtype=A._array.dtype), xp)


@accepts_out
def det(A: Tensor) -> Tensor:
    """The determinant of square matrices."""
    square("linalg.det", A)
    return Det()(A)


@accepts_out
def slogdet(A: Tensor) -> Any:
    """The sign of the determinant and the logarithm of its absolute value, as (sign, logabsdet)."""
    square("linalg.slogdet", A)
    return return_types.slogdet(Slogdet()(A))


def logdet(A: Any) -> Tensor:
    """The logarithm of the determinant; nan where that is negative."""
    sign, logabsdet = slogdet(A)
    if sign.is_complex():
        return logabsdet + sign.log()
    return logabsdet.masked_fill(sign == -1, float("nan"))


@accepts_out
def cholesky(A: Any, *, upper: bool = False) -> Tensor:
    """The lower triangle L with ``A = L L.mH`` of positive-definite matrices, or ``L.mH`` if `upper`."""
    square("linalg.cholesky", A)
    factor = Cholesky(upper)(A)
    return factor.mH if upper else factor


@accepts_out
def qr(A: Any, mode: str = "reduced") -> Any:
    """Matrices with orthonormal columns times upper triangles, as (Q, R); `mode` is "reduced", "complete" or "r"."""
    matrices("linalg.qr", A)
    if mode not in ("reduced", "complete", "r"):
        raise ShapeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    if mode == "r":
        _, R = Qr(False)(A.detach())
        return return_types.qr(A.new_empty(0), R)
    return return_types.qr(Qr(mode == "complete")(A))


@accepts_out
def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """Eigenvalues (ascending) and orthonormal eigenvectors of symmetric matrices, of which one triangle is read."""
    square("linalg.eigh", A)
    return return_types.eigh(Eigh(UPLO.upper() == "L")(A))


@accepts_out
def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """The eigenvalues (ascending) of symmetric matrices."""
    return eigh(A, UPLO)[0]


@accepts_out
def eig(A: Tensor) -> Any:
    """Eigenvalues and eigenvectors (of length 1) of square matrices; both are complex."""
    square("linalg.eig", A)
    return return_types.eig(Eig()(A))


@accepts_out
def eigvals(A: Tensor) -> Tensor:
    """The eigenvalues of square matrices; they are complex."""
    return eig(A)[0]


@accepts_out
def svd(A: Any, full_matrices: bool = True) -> Any:
    """Singular values between two rotations, as (U, S, Vh) with ``A = U @ diag(S) @ Vh``.

    With `full_matrices` U and Vh are square; gradients flow through the part that ``full_matrices=False`` gives.
    """
    matrices("linalg.svd", A)
    U, S, Vh = Svd()(A)
    if full_matrices:
        U, Vh = _completed(U), _completed(Vh.mH).mH
    return return_types.svd(U, S, Vh)


def _completed(columns: Any) -> Any:
    """Orthonormal columns, and constants that make them a basis."""
    rows, count = columns._array.shape[-2:]
    if rows == count:
        return columns
    xp = columns._backend
    basis, _ = xp.linalg.qr(columns._array, mode="complete")
    return cat([columns, wrap(xp.asarray(basis[..., count:]), xp)], -1)


@accepts_out
def svdvals(A: Tensor) -> Tensor:
    """The singular values of matrices, in descending order."""
    return svd(A, full_matrices=False)[1]


@accepts_out
def matrix_power(A: Any, n: int) -> Tensor:
    """The n-th power of square matrices, by repeated squaring; of the inverse for negative n."""
    square("linalg.matrix_power", A)
    if n < 0:
        return matrix_power(inv(A), -n)
    result: Any = None
    while n:
        if n % 2:
            result = A if result is None else matmul(result, A)
        n //= 2
        A = matmul(A, A) if n else A
    return A * 0 + eye_like(A) if result is None else result


@accepts_out
def multi_dot(tensors: Any) -> Tensor:
    """The product of several matrices, in the order of multiplications that costs least."""
    given = list(tensors)
    if len(given) < 2:
        raise ShapeError(f"multi_dot(): expected at least 2 tensors but got {len(given)}")
    left, right = given[0]._array.ndim == 1, given[-1]._array.ndim == 1
    given = [given[0].unsqueeze(0) if left else given[0], *given[1:-1], given[-1].unsqueeze(-1) if right else given[-1]]
    while len(given) > 1:  # the largest inner size goes first: optimal for most chains, and easy to see
        inner = [each._array.shape[1] for each in given[:-1]]
        at = inner.index(max(inner))
        given[at : at + 2] = [matmul(given[at], given[at + 1])]
    result = given[0]
    result = result.squeeze(0) if left else result
    return result.squeeze(-1) if right else result


@accepts_out
def cross(input: Any, other: Any, *, dim: int = -1) -> Tensor:
    """The cross product of vectors of three elements along `dim`."""
    if input._array.shape[dim] != 3 or other._array.shape[dim] != 3:
        sizes = f"{input._array.shape[dim]} and {other._array.shape[dim]}"
        raise ShapeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {sizes}")
    a, b = input.unbind(dim), other.unbind(dim)
    parts = [a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)]
    return stack(parts, dim)


@accepts_out
def vecdot(x: Any, y: Any, *, dim: int = -1) -> Tensor:
    """The dot products of vectors along `dim`; the first is conjugated."""
    return (conj(x) * y).sum(dim)


METHODS = {
    "det": det,
    "inverse": inverse,
    "logdet": logdet,
    "matrix_power": matrix_power,
    "slogdet": slogdet,
}
