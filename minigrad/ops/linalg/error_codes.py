"""Linear algebra with error codes instead of exceptions: one number for each matrix, 0 for success."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...core.tensor import Tensor, wrap
from ..common import return_types
from ..common.arguments import accepts_out
from ..shape.join import stack
from .functions import cholesky
from .solve import LinAlgError, inv, solve, square

__all__: list[str] = []


@accepts_out
def inv_ex(A: Any, *, check_errors: bool = False) -> Any:
    """Return (inverse, info): `info` is 0 for each matrix, or the number of the pivot that is 0."""
    square("linalg.inv_ex", A)
    return return_types.linalg_inv_ex(*_reported(inv, A, (), check_errors, _zero_pivot))


@accepts_out
def cholesky_ex(A: Any, *, upper: bool = False, check_errors: bool = False) -> Any:
    """Return (L, info): `info` is 0 for each matrix, or the order of the first minor that is not positive."""
    square("linalg.cholesky_ex", A)

    def factor(matrix: Any) -> Any:
        return cholesky(matrix, upper=upper)

    return return_types.linalg_cholesky_ex(*_reported(factor, A, (), check_errors, _first_negative_minor))


@accepts_out
def solve_ex(A: Any, B: Any, *, left: bool = True, check_errors: bool = False) -> Any:
    """Return (result, info) for ``A X = B``: `info` is 0 for each matrix, or the number of the pivot that is 0."""

    def solved(matrix: Any, right: Any) -> Any:
        return solve(matrix, right, left=left)

    return return_types.linalg_solve_ex(*_reported(solved, A, (B,), check_errors, _zero_pivot))


def _reported(
    function: Callable[..., Any], A: Any, others: tuple[Any, ...], check: bool, place: Callable[[Any, Any], int]
) -> tuple[Any, Tensor]:
    """Return the results of `function`, NaN for matrices that it rejects, and the codes from `place` for those."""
    xp, batch = A._backend, A._array.shape[:-2]
    try:
        return function(A, *others), wrap(xp.zeros(batch, "int32"), xp)
    except LinAlgError:
        if check:
            raise
    if not batch:
        return (others or (A,))[0] * math.nan, wrap(xp.asarray(place(xp, A._array)).astype("int32"), xp)
    given = [each.expand(*batch, *each._array.shape[-2:]) for each in others]
    pairs = [
        _reported(function, A[i], tuple(each[i] for each in given), check, place) for i in range(A._array.shape[0])
    ]
    return stack([result for result, _ in pairs]), stack([info for _, info in pairs])


def _zero_pivot(xp: Any, matrix: Any) -> int:
    """Return the number, from 1 on, of the first column that depends linearly on those before it."""
    size = matrix.shape[-1]
    return next((k for k in range(1, size + 1) if int(xp.linalg.matrix_rank(matrix[:, :k])) < k), size)


def _first_negative_minor(xp: Any, matrix: Any) -> int:
    """Return the order of the first leading minor that is not positive."""
    size = matrix.shape[-1]
    return next((k for k in range(1, size + 1) if not float(xp.linalg.det(matrix[:k, :k]).real) > 0), size)
