"""`Wishart`: random covariance matrices."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..core.tensor import Tensor
from ..errors import ArgumentError
from ..ops.create.factories import arange, ones, tensor
from ..ops.elementwise.where import where
from ..ops.linalg.solve import solve_triangular
from ..ops.random.distributions import randn
from . import constraints
from .chi2 import Chi2
from .distribution import ExponentialFamily
from .multivariate_normal import _factor_of
from .utils import lazy_property


class Wishart(ExponentialFamily):
    """The distribution of X Xᵀ, where X has `df` normal columns with a covariance, precision or Cholesky factor.

    log p(S) = ½ (df - n - 1) log det S - ½ tr(Σ⁻¹ S) - ½ df (n log 2 + log det Σ) - log Γₙ(½ df)

    Args:
        df: the number of columns, more than n - 1.
        covariance_matrix: Σ, positive definite, (..., n, n).
        precision_matrix: Σ⁻¹, instead of Σ.
        scale_tril: the Cholesky factor L with Σ = L Lᵀ, instead of Σ.

    >>> import minigrad as mg
    >>> Wishart(mg.tensor(3.0), mg.eye(2)).mean
    tensor([[3., 0.],
            [0., 3.]])
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
        "df": constraints.greater_than(0),
    }
    support = constraints.positive_definite
    has_rsample = True

    def __init__(
        self,
        df: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        matrices = {
            "covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril,
        }  # fmt: skip
        given = {name: matrix for name, matrix in matrices.items() if matrix is not None}
        if len(given) != 1:
            raise ArgumentError("Expected exactly one of covariance_matrix or precision_matrix or scale_tril.")
        ((name, matrix),) = given.items()
        if matrix.dim() < 2:
            raise ArgumentError(f"{name} must be at least two-dimensional, with optional leading batch dimensions")
        n = matrix.shape[-1]
        df = df if isinstance(df, Tensor) else tensor(df, dtype=matrix.dtype, device=matrix.device)
        batch = tuple(matrix._backend.broadcast_shapes(tuple(matrix.shape[:-2]), tuple(df.shape)))
        self.df = df.expand(batch)
        setattr(self, name, matrix.expand((*batch, n, n)))
        super().__init__(batch, (n, n), validate_args=validate_args)
        if self._validate_args and not bool((self.df > n - 1).all()):
            raise ArgumentError(f"Value of df={df} expected to be greater than ndim - 1 = {n - 1}.")
        self._unbroadcasted_scale_tril = _factor_of(name, matrix)

    def _expanded(self, origin: Any, batch_shape: Any) -> None:
        for name in ("scale_tril", "covariance_matrix", "precision_matrix"):
            if name in self.__dict__:
                self.__dict__[name] = origin.__dict__[name].expand((*batch_shape, *self._event_shape))

    @lazy_property
    def scale_tril(self) -> Tensor:
        """L, with Σ = L Lᵀ."""
        return self._unbroadcasted_scale_tril.expand((*self._batch_shape, *self._event_shape))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """Σ."""
        return (self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT).expand(
            (*self._batch_shape, *self._event_shape)
        )

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """Σ⁻¹."""
        return self.covariance_matrix.inverse()

    @property
    def _n(self) -> int:
        return int(self._event_shape[-1])

    @property
    def mean(self) -> Tensor:
        """df Σ."""
        return self.df[..., None, None] * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        """(df - n - 1) Σ; NaN if df is too small."""
        factor = self.df - self._n - 1
        return where(factor > 0, factor, float("nan"))[..., None, None] * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        """df (Σᵢⱼ² + Σᵢᵢ Σⱼⱼ)."""
        diagonal = self.covariance_matrix.diagonal(dim1=-2, dim2=-1)
        return self.df[..., None, None] * (self.covariance_matrix**2 + diagonal[..., None] * diagonal[..., None, :])

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw L A Aᵀ Lᵀ, with roots of χ² numbers on the diagonal of A, and normal numbers below (Bartlett, 1933)."""
        n = self._n
        degrees = self.df.unsqueeze(-1) - arange(n, dtype=self.df.dtype, device=self.df.device)
        a = Chi2(degrees, validate_args=False).rsample(sample_shape).sqrt().diag_embed()
        shape = self._extended_shape(sample_shape)[:-2]
        below = ones((n, n), dtype=a.dtype, device=a.device).tril(-1) == 1
        normal = a.new_zeros((*shape, n, n))
        normal[..., below] = randn((*shape, n * (n - 1) // 2), dtype=a.dtype, device=a.device)
        product = self._unbroadcasted_scale_tril @ (a + normal)
        return product @ product.mT

    @property
    def _half_log_det(self) -> Tensor:
        return self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        self._checked(value)
        n, df = self._n, self.df
        left = solve_triangular(self._unbroadcasted_scale_tril, value, upper=False)
        trace = (
            solve_triangular(self._unbroadcasted_scale_tril, left.mT, upper=False).diagonal(dim1=-2, dim2=-1).sum(-1)
        )
        log_det = value.slogdet()[1]
        norm = df * (n * math.log(2) / 2 + self._half_log_det) + (df / 2).mvlgamma(n)
        return (df - n - 1) / 2 * log_det - trace / 2 - norm

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        n, df = self._n, self.df
        steps = arange(n, dtype=df.dtype, device=df.device)
        psi = (0.5 * (df.unsqueeze(-1) - steps)).digamma().sum(-1)
        whole = (n + 1) * (n * math.log(2) / 2 + self._half_log_det) + (df / 2).mvlgamma(n)
        return whole - (df - n - 1) / 2 * psi + df * n / 2
