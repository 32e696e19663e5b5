"""Orthogonal matrices as functions of unconstrained matrices."""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...core.grad_mode import no_grad
from ...errors import ArgumentError, MissingRuleError
from ...ops.create.factories import eye
from ...ops.index.take import diagonal_scatter
from ...ops.linalg.matrix_functions import matrix_exp
from ...ops.linalg.solve import solve
from ...ops.linalg.triangular_factors import geqrf, householder_product
from ...ops.shape.join import cat
from ..module import Module


def _exponential(skew: Any) -> Any:
    """Return exp A for a skew-symmetric A, which is orthogonal."""
    return matrix_exp(skew)


def _cayley(skew: Any) -> Any:
    """Return (I - A/2)⁻¹ (I + A/2) for a skew-symmetric A, which is orthogonal (Cayley, 1846)."""
    one = eye(skew.shape[-1], dtype=skew.dtype, device=skew.device)
    return solve(one - skew / 2, one + skew / 2)


MAPS: dict[str, Any] = {"matrix_exp": _exponential, "cayley": _cayley, "householder": None}
"""Functions from skew-symmetric to orthogonal matrices; "householder" reads reflections from a triangle instead."""


class Orthogonal(Module):
    """Computes an orthogonal matrix Q from the lower triangle of X.

    With `use_trivialization`, `base` is the initial Q, and the learnt X describes the change from there (Lezcano
    Casado, 2019).
    """

    def __init__(self, weight: Any, orthogonal_map: str, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ArgumentError("The householder parametrization does not support complex tensors.")
        self.shape, self.orthogonal_map, self.follows = weight.shape, orthogonal_map, use_trivialization
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Any) -> Any:
        """Return Q, in the shape of X."""
        wide = X.shape[-2] < X.shape[-1]
        X = X.mT if wide else X
        columns = X.shape[-1]
        if self.orthogonal_map == "householder":
            Q = _reflected(X)
        else:
            Q = MAPS[self.orthogonal_map](_skew(X))[..., :columns]
        if self.follows:
            Q = self.base @ Q
        return Q.mT if wide else Q

    def right_inverse(self, Q: Any) -> Any:
        """Return an X that leads to Q. If Q is not orthogonal, it is orthogonalised column by column first."""
        if Q.shape != self.shape:
            raise ArgumentError(
                f"Expected a matrix or batch of matrices of shape {list(self.shape)}. "
                f"Got a tensor of shape {list(Q.shape)}."
            )
        with no_grad():
            wide = Q.shape[-2] < Q.shape[-1]
            tall = Q.mT if wide else Q
            if self.follows:
                self.base = _completed(tall)
                # For a zero triangle, with -1 on the diagonal, every map returns the identity.
                return diagonal_scatter(Q * 0, Q.diagonal(0, -2, -1) * 0 - 1, 0, -2, -1)
            if self.orthogonal_map != "householder":
                raise MissingRuleError(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                    "use_trivialization=False."
                )
            X, tau = geqrf(tall)
            signs = X.diagonal(0, -2, -1).sign()
            X = diagonal_scatter(X, signs.where(tau != 0, -signs), 0, -2, -1)
            return X.mT if wide else X


def _skew(X: Any) -> Any:
    """Return the lower triangle of a tall X (..., n, k) as a skew-symmetric (skew-Hermitian) matrix (..., n, n)."""
    rows, columns = X.shape[-2:]
    X = X.tril()
    if rows != columns:
        X = cat([X, X.new_zeros((*X.shape[:-1], rows - columns))], -1)
    return X - X.mH


def _reflected(X: Any) -> Any:
    """Return the product of the reflections stored below the diagonal of X, with signs from the diagonal."""
    below = X.tril(-1)
    tau = 2.0 / (1.0 + (below * below).sum(-2))
    return householder_product(below, tau) * X.detach().diagonal(0, -2, -1).trunc().unsqueeze(-2)


def _completed(Q: Any) -> Any:
    """Return a square orthogonal matrix whose first columns are those of Q, orthogonalised if needed."""
    rows, columns = Q.shape[-2:]
    one = eye(columns, dtype=Q.dtype, device=Q.device)
    near = 10.0 * rows * dtypes.finfo(Q.dtype).eps
    if rows == columns and bool(((Q.mH @ Q - one).abs() <= near).all()):
        return Q.clone()
    if rows != columns:
        Q = cat([Q, Q.new_empty((*Q.shape[:-1], rows - columns)).normal_()], -1)
    X, tau = geqrf(Q)
    return householder_product(X, tau) * X.diagonal(0, -2, -1).sgn().unsqueeze(-2)
