"""Batching rules for ops with a `dim` setting: the same op, with each dimension shifted by one."""

from __future__ import annotations

from typing import Any

from ...core.op import Op
from ...core.tensor import Tensor
from ...ops.reduce.extremes import Amax, Amin
from ...ops.reduce.order_statistics import MedianAlong, NanMedianAlong
from .base import changed, everywhere, one_by_one, padded, rank_of, rule


def shifted(dim: Any, rank: int) -> Any:
    """Return `dim` (one, several, or None for all) of an example with `rank` dimensions, as dimensions of the batch."""
    if dim is None:
        return tuple(range(1, rank + 1))
    if isinstance(dim, int):
        return (dim + rank if dim < 0 else dim) + 1
    return tuple([(each + rank if each < 0 else each) + 1 for each in dim])


@rule("Sum", "Mean", "All", "Any_", "Amax", "Amin", "Var", "Std", "VarMean", "StdMean", "Logsumexp", "VectorNorm")
def over_dims(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    """A reduction over several dimensions, or over all."""
    return changed(op, dim=shifted(op.dim, values[0]._array.ndim - 1))(*values)


@rule(
    "Softmax", "LogSoftmax", "SoftmaxBackward", "Cumsum", "Cumprod", "Cummax", "Cummin", "LogCumsumExp", "Sort", "Topk",
    "Kthvalue", "MaxAlong", "MinAlong", "MedianAlong", "NanMedianAlong", "Mode", "Cat", "Unbind", "Split", "Unfold",
    "FftR2C", "FftC2R",
)  # fmt: skip
def along_dim(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    """An op along one dimension, of one or several inputs that all have it."""
    if not all(rank_of(value, b) for value, b in zip(values, batched, strict=True)):
        return one_by_one(op, size, values, batched)
    rank = rank_of(values[0], batched[0])
    ready = [everywhere(value, b, size) for value, b in zip(values, batched, strict=True)]
    return changed(op, dim=shifted(op.dim, rank))(*ready)


@rule("FftC2C")
def along_dims(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    """A transform along several dimensions."""
    rank = values[0]._array.ndim - 1
    return changed(op, dims=shifted(op.dims, rank), halved=shifted(op.halved, rank))(*values)


@rule("Stack")
def stacked(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    ready = [everywhere(value, b, size) for value, b in zip(values, batched, strict=True)]
    return changed(op, dim=op.dim + 1)(*ready)


@rule("Max", "Min")
def over_everything(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    """The largest or smallest of all elements of each example."""
    kind = Amax if type(op).__name__ == "Max" else Amin
    return kind(shifted(None, values[0]._array.ndim - 1), False)(*values)


@rule("Median", "NanMedian")
def middle(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    """The median of all elements of each example, computed along one flattened dimension."""
    kind = MedianAlong if type(op).__name__ == "Median" else NanMedianAlong
    return kind(1, False)(values[0].reshape(size, -1) if size else values[0].reshape(0, 1))[0]


@rule("Prod")
def over_one_or_all(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    """A reduction over one dimension or, without one, over all elements, flattened."""
    (x,) = values
    rank = x._array.ndim - 1
    if op.dim is not None:
        return changed(op, dim=shifted(op.dim, rank))(x) if rank else one_by_one(op, size, values, batched)
    out = changed(op, dim=1, keepdim=False)(x.reshape(size, -1) if size else x.reshape(0, 1))
    return out.reshape((size, *(1,) * rank)) if op.keepdim else out


@rule("Reshape")
def reshaped(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    return changed(op, shape=(size, *op.shape))(*values)


@rule("Squeeze", "Flip", "Roll")
def at_dims(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    if values[0]._array.ndim == 1 and type(op).__name__ == "Flip":
        return values[0].clone()  # a single number stays as it is
    if not op.dims and type(op).__name__ == "Roll":
        return one_by_one(op, size, values, batched)  # all elements, flattened, are shifted
    return changed(op, dims=shifted(op.dims, values[0]._array.ndim - 1))(*values)


@rule("Unsqueeze", "Select")
def at_dim(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    return changed(op, dim=op.dim + 1)(*values)


@rule("Expand")
def expanded(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    return changed(op, sizes=(size, *op.sizes))(padded(values[0], len(op.sizes)))


@rule("Permute")
def permuted(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    return changed(op, dims=(0, *(dim + 1 for dim in op.dims)))(*values)


@rule("UnfoldBackward")
def unfolded_back(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    return changed(op, dim=op.dim + 1, shape=(size, *op.shape))(*values)


@rule("Repeat")
def repeated(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    return changed(op, repeats=(1, *op.repeats))(padded(values[0], len(op.repeats)))


@rule("Diagonal")
def diagonal(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    rank = values[0]._array.ndim - 1
    return changed(op, dim0=shifted(op.dim0, rank), dim1=shifted(op.dim1, rank))(*values)


@rule("DiagonalBackward")
def diagonal_back(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    rank = len(op.shape)
    return changed(op, dim0=shifted(op.dim0, rank), dim1=shifted(op.dim1, rank), shape=(size, *op.shape))(*values)


@rule("Transpose")
def transposed(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    return changed(op, dim0=op.dim0 + 1, dim1=op.dim1 + 1)(*values)


@rule(
    "LargestDistance", "MatrixTranspose", "Contiguous", "Clone", "Tril", "Triu", "Real", "Imag", "Conj",
    "ViewAsReal", "ViewAsComplex", "Reinterpret", "ToCopy", "ToDevice", "Cholesky", "Inv", "Det", "Slogdet", "Eig",
    "Eigh", "Svd", "SingularValues", "Qr", "Pinv", "MatrixExp", "LuOfSquare",
)  # fmt: skip
def unchanged(op: Op, size: int, values: list[Any], batched: list[bool]) -> Any:
    """Ops that count their dimensions from the back, or have no dimension setting: run unchanged."""
    return op.again()(*values)


@rule("Slice")
def sliced(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    return changed(op, key=(slice(None), *op.key))(*values)


@rule("SliceBackward")
def placed(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    return changed(op, key=(slice(None), *op.key), shape=(size, *op.shape))(*values)


@rule("Solve")
def solved(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    """Systems of equations, batched; `one_by_one` handles a right side that is one vector."""
    if min(rank_of(value, b) for value, b in zip(values, batched, strict=True)) < 2:
        return one_by_one(op, size, values, batched)
    rank = max(rank_of(value, b) for value, b in zip(values, batched, strict=True))
    return op.again()(*[padded(value, rank) if b else value for value, b in zip(values, batched, strict=True)])


@rule("Copy", "Fill")
def copied(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    target = everywhere(values[0], batched[0], size)
    source = values[1]
    if batched[1] and isinstance(source, Tensor):
        source = padded(source, target._array.ndim - 1)
    return op.again()(target, source)


@rule("AsStrided")
def walked(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    """As_strided on each example. If that would read beyond the example's memory, copy and run one by one."""
    array = values[0]._array
    steps = [stride // array.itemsize for stride in array.strides]
    reach = sum((n - 1) * step for n, step in zip(array.shape[1:], steps[1:], strict=True))
    wanted = op.offset + sum((n - 1) * step for n, step in zip(op.sizes, op.strides, strict=True))
    if op.offset < 0 or wanted > reach or not size:
        return one_by_one(op, size, values, batched)
    return changed(op, sizes=(size, *op.sizes), strides=(steps[0], *op.strides))(*values)
