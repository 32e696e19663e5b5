"""Approximate largest singular values of large matrices, from a few random directions (Halko et al., 2009)."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...errors import ArgumentError
from ..common.bases import conj
from ..random.distributions import randn
from .functions import qr, svd
from .matmul import matmul
from .solve import matrices

__all__ = ["pca_lowrank", "svd_lowrank"]


def svd_lowrank(A: Any, q: int | None = 6, niter: int | None = 2, M: Any = None) -> tuple[Tensor, Tensor, Tensor]:
    """Approximate the `q` largest singular values of A, or of ``A - M``: (U, S, V) with ``A ≈ U @ diag(S) @ V.mH``.

    `niter` rounds of power iteration improve the initial random directions.

    >>> import minigrad as mg
    >>> U, S, V = mg.svd_lowrank(mg.diag(mg.tensor([4.0, 2.0, 0.0, 0.0])), q=3)
    >>> U.shape, V.shape, S.round()
    (minigrad.Size([4, 3]), minigrad.Size([4, 3]), tensor([4., 2., 0.]))
    """
    matrices("svd_lowrank", A)
    A = A if M is None else A - M
    if A._array.shape[-2] < A._array.shape[-1]:
        V, S, U = svd_lowrank(_turned(A), q, niter)
        return U, S, V
    Q = _directions(A, 6 if q is None else q, 2 if niter is None else niter)
    U, S, Vh = svd(matmul(_turned(Q), A), full_matrices=False)
    return matmul(Q, U), S, _turned(Vh)


def pca_lowrank(A: Any, q: int | None = None, center: bool = True, niter: int = 2) -> tuple[Tensor, Tensor, Tensor]:
    """Approximate the `q` principal components of the rows of A: (U, S, V) as from `svd_lowrank`; V has the directions.

    Unless `center` is False, the mean of every column is subtracted first. `q` is 6 by default, or the smaller size of
    A if that is less.
    """
    matrices("pca_lowrank", A)
    rows, columns = A._array.shape[-2:]
    most = min(rows, columns)
    if q is None:
        q = min(6, most)
    elif not 0 <= q <= most:
        raise ArgumentError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={most}")
    if niter < 0:
        raise ArgumentError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A - A.mean(-2, keepdim=True) if center else A, q, niter)


def _directions(A: Any, q: int, niter: int) -> Any:
    """Return orthonormal columns that approximately span the space of A's `q` largest singular vectors."""
    start = randn(*A._array.shape[:-2], A._array.shape[-1], q, dtype=A.dtype, device=A.device)
    Q = qr(matmul(A, start)).Q
    for _ in range(niter):
        Q = qr(matmul(_turned(A), Q)).Q
        Q = qr(matmul(A, Q)).Q
    return Q


def _turned(A: Any) -> Any:
    return conj(A).mT
