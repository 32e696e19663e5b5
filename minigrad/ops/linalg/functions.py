"""The functions of `mg.linalg`. The ops behind them are in files such as `solve` and `factorisations`.

Matrices are the last two dimensions; all others are batch dimensions. LinAlgError if a computation is impossible, such
as the inverse of a singular matrix.
"""

from __future__ import annotations

from typing import Any

from ...core.state import STATE
from ...core.tensor import Tensor, wrap
from ...errors import DeviceError, ShapeError
from ..common import return_types
from ..common.arguments import accepts_out
from ..common.bases import conj
from ..common.dims import one_int, wrap_dim
from ..shape.join import cat, stack
from .determinant import Det, Slogdet
from .factorisations import Cholesky, Eig, Eigh, Qr, SingularValues, Svd
from .matmul import matmul
from .solve import eye_like, inv, inverse, matrices, square

__all__ = ["det", "inverse", "logdet", "matrix_power", "slogdet"]


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
    """The logarithm of the determinant; NaN for a negative one."""
    sign, logabsdet = slogdet(A)
    if sign.is_complex():
        return logabsdet + sign.log()
    return logabsdet.masked_fill(sign == -1, float("nan"))


@accepts_out
def cholesky(A: Any, *, upper: bool = False) -> Tensor:
    """The lower triangular L with ``A = L L.mH`` of positive-definite matrices, or ``L.mH`` if `upper`."""
    square("linalg.cholesky", A)
    factor = Cholesky(upper)(A)
    return factor.mH if upper else factor


@accepts_out
def qr(A: Any, mode: str = "reduced") -> Any:
    """Matrices with orthonormal columns, and upper triangular ones: (Q, R); `mode` is "reduced", "complete" or "r"."""
    matrices("linalg.qr", A)
    if mode not in ("reduced", "complete", "r"):
        raise ShapeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    if mode == "r":
        _, R = Qr(False)(A.detach())
        return return_types.linalg_qr(A.new_empty(0), R)
    return return_types.linalg_qr(Qr(mode == "complete")(A))


@accepts_out
def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """Eigenvalues (ascending) and orthonormal eigenvectors of symmetric matrices. Only one triangle is read."""
    square("linalg.eigh", A)
    if UPLO.upper() not in ("L", "U"):
        raise ShapeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    return return_types.linalg_eigh(Eigh(UPLO.upper() == "L")(A))


@accepts_out
def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """The eigenvalues (ascending) of symmetric matrices."""
    return eigh(A, UPLO)[0]


@accepts_out
def eig(A: Tensor) -> Any:
    """Eigenvalues and eigenvectors (of norm 1) of square matrices; both are complex."""
    square("linalg.eig", A)
    return return_types.linalg_eig(Eig()(A))


@accepts_out
def eigvals(A: Tensor) -> Tensor:
    """The eigenvalues of square matrices; they are complex."""
    return eig(A)[0]


@accepts_out
def svd(A: Any, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """The singular value decomposition (U, S, Vh), with ``A = U @ diag(S) @ Vh``.

    With `full_matrices` U and Vh are square; gradients flow only through the part that ``full_matrices=False`` returns.
    """
    matrices("linalg.svd", A)
    _no_driver("linalg.svd", driver)
    U, S, Vh = Svd()(A)
    if full_matrices:
        U, Vh = _completed(U), _completed(Vh.mH).mH
    return return_types.linalg_svd(U, S, Vh)


def _completed(columns: Any) -> Any:
    """Complete orthonormal columns to a basis, by constant vectors."""
    rows, count = columns._array.shape[-2:]
    if rows == count:
        return columns
    xp = columns._backend
    basis, _ = xp.linalg.qr(columns._array, mode="complete")
    return cat([columns, wrap(xp.asarray(basis[..., count:]), xp)], -1)


def _no_driver(name: str, driver: str | None) -> None:
    if driver is not None:
        raise DeviceError(
            f"torch.{name}: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend, and the "
            f"array library chooses here: leave out driver={driver!r}."
        )


@accepts_out
def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """The singular values of matrices, in descending order."""
    matrices("linalg.svdvals", A)
    _no_driver("linalg.svdvals", driver)
    if A.requires_grad and STATE.mode.grad:  # backward needs the singular vectors
        return Svd()(A)[1]
    return SingularValues()(A)


@accepts_out
def matrix_power(A: Any, n: int) -> Tensor:
    """The n-th power of square matrices, by repeated squaring; for negative n of the inverse."""
    n = one_int("n", n)
    square("linalg.matrix_power", A, whole=n >= 0)
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
    """The product of several matrices, in the cheapest order of multiplications."""
    given = list(tensors)
    if len(given) < 2:
        raise ShapeError(f"multi_dot(): expected at least 2 tensors but got {len(given)}")
    for place, each in enumerate(given[1:-1], 1):
        if each._array.ndim != 2:
            raise ShapeError(f"multi_dot(): tensor {place} must be 2D but got {each._array.ndim}D")
    left, right = given[0]._array.ndim == 1, given[-1]._array.ndim == 1
    given = [given[0].unsqueeze(0) if left else given[0], *given[1:-1], given[-1].unsqueeze(-1) if right else given[-1]]
    while len(given) > 1:  # the largest inner size first: optimal for most chains, and simple
        inner = [each._array.shape[1] for each in given[:-1]]
        at = inner.index(max(inner))
        given[at : at + 2] = [matmul(given[at], given[at + 1])]
    result = given[0]
    result = result.squeeze(0) if left else result
    return result.squeeze(-1) if right else result


@accepts_out
def cross(input: Any, other: Any, *, dim: int = -1) -> Tensor:
    """The cross product of vectors of three elements along `dim`."""
    if input._array.ndim != other._array.ndim:
        shapes = f"{list(input.shape)} and {list(other.shape)}"
        raise ShapeError(f"linalg.cross: inputs must have the same number of dimensions, got shapes {shapes}")
    dim = wrap_dim(dim, input._array.ndim)
    if input._array.shape[dim] != 3 or other._array.shape[dim] != 3:
        sizes = f"{input._array.shape[dim]} and {other._array.shape[dim]}"
        raise ShapeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {sizes}")
    a, b = input.unbind(dim), other.unbind(dim)
    parts = [a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)]
    return stack(parts, dim)


@accepts_out
def vecdot(x: Any, y: Any, *, dim: int = -1) -> Tensor:
    """The dot products of vectors along `dim`; `x` is conjugated."""
    return (conj(x) * y).sum(dim)


METHODS = {
    "det": det,
    "inverse": inverse,
    "logdet": logdet,
    "matrix_power": matrix_power,
    "slogdet": slogdet,
}
