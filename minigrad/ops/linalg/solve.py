"""Inverses and linear systems. Matrices are the last two dimensions; the others are batch dimensions."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ... import dtypes
from ...core.op import Op
from ...core.tensor import Tensor, wrap
from ...errors import DtypeError, MinigradError, ShapeError
from ..common.arguments import accepts_out
from ..common.samples import exactly, sample

HALVES = (dtypes.float16, dtypes.bfloat16)
"""The dtypes that neither LAPACK nor PyTorch's linear algebra supports."""

WELL = exactly([[4.0, 1.0, -0.5], [0.3, 3.0, 1.0], [-1.0, 0.2, 5.0]])
"""A sample matrix that is far from singular."""


class LinAlgError(MinigradError, RuntimeError):
    """The error for an unsuitable matrix: singular, not positive-definite, or an iteration that does not converge."""


class Inv(Op):
    r"""The inverse of square matrices."""

    memory_order = "columns"
    formula = r"A^{-1}"
    grad_name = "LinalgInvExBackward0"
    kinds = "fc"
    lacks = HALVES
    samples = (sample(WELL),)

    def forward(self, xp, a):
        with explained("linalg.inv", "The inversion could not be completed because the input matrix is singular."):
            return xp.linalg.inv(a)

    def grad_a(self, grad, out):
        r"""-A^{-\top} \bar Y A^{-\top}"""
        return -(out.mH @ grad @ out.mH)


class Solve(Op):
    r"""The solution X of A X = B, without computing an inverse."""

    memory_order = "columns"
    formula = r"A^{-1} B"
    grad_name = "LinalgSolveExBackward0"
    kinds = "fc"
    lacks = HALVES
    broadcasts = True
    samples = (sample(WELL, (3, 2)), sample(WELL, (2, 3, 1)))

    def forward(self, xp, a, b):
        with explained("linalg.solve", "The solver failed because the input matrix is singular."):
            return xp.linalg.solve(a, b)

    def grad_a(self, grad, a, out):
        r"""-A^{-\top} \bar X X^{\top}"""
        return -(Solve()(a.mH, grad) @ out.mH)

    def grad_b(self, grad, a):
        r"""A^{-\top} \bar X"""
        return Solve()(a.mH, grad)


@contextlib.contextmanager
def explained(name: str, why: str) -> Iterator[None]:
    """A context that converts the array library's error to one that says what failed."""
    try:
        yield
    except Exception as error:
        if type(error).__name__ != "LinAlgError":
            raise
        raise LinAlgError(f"{name}: {why}") from None


def square(name: str, *tensors: Any, whole: bool = False) -> None:
    """ShapeError unless these are (batches of) square matrices; without `whole`, integers are an error too."""
    for each in tensors:
        matrices(name, each, whole=whole)
        if each._array.shape[-1] != each._array.shape[-2]:
            rows, columns = each._array.shape[-2:]
            raise ShapeError(f"{name}: A must be batches of square matrices, but they are {rows} by {columns} matrices")


def matrices(name: str, *tensors: Any, whole: bool = False) -> None:
    """ShapeError unless these are (batches of) matrices; without `whole`, integers are an error too."""
    for each in tensors:
        if each._array.ndim < 2:
            raise ShapeError(f"{name}: The input tensor A must have at least 2 dimensions, it has {each._array.ndim}.")
        if not (each.dtype.is_differentiable or whole):
            raise DtypeError(f"{name}: Expected a floating point or complex tensor as input. Got {each.dtype}")
        if each.dtype in HALVES:
            raise DtypeError(f"{name}: Low precision dtypes not supported. Got {each.dtype}; convert with .float()")


@accepts_out
def inv(A: Tensor) -> Tensor:
    """The inverse of square matrices. LinAlgError if one is singular.

    >>> import minigrad as mg
    >>> mg.linalg.inv(mg.tensor([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    square("linalg.inv", A)
    return Inv()(A)


inverse = inv


@accepts_out
def solve(A: Any, B: Any, *, left: bool = True) -> Tensor:
    """Solve ``A X = B`` (``X A = B`` with ``left=False``). B may be vectors (of the batch shape of A)."""
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
    """`solve` that reads only one triangle of A (with ones on its diagonal if `unitriangular`)."""
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
