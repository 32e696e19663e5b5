"""`LKJCholesky`: Cholesky factors of random correlation matrices."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from .. import dtypes
from ..core.tensor import Tensor
from ..errors import ArgumentError
from ..ops.create.factories import arange
from ..ops.random.distributions import randn
from ..ops.shape.join import cat
from . import constraints
from .beta import Beta
from .distribution import Distribution
from .utils import broadcast_all


class LKJCholesky(Distribution):
    r"""The distribution over Cholesky factors L of `dim` × `dim` correlation matrices.

    Their density is :math:`\det(L L^\top)^{\eta - 1}`, with :math:`\eta` the `concentration`; it is uniform for 1.

    Lewandowski, Kurowicka and Joe, "Generating random correlation matrices based on vines and extended onion method"
    (2009).

    >>> import minigrad as mg
    >>> factor = LKJCholesky(3, 0.5).sample()
    >>> (factor @ factor.mT).diagonal().round(decimals=4)
    tensor([1., 1., 1.])
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ArgumentError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        super().__init__(self.concentration.shape, (dim, dim), validate_args=validate_args)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw row by row a direction and a length (the onion method)."""
        like, shape = self.concentration.detach(), self._extended_shape(sample_shape)
        steps = arange(self.dim - 1, dtype=like.dtype, device=like.device)
        offset = cat([steps.new_zeros(1), steps])
        high = like.unsqueeze(-1) + 0.5 * (self.dim - 2) - 0.5 * offset
        length = Beta(offset + 0.5, high, validate_args=False).sample(sample_shape).unsqueeze(-1)
        direction = randn(shape, dtype=like.dtype, device=like.device).tril(-1)
        norm = direction.norm(dim=-1, keepdim=True)
        direction = direction / norm.where(norm > 0, 1.0)  # the first row is 0: it has no direction
        below = length.sqrt() * direction
        left = (1 - (below**2).sum(-1)).clamp(min=dtypes.finfo(like.dtype).tiny).sqrt()
        return below + left.diag_embed()

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        self._checked(value)
        n = self.dim
        order = arange(2, n + 1, dtype=value.dtype, device=value.device)
        powers = 2 * (self.concentration - 1).unsqueeze(-1) + n - order
        density = (powers * value.diagonal(dim1=-1, dim2=-2)[..., 1:].log()).sum(-1)
        alpha = self.concentration + 0.5 * (n - 1)
        norm = (alpha - 0.5).mvlgamma(n - 1) + 0.5 * (n - 1) * math.log(math.pi) - alpha.lgamma() * (n - 1)
        return density - norm
