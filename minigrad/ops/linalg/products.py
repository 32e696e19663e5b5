"""Composed products: outer, inner, Kronecker, and matrix products that are added to another tensor."""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...core.interpreter import converting
from ...core.op import Op
from ...core.tensor import Tensor
from ...errors import DomainError, DtypeError, ShapeError
from ..common.arguments import accepts_out
from ..common.bases import conj, rewritten
from ..common.numbers import held
from ..common.samples import sample
from ..create.factories import empty
from ..elementwise.arithmetic import fitting
from ..shape.join import cat, stack
from ..shape.padding import constant_pad_nd
from .distances import IF_NECESSARY, distances
from .einsum import tensordot
from .functions import multi_dot
from .matmul import bmm, dot, mm, mv, product

__all__ = [
    "addbmm", "addmm", "addmv", "addr", "baddbmm", "block_diag", "cartesian_prod", "cdist", "chain_matmul", "inner",
    "kron", "outer", "ger", "vdot",
]  # fmt: skip


class Addmm(Op):
    r"""`beta` times a matrix, plus `alpha` times a matrix product."""

    formula = r"\beta C + \alpha A B"
    broadcasts = True
    kinds = "ifc"
    samples = (sample((2, 4), (2, 3), (3, 4), beta=1, alpha=1), sample((4,), (2, 3), (3, 4), beta=0.5, alpha=2))
    beta: Any
    alpha: Any

    def forward(self, xp, c, a, b):
        out = product(xp, a, b)
        if self.alpha != 1:
            out *= self.alpha
        if self.beta == 0:  # C is ignored, even if it is NaN
            return out
        return (out + (c if self.beta == 1 else c * self.beta)).astype(out.dtype, copy=False)

    def grad_c(self, grad):
        r"""\beta \bar Y"""
        return grad if self.beta == 1 else grad * conj(self.beta)

    def grad_a(self, grad, b):
        r"""\alpha \bar Y B^{\top}"""
        out = grad @ b.mH
        return out if self.alpha == 1 else out * conj(self.alpha)

    def grad_b(self, grad, a):
        r"""\alpha A^{\top} \bar Y"""
        out = a.mH @ grad
        return out if self.alpha == 1 else out * conj(self.alpha)


@accepts_out
def addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)``; `input` broadcasts to the product."""
    a, b = mat1._array.shape, mat2._array.shape
    beta, alpha = [each.item() if isinstance(each, Tensor) else each for each in (beta, alpha)]
    if len(a) != 2 or len(b) != 2 or a[1] != b[0]:
        mm(mat1, mat2)  # raises the right error
    _check_dtypes("addmm: self and mat2 must have the same dtype", input, mat1, mat2)
    extra = 2 - input._array.ndim
    if extra < 0 or any(n not in (1, size) for n, size in zip(input._array.shape, (a[0], b[1])[extra:], strict=True)):
        raise ShapeError(
            f"addmm: The expanded size of the tensor must match the existing size: input has {list(input.shape)}, the "
            f"product {[a[0], b[1]]}"
        )
    if input.dtype.kind < dtypes.FLOAT:
        beta, alpha = held(beta, input.dtype), held(alpha, input.dtype)
    return Addmm(beta, alpha)(input, mat1, mat2)


def _check_dtypes(wanted: str, input: Any, left: Any, right: Any) -> None:
    """DtypeError unless all three have the same dtype; autocast converts them."""
    kinds = {each._array.dtype for each in (input, left, right)}
    if len(kinds) > 1 and not converting():
        raise DtypeError(f"{wanted}, but got {input.dtype}, {left.dtype} and {right.dtype}")


def _combined(input: Any, product: Any, beta: Any, alpha: Any) -> Any:
    beta, alpha = held(beta, input.dtype), held(alpha, input.dtype)
    product = product if alpha == 1 else product * alpha
    return product if beta == 0 else product + (input if beta == 1 else input * beta)


@accepts_out
def addmv(input: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * input + alpha * (mat @ vec)``."""
    _check_dtypes("addmv input tensors must have the same dtype", input, mat, vec)
    return _combined(input, mv(mat, vec), beta, alpha)


@accepts_out
def addr(input: Any, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * input + alpha * outer(vec1, vec2)``."""
    beta, alpha = fitting(beta, input, vec1, vec2), fitting(alpha, input, vec1, vec2)
    return _combined(input, outer(vec1, vec2), beta, alpha)


@accepts_out
def baddbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * input + alpha * (batch1 @ batch2)``, for batches of matrices."""
    _check_dtypes("baddbmm: Input dtypes must be the same", input, batch1, batch2)
    return _combined(input, bmm(batch1, batch2), beta, alpha)


@accepts_out
def addbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * input + alpha * (batch1 @ batch2).sum(0)``."""
    _check_dtypes("addbmm: self and mat2 must have the same dtype", input, batch1, batch2)
    return _combined(input, bmm(batch1, batch2).sum(0, dtype=batch1.dtype), beta, alpha)


@accepts_out
def outer(input: Any, vec2: Any) -> Tensor:
    """Every element of one vector times every element of another: (n), (m) -> (n, m)."""
    if input._array.ndim != 1 or vec2._array.ndim != 1:
        found = f"{input._array.ndim}-D and {vec2._array.ndim}-D"
        raise ShapeError(f"outer: Expected 1-D argument self and vec2, but got {found}")
    return input.unsqueeze(1) * vec2


ger = outer


@accepts_out
def inner(input: Any, other: Any) -> Tensor:
    """The dot products of the last dimensions: (*, n), (+, n) -> (*, +)."""
    if not input._array.ndim or not other._array.ndim:
        return input * other
    if input._array.shape[-1] != other._array.shape[-1]:
        raise ShapeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input.shape)} and {list(other.shape)}"
        )
    return tensordot(input, other, ([-1], [-1]))


@accepts_out
def vdot(input: Any, other: Any) -> Tensor:
    """The dot product of two vectors; the first is conjugated."""
    return dot(conj(input), other)


@accepts_out
def kron(input: Any, other: Any) -> Tensor:
    """The Kronecker product: a block of ``input[i] * other`` for every element of `input`."""
    ndim = max(input._array.ndim, other._array.ndim)
    a = input.reshape((1,) * (ndim - input._array.ndim) + input._array.shape)
    b = other.reshape((1,) * (ndim - other._array.ndim) + other._array.shape)
    left = a.reshape([n for size in a._array.shape for n in (size, 1)])
    right = b.reshape([n for size in b._array.shape for n in (1, size)])
    return (left * right).reshape([n * m for n, m in zip(a._array.shape, b._array.shape, strict=True)])


@accepts_out
def chain_matmul(*matrices: Any) -> Tensor:
    """The product of several matrices, in the cheapest order of multiplications."""
    given = matrices[0] if len(matrices) == 1 and not isinstance(matrices[0], Tensor) else matrices
    if not len(given):
        raise ShapeError("chain_matmul(): Expected one or more matrices")
    for each in given:
        if each._array.ndim != 2:
            raise ShapeError(f"Tensor dimension is {each._array.ndim}, expected 2 instead.")
    return multi_dot(given) if len(given) > 1 else given[0]


def block_diag(*tensors: Any) -> Tensor:
    """A matrix with these matrices along its diagonal and zeros elsewhere; without any, one empty row."""
    if not tensors:
        return empty(1, 0)
    for number, each in enumerate(tensors):
        if each._array.ndim > 2:
            raise ShapeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {number} has {each.ndim} "
                "dimensions"
            )
    blocks = [each.reshape(1, -1) if each._array.ndim < 2 else each for each in tensors]
    width, rows, before = sum(each._array.shape[1] for each in blocks), [], 0
    for each in blocks:
        size = each._array.shape[1]
        rows.append(constant_pad_nd(each, (before, width - before - size)))
        before += size
    return cat(rows, 0)


def cartesian_prod(*tensors: Any) -> Tensor:
    """All combinations of the elements of vectors, one per row."""
    if len(tensors) == 1:
        return tensors[0]
    for each in tensors:
        if each._array.ndim != 1:
            raise ShapeError(f"Expect a 1D vector, but got shape {list(each.shape)}")
    sizes = [each._array.size for each in tensors]
    grids = [
        each.reshape([size if i == j else 1 for j in range(len(sizes))]).expand(sizes).reshape(-1)
        for i, (each, size) in enumerate(zip(tensors, sizes, strict=True))
    ]
    return stack(grids, 1)


def cdist(x1: Any, x2: Any, p: float = 2.0, compute_mode: str = IF_NECESSARY) -> Tensor:
    """The `p`-norm distances between all rows of `x1` and all rows of `x2`: (*, n, d), (*, m, d) -> (*, n, m)."""
    if x1._array.ndim < 2 or x2._array.ndim < 2:
        raise ShapeError(
            f"cdist only supports at least 2D tensors, X1 got: {x1._array.ndim}D, X2 got: {x2._array.ndim}D"
        )
    if x1._array.shape[-1] != x2._array.shape[-1]:
        raise ShapeError(f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}")
    if not p >= 0:
        raise DomainError(f"cdist only supports non-negative p values, got {p}")
    return distances(x1, x2, p, compute_mode)


METHODS = {
    "addbmm": addbmm, "addmm": addmm, "addmv": addmv, "addr": addr, "baddbmm": baddbmm, "inner": inner, "kron": kron,
    "outer": outer, "ger": ger, "vdot": vdot,
}  # fmt: skip
INPLACE = {each.__name__ + "_": rewritten(each) for each in (addbmm, addmm, addmv, addr, baddbmm)}
