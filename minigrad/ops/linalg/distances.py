"""Distances between vectors, and slices scaled down to a maximal norm."""

from __future__ import annotations

import math
from typing import Any

from ...core.op import Op
from ...core.tensor import Tensor
from ...errors import ArgumentError, DomainError, ShapeError
from ..common.arguments import accepts_out
from ..common.bases import rewritten, sample
from ..common.dims import wrap_dim
from ..common.halves import InFloat32
from ..index.coordinates import triu_indices

__all__ = ["pdist", "renorm"]


class LargestDistance(Op):
    """The maximal absolute value along the last dimension. Each of several equal ones gets the whole gradient."""

    formula = r"\max_i |x_i|"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return xp.amax(xp.abs(x), axis=-1) if x.shape[-1] else xp.zeros(x.shape[:-1], x.dtype)

    def grad_x(self, grad, x, out):
        r"\bar y \operatorname{sign} x_i \text{ where } |x_i| = y, \text{ else } 0"
        return grad.unsqueeze(-1) * x.sgn() * (x.abs() == out.unsqueeze(-1)).to(grad.dtype)


class EuclideanDistances(InFloat32):
    r"""The Euclidean distances between all rows of one matrix and all rows of another, by their inner products.

    This takes one matrix product instead of a difference for every pair. It loses digits for points whose distance is
    small compared with their norm. PyTorch uses it from 26 rows on, and so does `cdist`.
    """

    formula = r"\sqrt{|a_i|^2 + |b_j|^2 - 2\, a_i \cdot b_j}"
    grad_name = "EuclideanDistBackward0"
    broadcasts = True
    samples = (sample((4, 3), (2, 3)), sample((2, 4, 3), (5, 3)), sample((3, 2), (4, 3, 2)))

    def forward(self, xp, a, b):
        out = (a * -2) @ b.swapaxes(-1, -2)
        out += _squares(xp, a)[..., None]
        out += _squares(xp, b)[..., None, :]
        return xp.sqrt(xp.maximum(out, 0, out=out), out=out)

    def grad_a(self, grad, a, b, out):
        r"""\sum_j \bar Y_{ij} (a_i - b_j) / Y_{ij}"""
        share = grad / out.masked_fill(out == 0, math.inf)
        return a * share.sum(-1, keepdim=True) - share @ b

    def grad_b(self, grad, a, b, out):
        r"""\sum_i \bar Y_{ij} (b_j - a_i) / Y_{ij}"""
        share = grad / out.masked_fill(out == 0, math.inf)
        return b * share.sum(-2).unsqueeze(-1) - share.mT @ a


def _squares(xp: Any, rows: Any) -> Any:
    """Return the squared norm of each row."""
    return xp.einsum("...i,...i->...", rows, rows)


IF_NECESSARY, ALWAYS, NEVER = MODES = (
    "use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist",
)  # fmt: skip
"""When to compute Euclidean distances by a matrix product: with more than 25 rows on either side, always, never."""


def distances(x1: Any, x2: Any, p: float, mode: str) -> Tensor:
    """The `p`-norm distances between all rows of two (stacks of) matrices."""
    if mode not in MODES:
        raise ArgumentError(f"{mode!r} is not a valid value for compute_mode: choose one of {', '.join(MODES)}")
    many = max(x1._array.shape[-2], x2._array.shape[-2]) > 25
    if p == 2 and x1._array.dtype == x2._array.dtype and (mode == ALWAYS or (mode == IF_NECESSARY and many)):
        return EuclideanDistances()(x1, x2)
    return lengths(x1.unsqueeze(-2) - x2.unsqueeze(-3), p)


def lengths(differences: Any, p: float) -> Any:
    """Return the `p`-norms along the last dimension, with the gradients that distances have in PyTorch."""
    if p == math.inf:
        return LargestDistance()(differences)
    found = differences.norm(p, -1)
    return found + (differences.sgn() * 0).sum(-1) if p == 0 else found


@accepts_out
def renorm(input: Any, p: float, dim: int, maxnorm: float) -> Tensor:
    """`input` with every slice along `dim` whose `p`-norm is above `maxnorm` scaled down to that norm."""
    if p <= 0:
        raise DomainError(f"renorm: non-positive norm not supported, got p={p}")
    if input._array.ndim < 2:
        raise ShapeError(f"renorm: input needs at least 2 dimensions, got {input._array.ndim} dimensions")
    if not maxnorm >= 0:
        raise DomainError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    dim = wrap_dim(dim, input._array.ndim)
    others = tuple([d for d in range(input._array.ndim) if d != dim])
    sizes = input.abs().norm(p, others, keepdim=True)
    scale = (maxnorm / (sizes + 1e-7)).where(sizes > maxnorm, 1.0)
    return input * scale


def pdist(input: Any, p: float = 2) -> Tensor:
    """The `p`-norm distances between all pairs of rows of a matrix, in one vector: (n, d) -> (n (n - 1) / 2)."""
    if input._array.ndim != 2:
        raise ShapeError(f"pdist only supports 2D tensors, got: {input._array.ndim}D")
    if p < 0:
        raise DomainError(f"pdist only supports non-negative p values, got {p}")
    rows, columns = triu_indices(input._array.shape[0], input._array.shape[0], 1, device=input.device).unbind(0)
    return lengths(input.index_select(0, rows) - input.index_select(0, columns), p)


METHODS = {"renorm": renorm}
INPLACE = {"renorm_": rewritten(renorm)}
