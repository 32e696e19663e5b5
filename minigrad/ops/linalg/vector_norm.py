"""Vector norms. At 0, where a norm is not differentiable, its gradient is 0."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ... import dtypes
from ...core.op import Op
from ..common.bases import sample
from ..reduce.sums import spread


class VectorNorm(Op):
    """The p-norm over `dim`. At 0 its gradient is 0."""

    __slots__ = ("p", "dim", "keepdim")
    p: float
    dim: Any
    keepdim: bool
    memory_order = "rows"
    formula = r"\left( \sum_i |x_i|^p \right)^{1/p}"
    grad_name = "LinalgVectorNormBackward0"
    kinds: ClassVar[str] = "fc"
    samples = (
        sample((2, 3), p=2.0, dim=None, keepdim=False), sample((2, 3), p=1.0, dim=(1,), keepdim=True),
        sample((2, 3), p=3.0, dim=(0,), keepdim=False), sample((2, 3), p=math.inf, dim=(1,), keepdim=False),
        sample((2, 3), p=-math.inf, dim=None, keepdim=False), sample((2, 3), p=0.5, dim=None, keepdim=False),
        sample((2, 3), p=0.0, dim=(1,), keepdim=False), sample((2, 3), p=1.5, dim=(1,), keepdim=False),
    )  # fmt: skip

    def forward(self, xp, x):
        size = xp.abs(x)
        if size.dtype.itemsize < 4:
            size = size.astype("float32")
        found = xp.asarray(self.length(xp, size))
        return found.astype(dtypes.real_of(dtypes.of(x.dtype)).numpy, copy=False)

    def length(self, xp: Any, size: Any) -> Any:
        """Return the norm of non-negative numbers."""
        axes = {"axis": self.dim, "keepdims": self.keepdim}
        if self.p == 2:
            return xp.sqrt(xp.sum(size * size, **axes))
        if self.p == 1:
            return xp.sum(size, **axes)
        if math.isinf(self.p):
            return xp.amax(size, **axes) if self.p > 0 else xp.amin(size, **axes)
        if self.p == 0:
            return xp.sum((size != 0).astype(size.dtype), **axes)
        return xp.power(xp.sum(xp.power(size, self.p), **axes), 1 / self.p)

    def grad_x(self, grad, x, out):
        r"\bar y \odot x \odot |x|^{p - 2} \oslash y^{p - 1}"
        p = self.p
        grad, out = [spread(each, x.shape, self.dim, self.keepdim) for each in (grad, out)]
        if p == 0:
            return None
        if p == 1:
            return grad * x.sgn()
        if p == 2:
            return grad * (x / out).masked_fill(out == 0, 0)
        if math.isinf(p):
            chosen = x.abs() == out
            return grad * x.sgn() * (chosen / chosen.sum(self.dim, keepdim=True).clamp(min=1))
        size = x.abs()
        powers = (size ** (p - 1)).masked_fill(size == 0, 0) if p < 2 else size ** (p - 1)
        return grad * x.sgn() * (powers / out.masked_fill(out == 0, 1) ** (p - 1))  # 0 / 0 has no derivative
