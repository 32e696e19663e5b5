"""`LowRankMultivariateNormal`: normal vectors with a covariance of low rank plus a diagonal."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..core.tensor import Tensor
from ..errors import ArgumentError
from ..ops.create.factories import eye
from ..ops.linalg.functions import cholesky
from ..ops.linalg.solve import solve_triangular
from . import constraints
from .distribution import Distribution
from .draws import standard_normal
from .utils import lazy_property


class LowRankMultivariateNormal(Distribution):
    """The normal distribution over vectors with mean `loc` and covariance ``W Wᵀ + diag(d)``.

    By Woodbury's identity only a (rank, rank) matrix is factored: C = I + Wᵀ diag(1/d) W.

    Args:
        loc: the mean, (..., n).
        cov_factor: W, (..., n, rank).
        cov_diag: d, positive, (..., n).

    >>> import minigrad as mg
    >>> LowRankMultivariateNormal(mg.zeros(2), mg.tensor([[1.0], [0.0]]), mg.ones(2)).covariance_matrix
    tensor([[2., 0.],
            [0., 1.]])
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ArgumentError("loc must be at least one-dimensional.")
        n = loc.shape[-1]
        if cov_factor.dim() < 2 or cov_factor.shape[-2] != n:
            raise ArgumentError(f"cov_factor must be a batch of matrices with shape {n} x m, got {cov_factor.shape}")
        if cov_diag.shape[-1:] != (n,):
            raise ArgumentError(f"cov_diag must be a batch of vectors with shape [{n}], got {cov_diag.shape}")
        shapes = [tuple(each) for each in (loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])]
        batch = tuple(loc._backend.broadcast_shapes(*shapes))
        self.loc = loc.expand((*batch, n))
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        self.cov_factor = cov_factor.expand((*batch, *cov_factor.shape[-2:]))
        self.cov_diag = cov_diag.expand((*batch, n))
        super().__init__(batch, (n,), validate_args=validate_args)

    @property
    def _scaled(self) -> Tensor:
        """Wᵀ diag(1/d)."""
        return self.cov_factor.mT / self.cov_diag.unsqueeze(-2)

    @property
    def _small(self) -> Tensor:
        """The factor of C = I + Wᵀ diag(1/d) W."""
        rank = self.cov_factor.shape[-1]
        identity = eye(rank, dtype=self.loc.dtype, device=self.loc.device)
        return cholesky(identity + self._scaled @ self.cov_factor)

    @property
    def mean(self) -> Tensor:
        """The mean, `loc`."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        """The value of highest density, `loc`."""
        return self.loc

    @lazy_property
    def variance(self) -> Tensor:
        """The diagonal of the covariance."""
        return (self.cov_factor**2).sum(-1) + self.cov_diag

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """W Wᵀ + diag(d)."""
        return self.cov_factor @ self.cov_factor.mT + self.cov_diag.diag_embed()

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance."""
        return cholesky(self.covariance_matrix)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        part = solve_triangular(self._small, self._scaled, upper=False)
        return (1 / self.cov_diag).diag_embed() - part.mT @ part

    def _expanded(self, origin: Any, batch_shape: Any) -> None:
        for name in ("variance", "covariance_matrix", "scale_tril", "precision_matrix"):
            self.__dict__.pop(name, None)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw loc + W · u + √d · v, with standard normal u and v."""
        shape = self._extended_shape(sample_shape)
        thin = standard_normal((*shape[:-1], self.cov_factor.shape[-1]), self.loc)  # type: ignore[arg-type]
        own = standard_normal(shape, self.loc)
        return self.loc + (self.cov_factor @ thin.unsqueeze(-1)).squeeze(-1) + self.cov_diag.sqrt() * own

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        distance = self._checked(value) - self.loc
        seen = (self._scaled @ distance.unsqueeze(-1)).squeeze(-1)
        whitened = solve_triangular(self._small, seen.unsqueeze(-1), upper=False).squeeze(-1)
        square = (distance**2 / self.cov_diag).sum(-1) - (whitened**2).sum(-1)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self._log_det + square)

    @property
    def _log_det(self) -> Tensor:
        return 2 * self._small.diagonal(dim1=-2, dim2=-1).log().sum(-1) + self.cov_diag.log().sum(-1)

    def entropy(self) -> Tensor:
        """½ n (1 + log 2π) + ½ log det Σ."""
        return 0.5 * (self._event_shape[0] * (1 + math.log(2 * math.pi)) + self._log_det)
