"""Transforms: invertible functions with the logarithm of their Jacobian determinant, log |dy/dx|."""

from __future__ import annotations

import copy
from typing import Any

from ..core.size import Size
from ..core.tensor import Tensor
from ..errors import ArgumentError, MissingRuleError
from . import constraints


class Transform:
    """The base class: define `_call`, `_inverse` and `log_abs_det_jacobian`.

    `domain` and `codomain` are the constraints on its inputs and outputs; `bijective` says whether `inv` is its
    inverse.
    """

    bijective = False
    domain: Any = constraints.real
    codomain: Any = constraints.real

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ArgumentError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._last: tuple[Any, Any] = (None, None)

    @property
    def event_dim(self) -> int:
        """The number of dimensions of one value."""
        return int(self.domain.event_dim)

    @property
    def sign(self) -> Any:
        """1 if the function increases, -1 if it decreases."""
        raise MissingRuleError(f"{type(self).__name__} has no sign")

    @property
    def inv(self) -> Transform:
        """The inverse transform."""
        return _Inverse(self)

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the transform with this cache size: 1 caches the last (input, output) pair, 0 none."""

        other = copy.copy(self)
        Transform.__init__(other, cache_size)
        return other

    def __call__(self, x: Tensor) -> Tensor:
        if self._cache_size == 0:
            return self._call(x)
        if self._last[0] is not x:
            self._last = (x, self._call(x))
        return self._last[1]

    def _back(self, y: Tensor) -> Tensor:
        if self._cache_size == 0:
            return self._inverse(y)
        if self._last[1] is not y:
            self._last = (self._inverse(y), y)
        return self._last[0]

    def _call(self, x: Tensor) -> Tensor:
        raise MissingRuleError(f"{type(self).__name__} needs a method _call(self, x)")

    def _inverse(self, y: Tensor) -> Tensor:
        raise MissingRuleError(f"{type(self).__name__} needs a method _inverse(self, y)")

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """log |dy/dx|; for vectors, that of the determinant."""
        raise MissingRuleError(f"{type(self).__name__} needs a method log_abs_det_jacobian(self, x, y)")

    def forward_shape(self, shape: Any) -> Size:
        """The shape of the results for inputs of `shape`."""
        return Size(shape)

    def inverse_shape(self, shape: Any) -> Size:
        """The shape of the inputs for results of `shape`."""
        return Size(shape)

    def _settings(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_cache_size", "_last")}

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return False
        mine, theirs = self._settings(), other._settings()
        return all(_same(mine[name], theirs[name]) for name in mine)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, Tensor) or isinstance(other, Tensor):
        return bool((one == other).all())
    return bool(one == other)


class _Inverse(Transform):
    """A transform in the opposite direction."""

    def __init__(self, origin: Transform) -> None:
        super().__init__()
        self._origin = origin

    @property
    def domain(self) -> Any:
        """The codomain of the transform that this one inverts."""
        return self._origin.codomain

    @property
    def codomain(self) -> Any:
        """The domain of the transform that this one inverts."""
        return self._origin.domain

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether the transform that this one inverts is bijective."""
        return self._origin.bijective

    @property
    def sign(self) -> Any:
        """The sign of the transform that this one inverts: a function and its inverse rise and fall together."""
        return self._origin.sign

    @property
    def inv(self) -> Transform:
        """The transform that this one inverts."""
        return self._origin

    def __call__(self, x: Tensor) -> Tensor:
        return self._origin._back(x)

    def _back(self, y: Tensor) -> Tensor:
        return self._origin(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """The log-determinant of the transform that this one inverts, negated."""
        return -self._origin.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Any) -> Size:
        """The shape of the results for inputs of `shape`."""
        return self._origin.inverse_shape(shape)

    def inverse_shape(self, shape: Any) -> Size:
        """The shape of the inputs for results of `shape`."""
        return self._origin.forward_shape(shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._origin!r})"
