"""Parametrized weights: `weight_norm`, `spectral_norm` and `orthogonal`."""

from __future__ import annotations

import functools
from typing import Any

from ...core.grad_mode import no_grad
from ...core.tensor import Tensor
from ...errors import ArgumentError, DimensionError
from ..convolution.modules import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from ..module import Module
from ..normalisation.functions import normalize
from .orthogonality import MAPS, Orthogonal
from .parametrize import register_parametrization

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


def norm_except_dim(weight: Any, dim: int | None) -> Tensor:
    """Return the norm of each slice along `dim`, keeping dimensions; the norm of the whole if `dim` is None."""
    if dim is None or dim == -1:
        return weight.norm()
    sizes = [-1 if d == dim else 1 for d in range(weight.ndim)]
    return weight.movedim(dim, 0).reshape(weight.shape[dim], -1).norm(2, 1).reshape(sizes)


class _WeightNorm(Module):
    r""":math:`w = g\, v / \lVert v \rVert`: length and direction are learnt separately."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        """Return the weight with length g and direction v."""
        return weight_v * (weight_g / norm_except_dim(weight_v, self.dim))

    def right_inverse(self, weight: Any) -> tuple[Any, Any]:
        """Return a length and a direction for `weight`."""
        return norm_except_dim(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Learn the length and the direction of a weight separately (Salimans and Kingma, 2016). Return `module`.

    Each slice along `dim` has its own length; for None the weight has one. The parameters are
    ``module.parametrizations.<name>.original0`` and ``original1``.

    >>> import minigrad as mg
    >>> layer = mg.nn.utils.parametrizations.weight_norm(mg.nn.Linear(3, 2))
    >>> layer.parametrizations.weight.original0.shape, layer.parametrizations.weight.original1.shape
    (minigrad.Size([2, 1]), minigrad.Size([2, 3]))
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)
    module._register_load_state_dict_pre_hook(functools.partial(_read_old_names, name))
    return module


def _read_old_names(name: str, state_dict: Any, prefix: str, *rest: Any) -> None:
    """Rename entries of the older `nn.utils.weight_norm`: ``weight_g`` and ``weight_v``."""
    old = [f"{prefix}{name}_{part}" for part in ("g", "v")]
    if all(key in state_dict for key in old):
        for number, key in enumerate(old):
            state_dict[f"{prefix}parametrizations.{name}.original{number}"] = state_dict.pop(key)


def as_matrix(weight: Any, dim: int) -> Any:
    """Return `weight` as a matrix whose rows are the slices along `dim`."""
    return weight.movedim(dim, 0).flatten(1)


def dim_of_outputs(module: Module) -> int:
    """Return the dimension of the module's weight that belongs to its outputs."""
    return 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0


def singular_starts(matrix: Any, eps: float) -> list[Any]:
    """Return random unit vectors to start the power method: one for the rows, one for the columns."""
    return [normalize(matrix.new_empty(size).normal_(), dim=0, eps=eps) for size in matrix.shape]


def power_step(matrix: Any, v: Any, eps: float) -> tuple[Any, Any]:
    """Do one step of the power method for the first singular vectors: compute u from v, then v from u."""
    u = normalize(matrix.mv(v), dim=0, eps=eps)
    return u, normalize(matrix.mH.mv(u), dim=0, eps=eps)


class _SpectralNorm(Module):
    """Divides a weight by its largest singular value, which the power method updates at each access in training."""

    _u: Any
    _v: Any

    def __init__(self, weight: Any, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        if not -weight.ndim <= dim < weight.ndim:
            raise DimensionError(
                f"Dimension out of range (expected to be in range of [-{weight.ndim}, {weight.ndim - 1}] but got {dim})"
            )
        check_iterations(n_power_iterations)
        self.n_power_iterations, self.dim, self.eps = n_power_iterations, dim % weight.ndim, eps
        if weight.ndim > 1:
            matrix = as_matrix(weight.detach(), self.dim)
            for name, start in zip(("_u", "_v"), singular_starts(matrix, eps), strict=True):
                self.register_buffer(name, start)
            self.iterate(matrix, 15)

    def iterate(self, matrix: Any, times: int) -> None:
        """Improve the estimate of the singular vectors."""
        with no_grad():
            for _ in range(times):
                self._u, self._v = power_step(matrix, self._v, self.eps)

    def forward(self, weight: Any) -> Any:
        """Return `weight` divided by its estimated largest singular value; a vector is divided by its norm."""
        if weight.ndim == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            self.iterate(matrix, self.n_power_iterations)
        return weight / self._u.vdot(matrix.mv(self._v))

    def right_inverse(self, value: Any) -> Any:
        """Return `value`: it is assumed to have norm 1 already."""
        return value


def check_iterations(count: int) -> None:
    """Raise ArgumentError unless the number of power iterations is positive."""
    if count <= 0:
        raise ArgumentError(f"Expected n_power_iterations to be positive, but got n_power_iterations={count}")


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Keep the largest singular value of a weight at 1 (Miyato et al., 2018). Return `module`.

    `dim` is that of the outputs: 0, or 1 for transposed convolutions. ArgumentError if there is no such weight.
    """
    weight = _weight(module, name)
    dim = dim_of_outputs(module) if dim is None else dim
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))


def orthogonal(
    module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Module:
    """Keep a matrix (..., m, n) orthogonal: its columns, or rows if these are fewer, are orthonormal. Return `module`.

    `orthogonal_map` is "matrix_exp", "cayley" or "householder"; by default the last for matrices that are not square.
    With `use_trivialization` the change from the initial matrix is learnt. ArgumentError if there is no such matrix or
    map.

    >>> import minigrad as mg
    >>> layer = mg.nn.utils.parametrizations.orthogonal(mg.nn.Linear(4, 2))
    >>> (layer.weight @ layer.weight.t()).sub(mg.eye(2)).abs().max().item() < 1e-5
    True
    """
    weight = _weight(module, name)
    if weight.ndim < 2:
        raise ArgumentError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.shape[-2] == weight.shape[-1]
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if orthogonal_map not in MAPS:
        raise ArgumentError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    function = Orthogonal(weight, orthogonal_map, use_trivialization)
    return register_parametrization(module, name, function, unsafe=True)


def _weight(module: Module, name: str) -> Any:
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ArgumentError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight
