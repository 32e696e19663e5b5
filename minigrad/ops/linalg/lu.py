"""LU factorisation: a matrix as permuted rows of a lower times an upper triangular matrix, and linear systems with it.

`lu` returns the three matrices. `lu_factor` returns LAPACK's form: both triangles in one matrix, and for each row the
row, counted from 1, that it was exchanged with. `lu_unpack` converts the second form to the first.
"""

from __future__ import annotations

import math
from typing import Any

from ...core.interpreter import reading
from ...core.op import Op
from ...core.tensor import Tensor, wrap
from ...errors import ShapeError
from ..common import return_types
from ..common.arguments import accepts_out
from ..common.samples import sample
from ..shape.join import cat
from .matmul import matmul
from .solve import HALVES, WELL, LinAlgError, matrices, solve_triangular

__all__ = ["lu_unpack"]


class LuOfSquare(Op):
    r"""A square matrix, with rows in a given order, as a lower times an upper triangular matrix."""

    formula = r"A = L U"
    grad_name = "LinalgLuBackward0"
    outputs_named = ("L", "U")
    kinds = "fc"
    lacks = HALVES
    samples = (sample(WELL),)

    def forward(self, xp, a):
        upper, lower = xp.copy(a), xp.zeros_like(a)
        size = a.shape[-1]
        for k in range(size):
            lower[..., k, k] = 1
            lower[..., k + 1 :, k] = (
                upper[..., k + 1 :, k] / xp.where(upper[..., k, k] == 0, 1, upper[..., k, k])[..., None]
            )
            upper[..., k + 1 :, :] -= lower[..., k + 1 :, k, None] * upper[..., k, None, :]
        return lower, xp.triu(upper)

    def grad_a(self, grad, L, U, grad_U):
        r"""L^{-\top} (\operatorname{tril}_{-1}(L^{\top} \bar L) + \operatorname{triu}(\bar U U^{\top})) U^{-\top}"""
        inner = (L.mH @ grad).tril(-1) + (grad_U @ U.mH).triu()
        left = solve_triangular(L.mH, inner, upper=True, unitriangular=True)
        return solve_triangular(U.mH, left, upper=False, left=False)


# The three matrices ---------------------------------------------------------------------------------------------------


@accepts_out
def lu(A: Any, *, pivot: bool = True) -> Any:
    """Return (P, L, U) with ``A = P @ L @ U``: a permutation, a lower triangle with a diagonal of ones, an upper
    triangle.

    With ``pivot=False`` no rows are exchanged, and P is empty.
    """
    matrices("linalg.lu", A)
    P, L, U = _triangles(A, _order(A.detach()) if pivot else None)
    return return_types.linalg_lu(A.new_empty(0) if P is None else P, L, U)


def _triangles(A: Any, order: Any) -> tuple[Any, Any, Any]:
    """Return P, L and U of matrices whose rows are taken in this `order` (None: unchanged, and without a P)."""
    B, P = A, None
    if order is not None:
        P = _exchange(order, A.detach())
        B = matmul(P.mT, A)
    rows, columns = A._array.shape[-2:]
    size = min(rows, columns)
    L, U = LuOfSquare()(B[..., :size, :size])
    if rows > size:  # L gives the rows below, U the columns to the right
        L = cat([L, solve_triangular(U, B[..., size:, :], upper=True, left=False)], -2)
    if columns > size:
        U = cat([U, solve_triangular(L, B[..., :, size:], upper=False, unitriangular=True)], -1)
    return P, L, U


@reading
def _exchange(order: Tensor, A: Tensor) -> Tensor:
    """Return the matrix P whose transpose puts the rows of A into this order."""
    xp, places = A._backend, order._array
    return wrap(xp.asarray(xp.swapaxes(xp.eye(places.shape[-1], dtype=A._array.dtype)[places], -1, -2)), xp)


@reading
def _order(A: Tensor) -> Tensor:
    """Return the row order of partial pivoting: the largest remaining element of each column comes to the diagonal."""
    xp, a = A._backend, A._array
    rows, columns = a.shape[-2:]
    count = a[..., 0, 0].size if rows and columns else 0
    flat = xp.copy(a).reshape(count, rows, columns)
    order = xp.zeros((count, rows), "int64") + xp.arange(rows)
    for work, places in zip(flat, order, strict=True):
        for k in range(min(rows, columns)):
            best = k + int(xp.argmax(_size(xp, work[k:, k])))
            work[[k, best]], places[[k, best]] = work[[best, k]], places[[best, k]]
            if work[k, k] != 0:
                work[k + 1 :, k:] -= (work[k + 1 :, k] / work[k, k])[:, None] * work[k, k:]
    return wrap(order.reshape(a.shape[:-1]) if count else xp.broadcast_to(xp.arange(rows), a.shape[:-1]), xp)


def _size(xp: Any, column: Any) -> Any:
    """Return the size by which pivots are chosen. For complex numbers LAPACK adds the absolute values of both parts."""
    return xp.abs(column.real) + xp.abs(column.imag) if column.dtype.kind == "c" else xp.abs(column)


# Both triangles in one matrix -----------------------------------------------------------------------------------------


@accepts_out
def lu_factor(A: Any, *, pivot: bool = True) -> Any:
    """Return (LU, pivots): both triangles in one matrix, and the exchanged rows."""
    LU, pivots, _ = _factored("linalg.lu_factor", A, pivot)
    return return_types.linalg_lu_factor(LU, pivots)


@accepts_out
def lu_factor_ex(A: Any, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """Return (LU, pivots, info): as `lu_factor`, and for each matrix 0 or the number of the first pivot that is 0."""
    LU, pivots, info = _factored("linalg.lu_factor_ex", A, pivot)
    if check_errors and bool((info._array != 0).any()):
        raise LinAlgError("linalg.lu_factor: U[k, k] is zero for some k, and using it in lu_solve would divide by 0.")
    return return_types.linalg_lu_factor_ex(LU, pivots, info)


def _factored(name: str, A: Any, pivot: bool) -> tuple[Any, Any, Any]:
    matrices(name, A)
    order = _order(A.detach()) if pivot else None
    _, L, U = _triangles(A, order)
    rows, columns = A._array.shape[-2:]
    below = L.tril(-1)
    if rows >= columns:
        LU = below + cat([U, U.new_zeros((*U._array.shape[:-2], rows - columns, columns))], -2)
    else:
        LU = cat([below, L.new_zeros((*L._array.shape[:-1], columns - rows))], -1) + U
    return LU, _exchanges(order, A.detach()), _first_zero(U.detach())


@reading
def _first_zero(U: Tensor) -> Tensor:
    """Return the number, counted from 1, of the first pivot of each matrix that is 0; 0 if none is."""
    xp, zero = U._backend, U._array.diagonal(0, -2, -1) == 0
    info = xp.where(zero.any(-1), xp.argmax(zero, -1) + 1, 0) if zero.shape[-1] else xp.zeros(zero.shape[:-1])
    return wrap(xp.asarray(info).astype("int32"), xp)


@reading
def _exchanges(order: Tensor | None, A: Tensor) -> Tensor:
    """Return the row, counted from 1, that each row of A is exchanged with to reach this `order`; None for itself."""
    xp, shape = A._backend, A._array.shape
    size = min(shape[-2:])
    if order is None:
        return wrap(xp.broadcast_to(xp.arange(1, size + 1), (*shape[:-2], size)).astype("int32"), xp)
    wanted = order._array
    flat = xp.copy(wanted).reshape(-1, wanted.shape[-1]) if wanted.size else xp.zeros((0, wanted.shape[-1]), "int64")
    found = xp.zeros((len(flat), size), "int32")
    for rows, places in zip(flat, found, strict=True):
        now = list(range(len(rows)))
        for k in range(size):
            other = now.index(int(rows[k]))
            now[k], now[other] = now[other], now[k]
            places[k] = other + 1
    return wrap(found.reshape((*wanted.shape[:-1], size)), xp)


@accepts_out
def lu_unpack(LU_data: Any, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """Return the factors that `lu_factor` packed, (P, L, U); unwanted ones are empty."""
    P, L, U = LU_data.new_empty(0), LU_data.new_empty(0), LU_data.new_empty(0)
    rows, columns = LU_data._array.shape[-2:]
    size = min(rows, columns)
    if unpack_data:
        below = LU_data[..., :, :size].tril(-1)
        L, U = _with_ones(below), LU_data.triu()[..., :size, :]
    if unpack_pivots:
        P = _exchange(_order_after(LU_pivots, rows), LU_data.detach())
    return return_types.linalg_lu(P, L, U)


def _with_ones(below: Any) -> Any:
    xp, shape = below._backend, below._array.shape[-2:]
    return below + wrap(xp.eye(*shape, dtype=below._array.dtype), xp)


@reading
def _order_after(pivots: Tensor, rows: int) -> Tensor:
    """Return the order of `rows` rows after these exchanges."""
    xp, swaps = pivots._backend, pivots._array
    if swaps.size and not (swaps.min() >= 1 and swaps.max() <= rows):
        raise ShapeError(
            "Pivots given to lu_solve or lu_unpack must all be greater or equal to 1 and smaller or equal to "
            f"LU.size(-2), which is {rows}. Did you properly pass the result of lu_factor?"
        )
    count = math.prod(swaps.shape[:-1])
    flat = swaps.reshape(count, swaps.shape[-1]) - 1
    order = xp.zeros((len(flat), rows), "int64") + xp.arange(rows)
    for places, exchanges in zip(order, flat, strict=True):
        for k, other in enumerate(exchanges):
            places[[k, int(other)]] = places[[int(other), k]]
    return wrap(order.reshape((*swaps.shape[:-1], rows)), xp)


@accepts_out
def lu_solve(LU: Any, pivots: Tensor, B: Any, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """Solve ``A X = B`` for the A that `lu_factor` factored; for ``A.mH`` if `adjoint`, and ``X A = B`` if not `left`.

    >>> import minigrad as mg
    >>> A = mg.tensor([[0.0, 2.0], [4.0, 0.0]])
    >>> mg.linalg.lu_solve(*mg.linalg.lu_factor(A), mg.tensor([[2.0], [8.0]])).tolist()
    [[2.0], [1.0]]
    """
    if LU._array.shape[-1] != LU._array.shape[-2]:
        raise ShapeError(f"linalg.lu_solve: LU must be batches of square matrices, not of shape {list(LU.shape)}")
    if not left:
        return lu_solve(LU, pivots, B.mH, adjoint=not adjoint).mH
    P, L, U = lu_unpack(LU, pivots)
    if adjoint:
        inner = solve_triangular(L.mH, solve_triangular(U.mH, B, upper=False), upper=True, unitriangular=True)
        return matmul(P, inner)
    inner = solve_triangular(L, matmul(P.mT, B), upper=False, unitriangular=True)
    return solve_triangular(U, inner, upper=True)
