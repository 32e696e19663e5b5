"""Determinants, with gradients for singular matrices, too. Matrices are the last two dimensions."""

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
    r"""The determinant of square matrices. Its gradient exists for singular matrices, too."""

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
    """Return whether one of the matrices is singular within the precision of its dtype.

    The determinant cannot decide: rounding makes it slightly different from 0, and it is small if all elements are.
    """
    if not a._array.size:
        return False
    values = SingularValues()(a.detach())
    return bool((values[..., -1] <= dtypes.finfo(a.dtype).eps * values[..., 0])._array.any())


def cofactors(a: Any) -> Any:
    """Return the matrix of cofactors (for complex matrices its conjugate), which is det(A) A⁻ᵀ if A is invertible.

    Each is the determinant of the matrix without one row and one column, so it exists, and is differentiable, for
    singular matrices too. This is slow: n² determinants.
    """
    xp, size = a._backend, a._array.shape[-1]
    others = xp.asarray([[j for j in range(size) if j != i] for i in range(size)], dtype="int64").reshape(size, -1)
    minors = a[..., wrap(others[:, None, :, None], xp), wrap(others[None, :, None, :], xp)]
    positions = xp.arange(size)
    signs = wrap((1 - 2 * ((positions[:, None] + positions) % 2)).astype(a._array.dtype), xp)
    return conj(Det()(minors) * signs)
