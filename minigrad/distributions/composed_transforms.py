"""Transforms composed of others: in sequence, per part, or over more dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.size import Size
from ..core.tensor import Tensor
from ..errors import ArgumentError
from ..ops.create.like import zeros_like
from ..ops.shape.join import cat, stack
from . import constraints
from .transform import Transform
from .utils import sum_rightmost


class ComposeTransform(Transform):
    """Transforms one after another: ``ComposeTransform([f, g])(x)`` is ``g(f(x))``."""

    def __init__(self, parts: Sequence[Transform], cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else list(parts)

    @property
    def domain(self) -> Any:
        """The first part's domain, with as many event dimensions as any part needs."""
        if not self.parts:
            return constraints.real
        domain, dims = self.parts[0].domain, self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            dims = max(dims + part.domain.event_dim - part.codomain.event_dim, part.domain.event_dim)
        return constraints.independent(domain, dims - domain.event_dim) if dims > domain.event_dim else domain

    @property
    def codomain(self) -> Any:
        """The last part's codomain, with as many event dimensions as any part needs."""
        if not self.parts:
            return constraints.real
        codomain, dims = self.parts[-1].codomain, self.parts[0].domain.event_dim
        for part in self.parts:
            dims = max(dims + part.codomain.event_dim - part.domain.event_dim, part.codomain.event_dim)
        return constraints.independent(codomain, dims - codomain.event_dim) if dims > codomain.event_dim else codomain

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether all transforms are bijective."""
        return all(part.bijective for part in self.parts)

    @property
    def sign(self) -> Any:
        """The product of the signs."""
        sign: Any = 1
        for part in self.parts:
            sign = sign * part.sign
        return sign

    def _call(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def _inverse(self, y: Tensor) -> Tensor:
        for part in reversed(self.parts):
            y = part.inv(y)
        return y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """The sum over the parts, each reduced to the event dimensions of the whole."""
        if not self.parts:
            return zeros_like(x)
        steps = [x]
        for part in self.parts[:-1]:
            steps.append(part(steps[-1]))
        steps.append(y)
        total: Any = 0
        dims = self.domain.event_dim
        for i, part in enumerate(self.parts):
            slope = part.log_abs_det_jacobian(steps[i], steps[i + 1])
            total = total + sum_rightmost(slope, dims - part.domain.event_dim)
            dims += part.codomain.event_dim - part.domain.event_dim
        return total

    def forward_shape(self, shape: Any) -> Size:
        """The shape of the results for inputs of `shape`."""
        for part in self.parts:
            shape = part.forward_shape(shape)
        return Size(shape)

    def inverse_shape(self, shape: Any) -> Size:
        """The shape of the inputs for results of `shape`."""
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return Size(shape)

    def __repr__(self) -> str:
        return f"ComposeTransform({self.parts!r})"


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """Treats the last `reinterpreted_batch_ndims` batch dimensions of `base_transform` as event dimensions."""

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.base_transform = base_transform.with_cache(cache_size) if cache_size else base_transform
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def domain(self) -> Any:
        """The constraint of the base transform, with more event dimensions."""
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @property
    def codomain(self) -> Any:
        """The constraint of the base transform, with more event dimensions."""
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether the base transform is a bijection."""
        return self.base_transform.bijective

    @property
    def sign(self) -> Any:
        """The sign of the base transform."""
        return self.base_transform.sign

    def _call(self, x: Tensor) -> Tensor:
        return self.base_transform(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """The log-determinant of the base, summed over the additional event dimensions."""
        return sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"IndependentTransform({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


class StackTransform(Transform):
    """Applies one transform to each slice along `dim`."""

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.transforms = list(tseq)
        self.dim = dim

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether all transforms are bijective."""
        return all(each.bijective for each in self.transforms)

    def _parts(self, x: Tensor) -> Any:
        return zip(self.transforms, x.unbind(self.dim), strict=True)

    def _call(self, x: Tensor) -> Tensor:
        return stack([each(part) for each, part in self._parts(x)], self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        return stack([each.inv(part) for each, part in self._parts(y)], self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """The log-determinant of each slice."""
        pairs = zip(self._parts(x), y.unbind(self.dim), strict=True)
        return stack([each.log_abs_det_jacobian(part, made) for (each, part), made in pairs], self.dim)


class CatTransform(Transform):
    """Applies one transform to each of several parts along `dim`, which have these `lengths` (default: 1)."""

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
        """The total length of all parts."""
        return sum(self.lengths)

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether all transforms are bijective."""
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
