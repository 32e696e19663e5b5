"""Transforms of vectors and matrices: to probabilities, Cholesky factors and positive definite matrices."""

from __future__ import annotations

import math
from typing import Any

from .. import dtypes
from ..core.size import Size
from ..core.tensor import Tensor
from ..errors import ArgumentError, ShapeError
from ..nn.functional import logsigmoid, pad, softmax, softplus
from ..ops.linalg.functions import cholesky
from ..ops.shape.join import cat
from . import constraints
from .elementwise_transforms import SigmoidTransform
from .transform import Transform
from .utils import tril_matrix_to_vec, vec_to_tril_matrix


class ReshapeTransform(Transform):
    """Reshapes values of `in_shape` to `out_shape`."""

    bijective = True

    def __init__(self, in_shape: Any, out_shape: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ArgumentError("in_shape, out_shape have different numbers of elements")

    @property
    def domain(self) -> Any:
        """Real numbers in `in_shape`."""
        return constraints.independent(constraints.real, len(self.in_shape))

    @property
    def codomain(self) -> Any:
        """Real numbers in `out_shape`."""
        return constraints.independent(constraints.real, len(self.out_shape))

    def _call(self, x: Tensor) -> Tensor:
        return x.reshape((*x.shape[: x.dim() - len(self.in_shape)], *self.out_shape))

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape((*y.shape[: y.dim() - len(self.out_shape)], *self.in_shape))

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """0: reshaping keeps volumes."""
        return x.new_zeros(x.shape[: x.dim() - len(self.in_shape)])

    def forward_shape(self, shape: Any) -> Size:
        """The shape of the results for inputs of `shape`."""
        return Size((*shape[: len(shape) - len(self.in_shape)], *self.out_shape))

    def inverse_shape(self, shape: Any) -> Size:
        """The shape of the inputs for results of `shape`."""
        return Size((*shape[: len(shape) - len(self.out_shape)], *self.in_shape))


class SoftmaxTransform(Transform):
    """Maps rows of numbers to probabilities by softmax. It is not a bijection; the inverse is the logarithm."""

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        return softmax(x, dim=-1)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()


class StickBreakingTransform(Transform):
    """Maps n - 1 numbers to n probabilities, each a fraction of what the ones before it leave."""

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def _offsets(self, x: Tensor) -> Tensor:
        return (x.shape[-1] - x.new_ones(x.shape[-1]).cumsum(-1) + 1).log()

    def _call(self, x: Tensor) -> Tensor:
        share = SigmoidTransform()(x - self._offsets(x))
        left = (1 - share).cumprod(-1)
        return pad(share, [0, 1], value=1) * pad(left, [1, 0], value=1)

    def _inverse(self, y: Tensor) -> Tensor:
        head = y[..., :-1]
        left = (1 - head.cumsum(-1)).clamp(min=dtypes.finfo(y.dtype).tiny)
        return head.log() - left.log() + self._offsets(head)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Σ (log sigmoid z - z + log y), where z are the arguments of the sigmoid."""
        z = x - self._offsets(x)
        return (-z + logsigmoid(z) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> Size:
        """The shape with one more element in the last dimension."""
        return Size((*shape[:-1], shape[-1] + 1))

    def inverse_shape(self, shape: Any) -> Size:
        """The shape with one element less in the last dimension."""
        return Size((*shape[:-1], shape[-1] - 1))


class LowerCholeskyTransform(Transform):
    """Maps square matrices to lower triangular ones with a positive diagonal."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Tensor) -> Tensor:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(Transform):
    """Maps square matrices to positive definite ones: L Lᵀ, with L from `LowerCholeskyTransform`."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Tensor) -> Tensor:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y: Tensor) -> Tensor:
        return LowerCholeskyTransform().inv(cholesky(y))


class CorrCholeskyTransform(Transform):
    r"""Maps n (n - 1) / 2 numbers to the Cholesky factor of an n × n correlation matrix.

    Row by row, :math:`L_{ij} = \tanh(x_{ij}) \prod_{k<j} \sqrt{1 - \tanh^2 x_{ik}}`, and the diagonal makes the norm of
    each row 1.
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        r = vec_to_tril_matrix(x.tanh(), -1)
        left = (1 - r * r).sqrt().cumprod(-1)
        # the product over the previous columns
        before = cat([left.new_ones((*left.shape[:-1], 1)), left[..., :-1]], -1)
        whole = r + r.new_ones(r.shape[-1]).diag_embed()
        return whole * before.tril()

    def _inverse(self, y: Tensor) -> Tensor:
        square = 1 - (y * y).cumsum(-1)
        before = cat([square.new_ones((*square.shape[:-1], 1)), square[..., :-1]], -1)
        r = tril_matrix_to_vec(y, -1) / tril_matrix_to_vec(before, -1).sqrt()
        return (r.log1p() - (-r).log1p()) / 2

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """log |dL/dx| for the entries below the diagonal."""
        square = 1 - (y * y).cumsum(-1)
        before = cat([square.new_ones((*square.shape[:-1], 1)), square[..., :-1]], -1)
        lengths = 0.5 * tril_matrix_to_vec(before, -1).log().sum(-1)
        slopes = -2 * (x + softplus(-2 * x) - math.log(2.0)).sum(-1)
        return lengths + slopes

    def forward_shape(self, shape: Any) -> Size:
        """The shape of the square matrix for a number of elements below its diagonal."""
        if not len(shape):
            raise ShapeError("Too few dimensions on input: one is needed")
        n = round((0.25 + 2 * shape[-1]) ** 0.5 + 0.5)
        if n * (n - 1) // 2 != shape[-1]:
            raise ShapeError(f"Input is not a flattened lower-diagonal: {shape[-1]} is no n * (n - 1) / 2")
        return Size((*shape[:-1], n, n))

    def inverse_shape(self, shape: Any) -> Size:
        """The shape of the vector of elements below the diagonal of a square matrix."""
        if len(shape) < 2 or shape[-2] != shape[-1]:
            raise ShapeError(f"Input is not square: its shape is {list(shape)}")
        return Size((*shape[:-2], shape[-1] * (shape[-1] - 1) // 2))
