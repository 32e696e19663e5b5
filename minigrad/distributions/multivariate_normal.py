"""`MultivariateNormal`: normal vectors with correlated elements."""

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


class MultivariateNormal(Distribution):
    """The normal distribution over vectors, given by its mean, and its covariance, precision or Cholesky factor.

    log p(x) = -½ (x - loc)ᵀ Σ⁻¹ (x - loc) - ½ log det Σ - ½ n log 2π

    Args:
        loc: the mean, (..., n).
        covariance_matrix: Σ, positive definite, (..., n, n).
        precision_matrix: Σ⁻¹, instead of Σ.
        scale_tril: the Cholesky factor L with Σ = L Lᵀ, instead of Σ; the fastest.

    >>> import minigrad as mg
    >>> MultivariateNormal(mg.zeros(2), mg.eye(2)).log_prob(mg.zeros(2))
    tensor(-1.8379)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ArgumentError("loc must be at least one-dimensional.")
        matrices = {
            "covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril,
        }  # fmt: skip
        given = {name: matrix for name, matrix in matrices.items() if matrix is not None}
        if len(given) != 1:
            raise ArgumentError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = given.items()
        if matrix.dim() < 2:
            raise ArgumentError(f"{name} must be at least two-dimensional, with optional leading batch dimensions")
        backend = loc._backend
        batch = tuple(backend.broadcast_shapes(tuple(matrix.shape[:-2]), tuple(loc.shape[:-1])))
        n = loc.shape[-1]
        setattr(self, name, matrix.expand((*batch, *matrix.shape[-2:])))
        self.loc = loc.expand((*batch, n))
        super().__init__(batch, (n,), validate_args=validate_args)
        self._unbroadcasted_scale_tril = _factor_of(name, matrix)
        """The Cholesky factor, before it is expanded to the batch."""

    @lazy_property
    def scale_tril(self) -> Tensor:
        """L, with Σ = L Lᵀ."""
        return self._unbroadcasted_scale_tril.expand((*self._batch_shape, *self._event_shape, *self._event_shape))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """Σ."""
        factor = self._unbroadcasted_scale_tril
        return (factor @ factor.mT).expand((*self._batch_shape, *self._event_shape, *self._event_shape))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """Σ⁻¹."""
        return self.covariance_matrix.inverse()

    @property
    def mean(self) -> Tensor:
        """The mean, `loc`."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        """The value of highest density, `loc`."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """The diagonal of Σ."""
        return (self._unbroadcasted_scale_tril**2).sum(-1).expand((*self._batch_shape, *self._event_shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw loc + L · standard normal numbers."""
        drawn = standard_normal(self._extended_shape(sample_shape), self.loc)
        return self.loc + (self._unbroadcasted_scale_tril @ drawn.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        distance = (self._checked(value) - self.loc).unsqueeze(-1)
        whitened = solve_triangular(self._unbroadcasted_scale_tril, distance, upper=False).squeeze(-1)
        n = self._event_shape[0]
        return -0.5 * (n * math.log(2 * math.pi) + (whitened**2).sum(-1)) - self._half_log_det

    @property
    def _half_log_det(self) -> Tensor:
        return self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def entropy(self) -> Tensor:
        """½ n (1 + log 2π) + ½ log det Σ."""
        entropy = 0.5 * self._event_shape[0] * (1 + math.log(2 * math.pi)) + self._half_log_det
        return entropy.expand(self._batch_shape)


def _factor_of(name: str, matrix: Tensor) -> Tensor:
    """Return the Cholesky factor L for the given matrix."""
    if name == "scale_tril":
        return matrix
    if name == "covariance_matrix":
        return cholesky(matrix)
    # With the order of rows and columns reversed, the factor of the inverse is the inverse of the factor.
    turned = cholesky(matrix.flip(-2, -1)).flip(-2, -1).mT
    identity = eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)
    return solve_triangular(turned, identity, upper=False)
