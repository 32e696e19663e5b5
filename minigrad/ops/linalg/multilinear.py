"""Tensors as linear maps between spaces of tensors: inverses and linear systems; and the Vandermonde matrix."""

from __future__ import annotations

import math
from typing import Any

from ...core.tensor import Tensor
from ...errors import ShapeError
from ..common.arguments import accepts_out
from ..common.dims import one_int
from ..shape.join import stack
from .solve import inv, solve

__all__: list[str] = []


@accepts_out
def tensorinv(A: Any, ind: int = 2) -> Tensor:
    """The inverse of a tensor, as a map to its first `ind` dimensions, which have as many elements as the others.

    >>> import minigrad as mg
    >>> mg.linalg.tensorinv(mg.eye(6).reshape(2, 3, 6), ind=2).shape
    minigrad.Size([6, 2, 3])
    """
    if ind <= 0:
        raise ShapeError(f"Expected a strictly positive integer for 'ind', got {ind}")
    first, last = A._array.shape[:ind], A._array.shape[ind:]
    if math.prod(first) != math.prod(last):
        raise ShapeError(
            f"Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{math.prod(last)} != {math.prod(first)}"
        )
    return inv(A.reshape(math.prod(first), -1) if A._array.size else A.reshape(0, 0)).reshape(*last, *first)


@accepts_out
def tensorsolve(A: Any, B: Any, dims: Any = None) -> Tensor:
    """Solve for X: its `tensordot` with A, over all its dimensions, is B. The dimensions `dims` of A are moved last."""
    if dims is not None:
        A = A.movedim(tuple(dims), tuple(range(A._array.ndim - len(dims), A._array.ndim)))
    unknown = A._array.shape[B._array.ndim :]
    if math.prod(A._array.shape[: B._array.ndim]) != math.prod(unknown):
        raise ShapeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got shapes {list(A.shape)} and {list(B.shape)}"
        )
    return solve(A.reshape(B.numel(), B.numel()), B.reshape(-1)).reshape(unknown)


def vander(x: Any, *, N: int | None = None) -> Tensor:
    """The powers 0 to N - 1 of every element, along a new last dimension."""
    x = x if x._array.ndim else x.unsqueeze(0)
    count = x._array.shape[-1] if N is None else one_int("N", N)
    if count <= 1 and N is not None:
        raise ShapeError(f"linalg.vander: N must be greater than 1, got {N}")
    if not (x.dtype.is_floating_point or x.dtype.is_complex):
        x = x.long()
    powers = [x.new_ones(x._array.shape)]
    for _ in range(count - 1):
        powers.append(powers[-1] * x)
    return stack(powers[:count], -1)
