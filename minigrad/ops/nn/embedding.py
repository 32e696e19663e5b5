"""Embedding: rows of a table, selected by indices. A row's gradient is the sum over all positions that select it."""

from __future__ import annotations

import warnings
from typing import Any

from ... import dtypes
from ...core.grad_mode import no_grad
from ...core.tensor import Tensor, wrap
from ...errors import ArgumentError, AssertedArgumentError, DimensionError, DomainError, DtypeError, ShapeError
from ..common.bases import Linear
from ..common.dims import one_int
from ..common.halves import in_float32
from ..common.samples import exactly, sample

TOKENS = exactly([[0, 2, 2], [1, 0, 2]])


class Embedding(Linear):
    r"""For every index, that row of the table. Row `padding_idx` gets no gradient."""

    memory_order = "rows"
    formula = r"y_i = W_{k_i}"
    samples = (sample((3, 2), TOKENS, padding_idx=None, by_count=False),)
    padding_idx: Any
    by_count: bool

    remembers = ("rows",)

    def forward(self, xp, weight, index):
        self.rows = weight.shape[0]
        return xp.pick(weight, index, 0)

    def grad_weight(self, grad, index):
        r"""\bar W_{k_i} \mathrel{+}= \bar y_i"""
        return EmbeddingBackward(self.padding_idx, self.rows, self.by_count)(grad, index)

    def jvp(self, tangents, inputs, outputs):
        """The tangent of the table is selected like the table itself, padding included."""
        return Embedding(None, False)(tangents[0], inputs[1])


class EmbeddingBackward(Linear):
    r"""A table of zeros, to which every row of the input is added at its index; with `by_count`, their mean."""

    formula = r"W_{k_i} \mathrel{+}= x_i"
    grad_name = "EmbeddingDenseBackwardBackward0"
    samples = (
        sample((2, 3, 2), TOKENS, padding_idx=None, rows=3, by_count=False),
        sample((2, 3, 2), TOKENS, padding_idx=1, rows=3, by_count=True),
    )
    padding_idx: Any
    rows: int
    by_count: bool

    def forward(self, xp, x, index):
        out = xp.zeros((self.rows, x.shape[-1]), x.dtype)
        xp.scatter_add(out, (index.reshape(-1),), x.reshape(index.size, x.shape[-1]))
        if self.padding_idx is not None:
            out[self.padding_idx] = 0
        if self.by_count:
            out /= _counts(xp, index, self.rows, x.dtype)
        return out

    def grad_x(self, grad, index):
        r"""\bar W_{k_i}"""
        if self.padding_idx is not None:
            grad = grad.index_fill(0, wrap(grad._backend.asarray([self.padding_idx]), grad._backend), 0)
        if self.by_count:
            kind = (grad.real if grad.dtype.is_complex else grad).dtype.numpy
            each = wrap(grad._backend.ones((*index.shape, 1), kind), grad._backend)
            grad = grad / EmbeddingBackward(None, self.rows, False)(each, index).clamp(min=1)
        return Embedding(None, False)(grad, index)


def _counts(xp: Any, index: Any, rows: int, kind: Any) -> Any:
    """Return how often each row was selected, at least 1: (rows, 1)."""
    return xp.maximum(xp.bincount(index.reshape(-1), minlength=rows), 1).astype(kind)[:, None]


def embedding(
    input: Any,
    weight: Any,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of `weight` (V, D) at the indices `input` (*): (*, D).

    Row `padding_idx` gets no gradient. With `max_norm`, rows with a larger norm are first scaled down to it, in place.
    With `scale_grad_by_freq` the gradient of a row is divided by how often it was selected. `sparse` has no effect: all
    gradients are dense, and `optim.SparseAdam` reads from them which rows were selected.

    >>> import minigrad as mg
    >>> mg.nn.functional.embedding(mg.tensor([1, 0]), mg.tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[3.0, 4.0], [1.0, 2.0]]
    """
    if weight._array.ndim != 2:
        raise ShapeError(f"'weight' must be 2-D, it has shape {list(weight.shape)}")
    index = input._array
    if index.dtype.kind not in "iu":
        raise DtypeError(
            f"Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; "
            f"but got {input.dtype} instead (while checking arguments for embedding)"
        )
    rows = weight._array.shape[0]
    if index.size and (index.min() < 0 or index.max() >= rows):
        found = int(index.max()) if index.max() >= rows else int(index.min())
        raise DimensionError(f"index out of range in self: found {found}, the table has rows 0 to {rows - 1}")
    if padding_idx is not None:
        if not -rows <= padding_idx < rows:
            raise AssertedArgumentError(f"Padding_idx must be within num_embeddings: {padding_idx} for {rows} rows")
        padding_idx %= rows
    if max_norm is not None:
        _shorten(weight, index, max_norm, norm_type)
    return Embedding(padding_idx, bool(scale_grad_by_freq))(weight, input)


def _shorten(weight: Any, index: Any, max_norm: float, norm_type: float) -> None:
    """Scale the selected rows with a norm above `max_norm` down to it, in place."""
    xp = weight._backend
    used = wrap(xp.unique(index), xp)
    with no_grad():
        chosen = weight.detach().index_select(0, used)
        lengths = chosen.norm(norm_type, 1, keepdim=True)
        factor = (max_norm / (lengths + 1e-7)).where(lengths > max_norm, 1.0)
        weight.detach().index_copy_(0, used, chosen * factor)


def one_hot(tensor: Any, num_classes: int = -1) -> Tensor:
    """For every integer, a row of zeros with a 1 at that index: (*) -> (*, num_classes), of int64.

    >>> import minigrad as mg
    >>> mg.nn.functional.one_hot(mg.tensor([0, 2]), 3).tolist()
    [[1, 0, 0], [0, 0, 1]]
    """
    index = tensor._array
    if index.dtype.kind not in "iu":
        raise DtypeError(f"one_hot is only applicable to index tensor of type LongTensor, not {tensor.dtype}")
    num_classes = one_int("num_classes", num_classes)
    if not index.size and num_classes <= 0:
        raise ShapeError("Can not infer total number of classes from empty tensor.")
    if index.size and index.min() < 0:
        raise ShapeError("Class values must be non-negative.")
    classes = int(index.max()) + 1 if num_classes == -1 else num_classes
    if index.size and index.max() >= classes:
        raise ShapeError(
            f"Class values must be smaller than num_classes, found {int(index.max())} for {classes} classes."
        )
    hot: Tensor = (tensor.unsqueeze(-1) == wrap(tensor._backend.arange(classes), tensor._backend)).long()
    return hot


def embedding_bag(
    input: Any,
    weight: Any,
    offsets: Any = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """The sum, mean or maximum, by `mode`, of the rows of each bag of indices.

    `input` is (B, N), one bag per row; or (N), with `offsets` at which bags begin.
    """
    if weight.dtype is dtypes.int64 and input.dtype.is_floating_point:
        warnings.warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
            "deprecated, and should now be `embedding_bag(input, weight, ...)`.",
            stacklevel=2,
        )
        weight, input = input, weight
    if mode not in ("sum", "mean", "max"):
        raise ArgumentError("mode has to be one of sum, mean or max")
    if per_sample_weights is not None and mode != "sum":
        raise ArgumentError("embedding_bag: per_sample_weights was not None, but mode is not 'sum'")
    rows = weight._array.shape[0]
    if per_sample_weights is not None:
        _check_factors(per_sample_weights, input, weight)
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise DomainError(
            f"padding_idx must be within the number of embeddings, {-rows} through {rows - 1}, but got {padding_idx}"
        )
    xp = input._backend
    bag_of, count = _bags(xp, input, offsets, include_last_offset)
    flat = input.reshape(-1)
    if max_norm is not None:
        embedding(flat, weight, None, max_norm, norm_type)  # entries of padding are scaled down, too
    if padding_idx is not None:  # entries of padding do not count
        keep = flat._array != padding_idx % rows
        flat, bag_of = wrap(flat._array[keep], xp), bag_of[keep]
    if scale_grad_by_freq and mode == "max":
        raise ArgumentError("max mode does not support scaling the gradient by the frequency")
    if sparse and mode == "max":
        raise ArgumentError("max mode does not support sparse weights")
    picked: Any = embedding(flat, weight, scale_grad_by_freq=scale_grad_by_freq)
    factors = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    if factors is not None and padding_idx is not None:
        factors = factors[wrap(keep, xp)]
    return _each_bag(picked, factors, mode, bag_of, count)


def _check_factors(factors: Any, input: Any, weight: Any) -> None:
    """Raise unless there is one factor per index, of the table's dtype."""
    if factors.shape != input.shape:
        raise ArgumentError(
            f"embedding_bag: If per_sample_weights ({list(factors.shape)}) is not None, then it must have the same "
            f"shape as the input ({list(input.shape)})"
        )
    if factors.dtype is not weight.dtype:
        raise DtypeError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
            f"'per_sample_weights'; but {weight.dtype} does not equal {factors.dtype}"
        )


@in_float32
def _each_bag(rows: Any, factors: Any, mode: str, bag_of: Any, count: int) -> Any:
    """Combine the rows of each bag by `mode`; `bag_of` is the bag of each row."""
    xp = rows._backend
    if factors is not None:
        rows = rows * factors.unsqueeze(-1)
    positions, empty = wrap(bag_of, xp), rows.new_zeros(count, rows._array.shape[1])
    if mode == "max":
        where = positions.unsqueeze(-1).expand(rows.shape)
        return empty.scatter_reduce(0, where, rows, "amax", include_self=False)
    total = empty.index_add(0, positions, rows)
    if mode == "sum":
        return total
    sizes = xp.maximum(xp.bincount(bag_of, minlength=count), 1).astype(rows._array.dtype)
    return total / wrap(sizes, xp).unsqueeze(-1)


def _check_offsets(offsets: Any, length: int, include_last: bool) -> None:
    """Raise unless the first bag begins at 0, and the last one within the indices."""
    if offsets.ndim != 1:
        raise ArgumentError(f"offsets has to be a 1D Tensor, but it has {offsets.ndim} dimensions")
    if include_last and not offsets.size:
        raise DomainError("include_last_offset: number of offset should be at least 1")
    if offsets.size and offsets[0] != 0:
        raise DomainError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. "
            f"However, got {int(offsets[0])}"
        )
    if offsets.size and offsets[-1] > length:
        raise DomainError(
            f"offsets[-1] can not be greater than input's length {length} but got offsets[-1] of {int(offsets[-1])}"
        )


def _bags(xp: Any, input: Any, offsets: Any, include_last: bool) -> tuple[Any, int]:
    """Return the bag of each index, and the number of bags."""
    if input._array.ndim == 2:
        if offsets is not None:
            raise ArgumentError("if input is 2D, then offsets has to be None: every row of input is a bag")
        count, size = input._array.shape
        return xp.repeat(xp.arange(count), size), count
    if input._array.ndim != 1 or offsets is None:
        raise ArgumentError(f"input has to be 2D, or 1D with offsets, but got {input._array.ndim}D")
    _check_offsets(offsets._array, input._array.size, include_last)
    starts = offsets._array[:-1] if include_last else offsets._array
    return xp.searchsorted(starts, xp.arange(input._array.size), side="right") - 1, len(starts)
