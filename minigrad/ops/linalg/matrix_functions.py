"""Ops built on factorisations: matrix norms, pseudo-inverses, least squares, matrix exponentials."""

from __future__ import annotations

import math
from typing import Any

from ... import dtypes
from ...core.interpreter import reading
from ...core.op import Op
from ...core.tensor import Tensor, wrap
from ...errors import DtypeError, ShapeError
from ..common import return_types
from ..common.arguments import accepts_out, axes_of
from ..common.dims import wrap_dims
from ..common.samples import exactly, sample
from ..shape.join import cat
from .error_codes import inv_ex
from .functions import svdvals
from .matmul import matmul
from .solve import HALVES, WELL, matrices, square
from .vector_norm import VectorNorm

__all__ = ["matrix_exp"]


class Pinv(Op):
    r"""The Moore-Penrose pseudo-inverse."""

    formula = r"A^{+}"
    grad_name = "LinalgPinvBackward0"
    kinds = "fc"
    lacks = HALVES
    samples = (sample(WELL, rtol=1e-15), sample(exactly([[4.0, 1.0], [0.3, 3.0], [-1.0, 0.2]]), rtol=1e-15))
    rtol: Any

    def forward(self, xp, a):
        u, s, vh = xp.linalg.svd(a, full_matrices=False)
        limit = s.max(-1, keepdims=True, initial=0) * self.rtol
        inverse = xp.where(s > limit, 1 / xp.where(s > limit, s, 1), 0).astype(s.dtype)
        return xp.conj(xp.swapaxes(vh, -1, -2)) @ (inverse[..., None] * xp.conj(xp.swapaxes(u, -1, -2)))

    def grad_a(self, grad, a, out):
        r"""-A^{+\top} \bar Y A^{+\top} + (I - A A^{+}) \bar Y^{\top} A^{+} A^{+\top}
        + A^{+\top} A^{+} \bar Y^{\top} (I - A^{+} A)"""
        turned, p, ph = grad.mH, out, out.mH
        return -(ph @ grad @ ph) + (turned - a @ (p @ turned)) @ p @ ph + ph @ p @ (turned - (turned @ p) @ a)


class MatrixExp(Op):
    r"""The exponential of square matrices: the power series of the matrix, not elementwise."""

    formula = r"e^{A} = \sum_k A^k / k!"
    grad_name = "LinalgMatrixExpBackward0"
    kinds = "fc"
    lacks = HALVES
    samples = (sample((3, 3)), sample((2, 2, 2)))

    def forward(self, xp, a):
        return exponential(xp, a)

    def grad_a(self, grad, a):
        r"""\text{upper right block of } \exp \begin{pmatrix} A^{\top} & \bar Y \\ 0 & A^{\top} \end{pmatrix}"""
        size = a._array.shape[-1]
        ah = a.mH
        upper, lower = cat([ah, grad], -1), cat([ah * 0, ah], -1)
        return MatrixExp()(cat([upper, lower], -2))[..., :size, size:]


def exponential(xp: Any, a: Any) -> Any:
    """Scale by a power of 2 until a Taylor polynomial is exact to rounding, then square repeatedly."""
    if not a.size:
        return xp.copy(a)
    largest = float(xp.abs(a).sum(-1).max())
    halvings = max(0, math.ceil(math.log2(largest / 0.5))) if largest > 0.5 and math.isfinite(largest) else 0
    small = a / 2**halvings
    term = total = xp.broadcast_to(xp.eye(a.shape[-1], dtype=a.dtype), a.shape)
    for k in range(1, 15):  # 0.5^15 / 15! is below 1e-16
        term = term @ small / k
        total = total + term
    for _ in range(halvings):
        total = total @ total
    return total.astype(a.dtype, copy=False)


@accepts_out
def matrix_exp(A: Tensor) -> Tensor:
    """The exponential of square matrices."""
    square("linalg.matrix_exp", A)
    return MatrixExp()(A)


@accepts_out
def pinv(A: Any, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Tensor:
    """The pseudo-inverse; singular values up to `rtol` (`rcond`) times the largest, or up to `atol`, count as 0."""
    rtol = rtol if rcond is None else rcond
    matrices("linalg.pinv", A)
    if rtol is None and atol is None:
        rtol = max(A._array.shape[-2:]) * float(A._backend.finfo(A._array.dtype).eps)
    if hermitian:  # only the lower triangle is read, but the gradient is that of the whole matrix
        A = A + (A.tril() + A.tril(-1).mH - A).detach()
    if isinstance(atol, Tensor) or isinstance(rtol, Tensor):
        s, xp = svdvals(A.detach())._array, A._backend
        limit = _limit(xp, A, s, atol, rtol)
        return Pinv((limit / xp.maximum(s.max(-1, keepdims=True, initial=0), 1e-300)).astype(s.dtype))(A)
    largest = float(svdvals(A.detach())._array.max(initial=0)) if atol else 1.0
    return Pinv(max(float(rtol or 0), float(atol or 0) / (largest or 1.0)))(A)


@accepts_out
def lstsq(A: Any, B: Any, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """Minimise the norm of ``A X - B``: (solution, residuals, rank, singular_values).

    Results that a `driver` does not compute are empty: the rank with "gels", singular values with all but "gelss",
    "gelsd".
    """
    matrices("linalg.lstsq", A)
    driver = "gelsy" if driver is None else driver
    if driver not in ("gels", "gelsy", "gelsd", "gelss"):
        raise ShapeError(
            f"torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss) not {driver}"
        )
    vectors = B._array.ndim + 1 == A._array.ndim
    right = B.unsqueeze(-1) if vectors else B
    if right._array.shape[-2] != A._array.shape[-2]:
        raise ShapeError(
            "torch.linalg.lstsq: input.size(-2) should match other.size(-2), but A has shape "
            f"{list(A.shape)} and B {list(B.shape)}"
        )
    rank = matrix_rank(A, rtol=rcond)
    solution = matmul(pinv(A, rtol=rcond), right)
    rows, columns = A._array.shape[-2:]
    real = dtypes.real_of(A.dtype)
    residuals = solution.reshape(-1)[:0].abs()
    if rows > columns and driver != "gelsy" and bool((rank._array == columns).all()):
        residuals = ((matmul(A, solution) - right).abs() ** 2).sum(-2)
    solution = solution.squeeze(-1) if vectors else solution
    values = svdvals(A.detach()) if driver in ("gelsd", "gelss") else A.new_empty(0, dtype=real)
    return return_types.linalg_lstsq(
        solution, residuals, A.new_empty(0, dtype=dtypes.int64) if driver == "gels" else rank, values
    )


@accepts_out
@reading
def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Tensor:
    """The number of singular values above `atol` and above `rtol` times the largest; or above `tol` alone."""
    if tol is not None:
        atol, rtol = tol, 0.0
    matrices("linalg.matrix_rank", A)
    A = A.tril() + A.tril(-1).mH if hermitian else A
    s, xp = svdvals(A.detach())._array, A._backend
    return wrap(xp.asarray((s > _limit(xp, A, s, atol, rtol)).sum(-1)), xp)


def _limit(xp: Any, A: Any, s: Any, atol: Any, rtol: Any) -> Any:
    """Return the bound up to which singular values `s` count as 0; `atol` and `rtol` are numbers, or one per matrix."""
    if rtol is None:
        bounded = atol is not None and (isinstance(atol, Tensor) or atol > 0)
        rtol = 0.0 if bounded else max(A._array.shape[-2:]) * float(xp.finfo(A._array.dtype).eps)
    given = (rtol, 0.0 if atol is None else atol)
    bounds = [each._array[..., None] if isinstance(each, Tensor) else float(each) for each in given]
    return xp.maximum(s.max(-1, keepdims=True, initial=0) * bounds[0], bounds[1])


@accepts_out
def cond(A: Any, p: Any = None) -> Tensor:
    """The condition number: the norm of a matrix times that of its inverse; infinity if there is none."""
    if p in (None, 2, -2):
        s = svdvals(A)
        return (s[..., 0] / s[..., -1]) if p != -2 else (s[..., -1] / s[..., 0])
    inverse, info = inv_ex(A)
    singular: Any = info != 0
    inverse = inverse.masked_fill(singular[..., None, None], 0)
    return (matrix_norm(A, p) * matrix_norm(inverse, p)).masked_fill(singular, math.inf)


# Norms ----------------------------------------------------------------------------------------------------------------


def _check_norm(name: str, x: Any) -> None:
    if not x.dtype.is_differentiable:
        raise DtypeError(
            f"{name}: Expected a floating point or complex tensor as input. Got {x.dtype}: write x.float()"
        )


@accepts_out
def vector_norm(x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The `ord`-norm of all elements, or of the vectors along `dim`."""
    x = x if dtype is None else x.to(dtypes.as_dtype(dtype))
    if isinstance(ord, str):
        raise ShapeError(f"linalg.vector_norm: a norm of vectors is of a number, not of order {ord!r}")
    _check_norm("linalg.vector_norm", x)
    axes = None if dim is None else axes_of(dim, x._array.ndim)
    taken = x._array.shape if axes is None else [x._array.shape[axis] for axis in axes]
    if 0 in taken and (ord < 0 or ord == math.inf):
        raise ShapeError(
            f"linalg.vector_norm cannot compute the {ord} norm on an empty tensor because the operation does not have "
            f"an identity: over {'everything' if dim is None else dim} the shape {list(x._array.shape)} has no elements"
        )
    return VectorNorm(float(ord), axes, keepdim)(x)


@accepts_out
def matrix_norm(A: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """A matrix norm: "fro", "nuc", or 1, -1, inf, -inf (sums of columns or rows), 2, -2 (singular values)."""
    A = A if dtype is None else A.to(dtypes.as_dtype(dtype))
    _check_norm("linalg.matrix_norm", A)
    if A._array.ndim < 2:
        raise ShapeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    if not isinstance(dim, (tuple, list)) or len(dim) != 2:
        raise ShapeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {dim}")
    rows, columns = wrap_dims(tuple(dim), A._array.ndim)
    if ord == "fro":
        return vector_norm(A, 2, (rows, columns), keepdim)
    if ord == "nuc" or ord in (2, -2):
        s: Any = svdvals(A.movedim((rows, columns), (-2, -1)))
        found = s.sum(-1) if ord == "nuc" else _extreme(s, -1, ord)
        return _kept(found, (rows, columns)) if keepdim else found
    if ord not in (1, -1, math.inf, -math.inf):
        raise ShapeError(f"linalg.matrix_norm: Order {ord} not supported; use 'fro', 'nuc', inf, -inf, 1, -1, 2 or -2")
    added, taken = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = A.abs().sum(added, keepdim=True)
    found = _extreme(sums, taken, ord, keepdim=True)
    return found if keepdim else found.squeeze((rows, columns))


def _extreme(sizes: Any, dim: int, ord: float, keepdim: bool = False) -> Any:
    """Return the maximum of `sizes` (0 if there are none), or the minimum for a negative `ord`."""
    if ord < 0:
        return sizes.amin(dim, keepdim=keepdim)
    return sizes.amax(dim, keepdim=keepdim) if sizes._array.shape[dim] else sizes.sum(dim, keepdim=keepdim).detach()


def _kept(found: Any, dims: tuple[int, int]) -> Any:
    for dim in sorted(dims):
        found = found.unsqueeze(dim)
    return found


@accepts_out
def norm(A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """A vector or matrix norm, depending on `dim` and the type of `ord`."""
    if ord is None:
        return vector_norm(A, 2, dim, keepdim, dtype=dtype)
    if dim is None and A._array.ndim not in (1, 2):
        raise ShapeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A._array.ndim}D."
        )
    count = A._array.ndim if dim is None else len(dim) if isinstance(dim, (tuple, list)) else 1
    if count not in (1, 2):
        raise ShapeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}")
    if count == 2 or isinstance(ord, str):
        return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    return vector_norm(A, ord, dim, keepdim, dtype=dtype)


METHODS = {"matrix_exp": matrix_exp}
