"""The names of ``torch.sparse``. Every tensor in minigrad is dense, with explicit zeros.

Programs that build a matrix from its entries and multiply by it get the same results, with the memory and time of the
dense matrix. Functions that treat missing entries differently from zeros, such as a sparse softmax, are not provided.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import dtypes
from .absent import absent_from
from .core.tensor import Tensor
from .errors import ArgumentError, DimensionError
from .ops.create.factories import as_tensor, zeros
from .ops.linalg.matmul import mm as dense_mm
from .ops.linalg.products import addmm as dense_addmm

__all__ = ["DoubleTensor", "FloatTensor", "LongTensor", "addmm", "mm", "sparse_coo_tensor", "spmm", "sum"]


def sparse_coo_tensor(
    indices: Any, values: Any, size: Any = None, *, dtype: Any = None, device: Any = None,
    requires_grad: bool = False, check_invariants: bool | None = None, is_coalesced: bool | None = None,
) -> Tensor:  # fmt: skip
    """The dense tensor of this `size` with `values` (n, ...) at `indices` (d, n); values with equal indices are summed.

    Without a size, the largest index of each dimension determines it. DimensionError for an index beyond the size.

    >>> import minigrad as mg
    >>> mg.sparse_coo_tensor([[0, 1, 1], [2, 0, 0]], [3.0, 4.0, 5.0], (2, 3))
    tensor([[0., 0., 3.],
            [9., 0., 0.]])
    """
    positions = as_tensor(indices, dtype=dtypes.int64, device=device)
    entries = as_tensor(values, dtype=dtype, device=device)
    if positions.ndim != 2:
        raise ArgumentError(f"indices must be a matrix (dimensions, entries), but have shape {list(positions.shape)}")
    if entries.ndim < 1 or entries.shape[0] != positions.shape[1]:
        raise ArgumentError(f"{positions.shape[1]} indices need as many values, but got shape {list(entries.shape)}")
    needed = [*(positions.amax(1) + 1).tolist()] if positions.shape[1] else [0] * positions.shape[0]
    sizes = [*needed, *entries.shape[1:]] if size is None else list(size)
    if sizes[len(needed) :] != list(entries.shape[1:]):
        raise ArgumentError(f"values of shape {list(entries.shape)} do not fit a tensor of size {sizes}")
    for dim, (least, given) in enumerate(zip(needed, sizes, strict=False)):
        if least > given:
            raise DimensionError(
                f"size is inconsistent with indices: for dim {dim}, size is {given} but found index {least - 1}"
            )
    if not needed:  # every entry is a whole tensor with the same (empty) index
        made = entries.sum(0)
    else:
        made = zeros(sizes, dtype=entries.dtype, device=entries.device)
        made = made.index_put(tuple(positions), entries, accumulate=True)
    return made.requires_grad_() if requires_grad and not made.requires_grad else made


def mm(mat1: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices."""
    return dense_mm(mat1, mat2)


spmm = mm


def addmm(mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * mat + alpha * mat1 @ mat2``."""
    return dense_addmm(mat, mat1, mat2, beta=beta, alpha=alpha)


def sum(input: Tensor, dim: Any = None, dtype: Any = None) -> Tensor:
    """The sum of all elements, or along `dim`."""
    return input.sum(dtype=dtype) if dim is None else input.sum(dim, dtype=dtype)


def FloatTensor(indices: Any, values: Any, size: Any = None) -> Tensor:
    """The old name of `sparse_coo_tensor` for float32."""
    return sparse_coo_tensor(indices, values, size, dtype=dtypes.float32)


def DoubleTensor(indices: Any, values: Any, size: Any = None) -> Tensor:
    """The old name of `sparse_coo_tensor` for float64."""
    return sparse_coo_tensor(indices, values, size, dtype=dtypes.float64)


def LongTensor(indices: Any, values: Any, size: Any = None) -> Tensor:
    """The old name of `sparse_coo_tensor` for int64."""
    return sparse_coo_tensor(indices, values, size, dtype=dtypes.int64)


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        raise absent_from(__name__, name)
