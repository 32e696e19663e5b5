"""Inverses and systems of equations. Matrices are the last two dimensions; the others are a batch."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ... import dtypes
from ...core.op import Op
from ...errors import MinigradError
from ..common.samples import exactly, sample

HALVES = (dtypes.float16, dtypes.bfloat16)
"""What LAPACK does not compute in, nor PyTorch's linear algebra."""

WELL = exactly([[4.0, 1.0, -0.5], [0.3, 3.0, 1.0], [-1.0, 0.2, 5.0]])
"""A sample matrix, far from singular."""


class LinAlgError(MinigradError, RuntimeError):
    """A matrix does not allow what was asked: it is singular, or not positive-definite, or an iteration failed."""


class Inv(Op):
    r"""The inverse of square matrices."""

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
    r"""The X of A X = B: nothing is inverted."""

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
    """Turn the array library's error into ours, which says what failed."""
    try:
        yield
    except Exception as error:
        if type(error).__name__ != "LinAlgError":
            raise
        raise LinAlgError(f"{name}: {why}") from None
