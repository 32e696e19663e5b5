"""Transforms to matrices that covariances and correlations are made of, and by a distribution's own probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..core.size import Size
from ..core.tensor import Tensor
from ..errors import ArgumentError, ShapeError
from ..nn.functional import softplus
from ..ops.linalg.functions import cholesky
from ..ops.shape.join import cat
from . import constraints
from .transforms import LowerCholeskyTransform, Transform
from .utils import sum_rightmost, tril_matrix_to_vec, vec_to_tril_matrix

__all__ = ["CatTransform", "CorrCholeskyTransform", "CumulativeDistributionTransform", "PositiveDefiniteTransform"]


class PositiveDefiniteTransform(Transform):
    """Square matrices become positive definite ones: their `LowerCholeskyTransform` times its transpose."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Tensor) -> Tensor:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y: Tensor) -> Tensor:
        return LowerCholeskyTransform().inv(cholesky(y))


class CorrCholeskyTransform(Transform):
    r"""n (n - 1) / 2 numbers become the lower triangular factor of an n × n correlation matrix.

    Row by row, :math:`L_{ij} = \tanh(x_{ij}) \prod_{k<j} \sqrt{1 - \tanh^2 x_{ik}}`, and the diagonal takes what is
    left of the row's length 1.
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        r = vec_to_tril_matrix(x.tanh(), -1)
        left = (1 - r * r).sqrt().cumprod(-1)
        # the product over the columns before this one
        before = cat([left.new_ones((*left.shape[:-1], 1)), left[..., :-1]], -1)
        whole = r + r.new_ones(r.shape[-1]).diag_embed()
        return whole * before.tril()

    def _inverse(self, y: Tensor) -> Tensor:
        square = 1 - (y * y).cumsum(-1)
        before = cat([square.new_ones((*square.shape[:-1], 1)), square[..., :-1]], -1)
        r = tril_matrix_to_vec(y, -1) / tril_matrix_to_vec(before, -1).sqrt()
        return (r.log1p() - (-r).log1p()) / 2

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """log |dL/dx| of the entries below the diagonal."""
        square = 1 - (y * y).cumsum(-1)
        before = cat([square.new_ones((*square.shape[:-1], 1)), square[..., :-1]], -1)
        lengths = 0.5 * tril_matrix_to_vec(before, -1).log().sum(-1)
        slopes = -2 * (x + softplus(-2 * x) - math.log(2.0)).sum(-1)
        return lengths + slopes

    def forward_shape(self, shape: Any) -> Size:
        """A square for the numbers below its diagonal."""
        if not len(shape):
            raise ShapeError("Too few dimensions on input: one is needed")
        n = round((0.25 + 2 * shape[-1]) ** 0.5 + 0.5)
        if n * (n - 1) // 2 != shape[-1]:
            raise ShapeError(f"Input is not a flattened lower-diagonal: {shape[-1]} is no n * (n - 1) / 2")
        return Size((*shape[:-1], n, n))

    def inverse_shape(self, shape: Any) -> Size:
        """The numbers below the diagonal of a square."""
        if len(shape) < 2 or shape[-2] != shape[-1]:
            raise ShapeError(f"Input is not square: its shape is {list(shape)}")
        return Size((*shape[:-2], shape[-1] * (shape[-1] - 1) // 2))


class CumulativeDistributionTransform(Transform):
    """Numbers become the probabilities of smaller ones, by the `cdf` of a distribution."""

    bijective = True
    codomain = constraints.unit_interval

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Any:
        """The constraint on samples."""
        return self.distribution.support

    @property
    def sign(self) -> int:
        """It rises."""
        return 1

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """The logarithm of the density."""
        return self.distribution.log_prob(x)


class CatTransform(Transform):
    """One transform for each stretch along `dim`; the stretches have these `lengths`, or 1."""

    def __init__(
        self, tseq: Sequence[Transform], dim: int = 0, lengths: Sequence[int] | None = None, cache_size: int = 0
    ) -> None:
        super().__init__(cache_size)
        self.transforms = list(tseq)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise ArgumentError(f"there are {len(self.transforms)} transforms and {len(self.lengths)} lengths")
        self.dim = dim

    @property
    def event_dim(self) -> int:
        """The number of dimensions of one value."""
        return max(each.event_dim for each in self.transforms)

    @property
    def length(self) -> int:
        """The length of all stretches."""
        return sum(self.lengths)

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether all are."""
        return all(each.bijective for each in self.transforms)

    @property
    def domain(self) -> Any:
        """The constraint on each part's argument."""
        return constraints.cat([each.domain for each in self.transforms], self.dim, self.lengths)

    @property
    def codomain(self) -> Any:
        """The constraint on each part's result."""
        return constraints.cat([each.codomain for each in self.transforms], self.dim, self.lengths)

    def _call(self, x: Tensor) -> Tensor:
        parts = x.split(self.lengths, self.dim)
        return cat([each(part) for each, part in zip(self.transforms, parts, strict=True)], self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        parts = y.split(self.lengths, self.dim)
        return cat([each.inv(part) for each, part in zip(self.transforms, parts, strict=True)], self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """The log-determinant of each part, summed along `dim` where values span it."""
        dims, found = self.event_dim, []
        stretches = zip(self.transforms, x.split(self.lengths, self.dim), y.split(self.lengths, self.dim), strict=True)
        for each, part, made in stretches:
            found.append(sum_rightmost(each.log_abs_det_jacobian(part, made), dims - each.event_dim))
        dim = self.dim - x.dim() if self.dim >= 0 else self.dim
        dim += dims
        if dim < 0:
            return cat(found, dim)
        total = found[0]
        for each_found in found[1:]:
            total = total + each_found
        return total
