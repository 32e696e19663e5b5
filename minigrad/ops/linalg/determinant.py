"""Determinants, whose gradient exists for singular matrices too. Matrices are the last two dimensions."""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...core.op import Op
from ...core.tensor import Tensor, wrap
from ..common.bases import conj
from ..common.samples import sample
from .factorisations import SingularValues
from .solve import HALVES, WELL


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
        if singular(a):
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


def singular(a: Tensor) -> bool:
    """Whether one of the matrices has no inverse, as far as its element type can tell.

    The determinant does not say: rounding makes it a little more than 0, and it is small where every element is.
    """
    if not a._array.size:
        return False
    values = SingularValues()(a.detach())
    return bool((values[..., -1] <= dtypes.finfo(a.dtype).eps * values[..., 0])._array.any())


def cofactors(a: Any) -> Any:
    """The matrix of cofactors (its conjugate where complex), which is det(A) A⁻ᵀ where there is an inverse.

    Each is the determinant of what is left without one row and one column, so this holds, and can be differentiated,
    for singular matrices too. It is slow: n² determinants.
    """
    xp, size = a._backend, a._array.shape[-1]
    others = xp.asarray([[j for j in range(size) if j != i] for i in range(size)], dtype="int64").reshape(size, -1)
    minors = a[..., wrap(others[:, None, :, None], xp), wrap(others[None, :, None, :], xp)]
    positions = xp.arange(size)
    signs = wrap((1 - 2 * ((positions[:, None] + positions) % 2)).astype(a._array.dtype), xp)
    return conj(Det()(minors) * signs)
