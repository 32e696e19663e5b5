"""Slices brought below a norm, and vectors' distances from one another."""

from __future__ import annotations

import math
from typing import Any

from ...core.op import Op
from ...core.tensor import Tensor
from ...errors import DomainError, ShapeError
from ..common.arguments import accepts_out
from ..common.bases import rewritten, sample
from ..common.dims import wrap_dim
from ..index.coordinates import triu_indices

__all__ = ["pdist", "renorm"]


class LargestDistance(Op):
    """The largest size of an element along the last dimension. Each of those that tie has the whole gradient."""

    formula = r"\max_i |x_i|"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return xp.amax(xp.abs(x), axis=-1) if x.shape[-1] else xp.zeros(x.shape[:-1], x.dtype)

    def grad_x(self, grad, x, out):
        r"\bar y \operatorname{sign} x_i \text{ where } |x_i| = y, \text{ else } 0"
        return grad.unsqueeze(-1) * x.sgn() * (x.abs() == out.unsqueeze(-1)).to(grad.dtype)


def lengths(differences: Any, p: float) -> Any:
    """The `p`-norms along the last dimension, as distances have them."""
    if p == math.inf:
        return LargestDistance()(differences)
    found = differences.norm(p, -1)
    return found + (differences.sgn() * 0).sum(-1) if p == 0 else found


@accepts_out
def renorm(input: Any, p: float, dim: int, maxnorm: float) -> Tensor:
    """`input` with every slice along `dim` whose `p`-norm is above `maxnorm` scaled down to it."""
    if p <= 0:
        raise DomainError(f"renorm: non-positive norm not supported, got p={p}")
    if input._array.ndim < 2:
        raise ShapeError(f"renorm: input needs at least 2 dimensions, got {input._array.ndim} dimensions")
    if maxnorm < 0:
        raise DomainError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    dim = wrap_dim(dim, input._array.ndim)
    others = tuple([d for d in range(input._array.ndim) if d != dim])
    sizes = input.abs().norm(p, others, keepdim=True)
    scale = (maxnorm / (sizes + 1e-7)).where(sizes > maxnorm, 1.0)
    return input * scale


def pdist(input: Any, p: float = 2) -> Tensor:
    """The `p`-norm distances between every two rows of a matrix, one after the other: (n, d) -> (n (n - 1) / 2)."""
    if input._array.ndim != 2:
        raise ShapeError(f"pdist only supports 2D tensors, got: {input._array.ndim}D")
    if p < 0:
        raise DomainError(f"pdist only supports non-negative p values, got {p}")
    rows, columns = triu_indices(input._array.shape[0], input._array.shape[0], 1, device=input.device).unbind(0)
    return lengths(input.index_select(0, rows) - input.index_select(0, columns), p)


METHODS = {"renorm": renorm}
INPLACE = {"renorm_": rewritten(renorm)}
