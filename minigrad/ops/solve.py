"""Inverses, systems of equations and determinants. Matrices are the last two dimensions; the others are a batch."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .. import dtypes
from ..core.op import Op
from ..core.tensor import wrap
from ..errors import MinigradError
from .families import conj
from .samples import exactly, sample

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


class Det(Op):
    r"""The determinant of square matrices. Its gradient exists where the matrix is singular too."""

    formula = r"\det A"
    grad_name = "LinalgDetBackward0"
    kinds = "fc"
    lacks = HALVES
    samples = (sample(WELL), sample((2, 3, 3)))

    def forward(self, xp, a):
        return xp.asarray(xp.linalg.det(a))

    def grad_a(self, grad, a, out):
        r"""\bar y \det(A)\, A^{-\top}"""
        if bool((out._array == 0).any()):
            return grad[..., None, None] * cofactors(a)
        return (grad * conj(out))[..., None, None] * a.inverse().mH


class Slogdet(Op):
    r"""The sign of the determinant, and the logarithm of its absolute value."""

    formula = r"\operatorname{sgn} \det A,\; \log |\det A|"
    grad_name = "LinalgSlogdetBackward0"
    outputs_named = ("sign", "logabsdet")
    kinds = "fc"
    lacks = HALVES
    broadcasts = True
    samples = (sample(WELL), sample((2, 3, 3)))

    def forward(self, xp, a):
        sign, logabsdet = xp.linalg.slogdet(a)
        return xp.asarray(sign), xp.asarray(logabsdet)

    def grad_a(self, grad, a, sign, grad_logabsdet):
        r"""\bar y\, A^{-\top}"""
        scale = grad_logabsdet
        if a.dtype.is_complex:
            scale = scale - (conj(grad) * sign).imag * 1j
        return scale[..., None, None] * a.inverse().mH


def cofactors(a: Any) -> Any:
    """The matrix of cofactors (its conjugate where complex), which is det(A) A⁻ᵀ where there is an inverse.

    Each is the determinant of what is left without one row and one column, so this holds, and can be differentiated,
    for singular matrices too. It is slow: n² determinants.
    """
    xp, size = a._backend, a._array.shape[-1]
    others = xp.asarray([[j for j in range(size) if j != i] for i in range(size)], dtype="int64").reshape(size, -1)
    minors = a[..., wrap(others[:, None, :, None], xp), wrap(others[None, :, None, :], xp)]
    places = xp.arange(size)
    signs = wrap((1 - 2 * ((places[:, None] + places) % 2)).astype(a._array.dtype), xp)
    return conj(Det()(minors) * signs)


@contextlib.contextmanager
def explained(name: str, why: str) -> Iterator[None]:
    """Turn the array library's error into ours, which says what failed."""
    try:
        yield
    except Exception as error:
        if type(error).__name__ != "LinAlgError":
            raise
        raise LinAlgError(f"{name}: {why}") from None
