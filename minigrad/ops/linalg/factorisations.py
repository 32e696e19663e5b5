"""Factorisations: Cholesky, QR, eigenvalues and singular values.

Factors are unique only up to signs (or phases), and gradients exist only for results that do not depend on that choice.
If two eigenvalues or singular values are equal, their vectors have no gradient. The same holds in PyTorch.
"""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...core.op import Op
from ...core.tensor import wrap
from ...errors import GradError
from ..common.bases import conj
from ..common.samples import exactly, sample
from ..shape.join import cat
from .solve import HALVES, WELL, Solve, explained, solve_triangular

POSITIVE = exactly([[4.0, 1.0, -0.5], [1.0, 3.0, 1.0], [-0.5, 1.0, 5.0]])


class Cholesky(Op):
    r"""The lower triangular L of a positive-definite matrix A = L Lᵀ."""

    memory_order = "columns"
    formula = r"A = L L^{\top}"
    grad_name = "LinalgCholeskyExBackward0"
    kinds = "fc"
    tested_apart = "fc"
    lacks = HALVES
    samples = (sample(POSITIVE, upper=False), sample(POSITIVE, upper=True))
    upper: bool
    """Whether the upper triangle of the matrix is read, instead of the lower one."""

    def forward(self, xp, a):
        a = xp.conj(xp.swapaxes(a, -1, -2)) if self.upper else a
        with explained(
            "linalg.cholesky",
            "The factorization could not be completed because the input is not positive-definite (the leading minor "
            "of some order is not positive-definite).",
        ):
            return xp.linalg.cholesky(a)

    def grad_a(self, grad, out):
        r"""L^{-\top} \Phi(L^{\top} \bar L) L^{-1},\; \Phi(M) \text{ the lower triangle of } M \text{, symmetrised}"""
        phi = (out.mH @ grad).tril()
        left = solve_triangular(out.mH, (phi + phi.tril(-1).mH) * 0.5, upper=True)
        return solve_triangular(out.mH, left.mH, upper=True).mH


class Qr(Op):
    r"""A matrix with orthonormal columns times an upper triangular one; with `complete` the first is square."""

    memory_order = "columns"
    formula = r"A = Q R"
    grad_name = "LinalgQrBackward0"
    outputs_named = ("Q", "R")
    kinds = "fc"
    tested_apart = "c"
    lacks = HALVES
    samples = (sample(WELL, complete=False), sample(exactly([[4.0, 1.0], [0.3, 3.0], [-1.0, 0.2]]), complete=False))
    complete: bool

    def forward(self, xp, a):
        q, r = xp.linalg.qr(a, mode="complete" if self.complete else "reduced")
        return xp.asarray(q), xp.asarray(r)

    def grad_a(self, grad, Q, R, grad_R):
        r"""(\bar Q + Q \operatorname{copyltu}(R \bar R^{\top} - \bar Q^{\top} Q)) R^{-\top}"""
        rows, columns = Q._array.shape[-2], R._array.shape[-1]
        if self.complete and rows > columns:
            raise GradError(
                "linalg_qr: The QR decomposition is not differentiable when mode='complete' and nrows > ncols"
            )
        if rows >= columns:
            return self._of_tall(grad, grad_R, Q, R)
        first, rest = R[..., :, :rows], R[..., :, rows:]  # A = [X | Y] and Y = Q rest
        grad_first, grad_rest = grad_R[..., :, :rows], grad_R[..., :, rows:]
        grad_q = grad + (Q @ rest) @ grad_rest.mH
        return cat([self._of_tall(grad_q, grad_first, Q, first), Q @ grad_rest], -1)

    @staticmethod
    def _of_tall(grad_q, grad_r, q, r):
        m = r @ grad_r.mH - grad_q.mH @ q
        symmetric = m.tril() + m.tril(-1).mH
        if m.dtype.is_complex:
            symmetric = symmetric - (m.diagonal(0, -2, -1).imag * 1j).diag_embed()
        return solve_triangular(r, (grad_q + q @ symmetric).mH, upper=True).mH


class Eigh(Op):
    r"""The eigenvalues, in ascending order, and orthonormal eigenvectors of a symmetric (Hermitian) matrix."""

    memory_order = "columns"
    formula = r"A = V \operatorname{diag}(\lambda) V^{\top}"
    grad_name = "LinalgEighBackward0"
    outputs_named = ("values", "vectors")
    kinds = "fc"
    tested_apart = "fc"
    lacks = HALVES
    broadcasts = True
    samples = (sample(POSITIVE, lower=True),)
    lower: bool

    def forward(self, xp, a):
        with explained("linalg.eigh", "The algorithm failed to converge."):
            values, vectors = xp.linalg.eigh(a, UPLO="L" if self.lower else "U")
        return xp.asarray(values), xp.asarray(vectors)

    def grad_a(self, grad, values, vectors, grad_vectors):
        r"""V (\operatorname{diag}(\bar\lambda) + (V^{\top} \bar V) \oslash E) V^{\top} \text{, symmetrised},\;
        E_{jk} = \lambda_k - \lambda_j"""
        gaps = values.unsqueeze(-2) - values.unsqueeze(-1)
        inner = over_gaps(vectors.mH @ grad_vectors, gaps)
        inner = (inner + inner.mH) * 0.5  # only one triangle was read: split the gradient between both
        return vectors @ (inner + grad.to(inner.dtype).diag_embed()) @ vectors.mH


class Eig(Op):
    r"""The eigenvalues and eigenvectors of a square matrix; they are complex."""

    memory_order = "columns"
    formula = r"A = V \operatorname{diag}(\lambda) V^{-1}"
    grad_name = "LinalgEigBackward0"
    outputs_named = ("values", "vectors")
    kinds = "fc"
    tested_apart = "fc"
    lacks = HALVES
    broadcasts = True
    samples = (sample(WELL),)

    def forward(self, xp, a):
        with explained("linalg.eig", "The algorithm failed to converge."):
            values, vectors = xp.linalg.eig(a)
        kind = dtypes.complex_of(dtypes.of(a.dtype)).numpy
        return xp.asarray(values).astype(kind), xp.asarray(vectors).astype(kind)

    def grad_a(self, grad, values, vectors, grad_vectors):
        r"""V^{-\top} (\operatorname{diag}(\bar\lambda) + (V^{\top} \bar V - \dots) \oslash \bar E) V^{\top}"""
        own = vectors.mH @ grad_vectors
        lengths = own.diagonal(0, -2, -1).real.unsqueeze(-2).to(own.dtype)  # the vectors have norm 1
        own = own - (vectors.mH @ vectors) * lengths
        gaps = conj(values.unsqueeze(-2) - values.unsqueeze(-1))
        inner = over_gaps(own, gaps) + grad.diag_embed()
        return Solve()(vectors.mH, inner @ vectors.mH)


class Svd(Op):
    r"""The singular values, in descending order, and matrices of left and right singular vectors."""

    memory_order = "columns"
    formula = r"A = U \operatorname{diag}(s) V^{\top}"
    grad_name = "LinalgSvdBackward0"
    outputs_named = ("U", "S", "Vh")
    kinds = "fc"
    tested_apart = "c"
    lacks = HALVES
    broadcasts = True
    samples = (
        sample(WELL),
        sample(exactly([[4.0, 1.0], [0.3, 3.0], [-1.0, 0.2]])),
        sample(exactly([[4.0, 1.0, 0.3], [3.0, -1.0, 0.2]])),
    )

    def forward(self, xp, a):
        with explained("linalg.svd", "The algorithm failed to converge."):
            return tuple([xp.asarray(each) for each in xp.linalg.svd(a, full_matrices=False)])

    def grad_a(self, grad, U, S, Vh, grad_S, grad_Vh):
        r"""U (\operatorname{skew}(U^{\top} \bar U) \oslash E\, S
        + S \operatorname{skew}(V^{\top} \bar V) \oslash E + \bar S) V^{\top} + \dots"""
        squares = (S.unsqueeze(-2) - S.unsqueeze(-1)) * (S.unsqueeze(-2) + S.unsqueeze(-1))
        left, right = U.mH @ grad, Vh @ grad_Vh.mH
        row, column = S.unsqueeze(-2), S.unsqueeze(-1)
        inner = over_gaps(skew(left), squares) * row + column * over_gaps(skew(right), squares)
        inner = inner + grad_S.to(left.dtype).diag_embed()
        if left.dtype.is_complex:
            phases = left.diagonal(0, -2, -1).imag * 1j
            inner = inner + over(phases, S).diag_embed()
        result = U @ inner @ Vh
        rows, columns = U._array.shape[-2], Vh._array.shape[-1]
        if rows > S._array.shape[-1]:
            outside = over(grad, row)
            result = result + (outside - U @ (U.mH @ outside)) @ Vh
        if columns > S._array.shape[-1]:
            outside = over(grad_Vh, column)
            result = result + U @ (outside - (outside @ Vh.mH) @ Vh)
        return result


class SingularValues(Op):
    """Only the singular values, in descending order, which takes a fifth of the time."""

    formula = r"s \text{ in } A = U \operatorname{diag}(s) V^{\top}"
    grad_name = "LinalgSvdBackward0"
    kinds = "fc"
    lacks = HALVES
    broadcasts = True
    samples = (sample(WELL), sample(exactly([[4.0, 1.0], [0.3, 3.0], [-1.0, 0.2]])))

    def forward(self, xp, a):
        with explained("linalg.svd", "The algorithm failed to converge."):
            return xp.asarray(xp.linalg.svd(a, compute_uv=False))

    def grad_a(self, grad, a):
        r"U \operatorname{diag}(\bar s) V^{\top}"
        U, _, Vh = Svd()(a)
        return (U * grad.to(U.dtype).unsqueeze(-2)) @ Vh


def skew(matrix: Any) -> Any:
    """Return a matrix minus its conjugate transpose."""
    return matrix - matrix.mH


def over_gaps(part: Any, gaps: Any) -> Any:
    """Return `part` divided by the differences `gaps`, with 0 on the diagonal."""
    xp, size = gaps._backend, gaps._array.shape[-1]
    return over(part.masked_fill(wrap(xp.eye(size, dtype=bool), xp), 0), gaps)


def over(part: Any, sizes: Any) -> Any:
    """Return ``part / sizes`` with 0 for 0 / 0, which occurs for equal values whose vectors have no gradient."""
    still = (part == 0) & (sizes == 0)
    return (part / sizes.masked_fill(still, 1)).masked_fill(still, 0)
