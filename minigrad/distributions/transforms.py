"""Maps between kinds of numbers that know how they stretch space: log |dy/dx|."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from typing import Any

from .. import dtypes
from ..core.size import Size
from ..core.tensor import Tensor
from ..errors import ArgumentError, MissingRuleError
from ..nn.functional import logsigmoid, pad, softmax, softplus
from ..ops.create.like import zeros_like
from ..ops.shape.join import stack
from . import constraints
from .utils import sum_rightmost

__all__ = [
    "AbsTransform", "AffineTransform", "ComposeTransform", "ExpTransform", "IndependentTransform",
    "LowerCholeskyTransform", "PowerTransform", "ReshapeTransform", "SigmoidTransform", "SoftmaxTransform",
    "SoftplusTransform", "StackTransform", "StickBreakingTransform", "TanhTransform", "Transform", "identity_transform",
]  # fmt: skip


OF_MATRICES = ("CatTransform", "CorrCholeskyTransform", "CumulativeDistributionTransform", "PositiveDefiniteTransform")
"""These are in `matrix_transforms`, and can be named from here, where PyTorch has them."""


def __getattr__(name: str) -> Any:
    if name not in OF_MATRICES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(".matrix_transforms", __package__), name)


class Transform:
    """The base: define `_call`, `_inverse` and `log_abs_det_jacobian`.

    `domain` and `codomain` say what it maps from and to; `bijective` whether `inv` undoes it.
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
        """1 where it rises, -1 where it falls."""
        raise MissingRuleError(f"{type(self).__name__} has no sign")

    @property
    def inv(self) -> Transform:
        """The transform back."""
        return _Inverse(self)

    def with_cache(self, cache_size: int = 1) -> Transform:
        """The same; the last pair is kept where `cache_size` is 1."""
        import copy

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
        """log |dy/dx|, for values of several dimensions of the determinant."""
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
    """A transform the other way."""

    def __init__(self, origin: Transform) -> None:
        super().__init__()
        self._origin = origin

    @property
    def domain(self) -> Any:
        """The codomain of the origin."""
        return self._origin.codomain

    @property
    def codomain(self) -> Any:
        """The domain of the origin."""
        return self._origin.domain

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """As the origin."""
        return self._origin.bijective

    @property
    def sign(self) -> Any:
        """As the origin."""
        return self._origin.sign

    @property
    def inv(self) -> Transform:
        """The origin."""
        return self._origin

    def __call__(self, x: Tensor) -> Tensor:
        return self._origin._back(x)

    def _back(self, y: Tensor) -> Tensor:
        return self._origin(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """The origin's log-determinant, negated."""
        return -self._origin.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Any) -> Size:
        """The shape of the results for inputs of `shape`."""
        return self._origin.inverse_shape(shape)

    def inverse_shape(self, shape: Any) -> Size:
        """The shape of the inputs for results of `shape`."""
        return self._origin.forward_shape(shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._origin!r})"


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
        """Whether all parts are."""
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
        """The sum over the parts, each brought to the dimensions of the whole."""
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
    """`base_transform`, whose last `reinterpreted_batch_ndims` batch dimensions become part of a value."""

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.base_transform = base_transform.with_cache(cache_size) if cache_size else base_transform
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def domain(self) -> Any:
        """That of the base, with more dimensions."""
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @property
    def codomain(self) -> Any:
        """That of the base, with more dimensions."""
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
        """The sum over the dimensions that are joined."""
        return sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"IndependentTransform({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


class ReshapeTransform(Transform):
    """Values of `in_shape` become values of `out_shape`."""

    bijective = True

    def __init__(self, in_shape: Any, out_shape: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ArgumentError("in_shape, out_shape have different numbers of elements")

    @property
    def domain(self) -> Any:
        """Numbers in `in_shape`."""
        return constraints.independent(constraints.real, len(self.in_shape))

    @property
    def codomain(self) -> Any:
        """Numbers in `out_shape`."""
        return constraints.independent(constraints.real, len(self.out_shape))

    def _call(self, x: Tensor) -> Tensor:
        return x.reshape((*x.shape[: x.dim() - len(self.in_shape)], *self.out_shape))

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape((*y.shape[: y.dim() - len(self.out_shape)], *self.in_shape))

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """0: nothing is stretched."""
        return x.new_zeros(x.shape[: x.dim() - len(self.in_shape)])

    def forward_shape(self, shape: Any) -> Size:
        """The shape of the results for inputs of `shape`."""
        return Size((*shape[: len(shape) - len(self.in_shape)], *self.out_shape))

    def inverse_shape(self, shape: Any) -> Size:
        """The shape of the inputs for results of `shape`."""
        return Size((*shape[: len(shape) - len(self.out_shape)], *self.in_shape))


class ExpTransform(Transform):
    """y = exp x."""

    codomain = constraints.positive
    bijective = True
    sign = 1

    def _call(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """X itself."""
        return x


class PowerTransform(Transform):
    """y = x to the power of `exponent`, of positive numbers."""

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        from .utils import broadcast_all

        (self.exponent,) = broadcast_all(exponent)

    @property
    def sign(self) -> Any:
        """The sign of the exponent."""
        return self.exponent.sign()

    def _call(self, x: Tensor) -> Tensor:
        return x.pow(self.exponent)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """log |exponent · y / x|."""
        return (self.exponent * y / x).abs().log()


class SigmoidTransform(Transform):
    """y = 1 / (1 + exp(-x))."""

    codomain = constraints.unit_interval
    bijective = True
    sign = 1

    def _call(self, x: Tensor) -> Tensor:
        info = dtypes.finfo(x.dtype)
        return x.sigmoid().clamp(min=info.tiny, max=1.0 - info.eps)

    def _inverse(self, y: Tensor) -> Tensor:
        info = dtypes.finfo(y.dtype)
        y = y.clamp(min=info.tiny, max=1.0 - info.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """log(y (1 - y))."""
        return -softplus(-x) - softplus(x)


class SoftplusTransform(Transform):
    """y = log(1 + exp x)."""

    codomain = constraints.positive
    bijective = True
    sign = 1

    def _call(self, x: Tensor) -> Tensor:
        return softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """log sigmoid x."""
        return -softplus(-x)


class TanhTransform(Transform):
    """y = tanh x. Better numbers than composing `AffineTransform` and `SigmoidTransform`."""

    codomain = constraints.interval(-1.0, 1.0)
    bijective = True
    sign = 1

    def _call(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """log(1 - tanh² x) = 2 (log 2 - x - softplus(-2x))."""
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class AbsTransform(Transform):
    """y = |x|. The inverse takes the positive x."""

    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> Tensor:
        return y


class AffineTransform(Transform):
    """y = loc + scale · x."""

    bijective = True

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.loc = loc
        self.scale = scale
        self._event_dim = event_dim

    @property
    def event_dim(self) -> int:
        """How many dimensions one value has."""
        return self._event_dim

    @property
    def domain(self) -> Any:
        """All numbers."""
        return constraints.independent(constraints.real, self._event_dim) if self._event_dim else constraints.real

    @property
    def codomain(self) -> Any:
        """All numbers."""
        return self.domain

    @property
    def sign(self) -> Any:
        """The sign of the scale."""
        if isinstance(self.scale, Tensor):
            return self.scale.sign()
        return (self.scale > 0) - (self.scale < 0)

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """log |scale|, once for each number."""
        if isinstance(self.scale, Tensor):
            slope = self.scale.abs().log()
        else:
            slope = x.new_tensor(math.log(abs(self.scale)))
        return sum_rightmost(slope.expand(x.shape), self._event_dim)


class SoftmaxTransform(Transform):
    """Rows of numbers become probabilities. It is not a bijection: the inverse is the logarithm."""

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        return softmax(x, dim=-1)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()


class StickBreakingTransform(Transform):
    """n - 1 numbers become n probabilities, each a share of what the ones before have left over."""

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
        """Σ (log sigmoid z - z + log y), with z the numbers before the sigmoid."""
        z = x - self._offsets(x)
        return (-z + logsigmoid(z) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> Size:
        """One number more."""
        return Size((*shape[:-1], shape[-1] + 1))

    def inverse_shape(self, shape: Any) -> Size:
        """One number less."""
        return Size((*shape[:-1], shape[-1] - 1))


class LowerCholeskyTransform(Transform):
    """Square matrices become lower triangular ones with a positive diagonal."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Tensor) -> Tensor:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class StackTransform(Transform):
    """One transform for each part along `dim`."""

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.transforms = list(tseq)
        self.dim = dim

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether all are."""
        return all(each.bijective for each in self.transforms)

    def _parts(self, x: Tensor) -> Any:
        return zip(self.transforms, x.unbind(self.dim), strict=True)

    def _call(self, x: Tensor) -> Tensor:
        return stack([each(part) for each, part in self._parts(x)], self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        return stack([each.inv(part) for each, part in self._parts(y)], self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Each part's log-determinant."""
        pairs = zip(self._parts(x), y.unbind(self.dim), strict=True)
        return stack([each.log_abs_det_jacobian(part, made) for (each, part), made in pairs], self.dim)
