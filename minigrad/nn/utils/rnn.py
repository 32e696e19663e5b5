"""Sequences of different lengths in one batch: padded to the same length, or packed without padding.

Packed elements are stored step by step, and each step has only the sequences that have not ended, longest first:

    a b c        data         a x b y c
    x y          batch_sizes  2   2   1
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

from ... import dtypes
from ...core.tensor import Tensor
from ...errors import ArgumentError, ShapeError
from ...ops.create.factories import as_tensor, tensor
from ...ops.recurrent.layer import step_by_step
from ...ops.shape.join import cat, stack

__all__ = [
    "PackedSequence", "invert_permutation", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence",
    "pad_sequence", "step_by_step", "unpack_sequence", "unpad_sequence",
]  # fmt: skip


class _Fields(NamedTuple):
    data: Any
    batch_sizes: Any
    sorted_indices: Any = None
    unsorted_indices: Any = None


class PackedSequence(_Fields):
    """Sequences without padding, an input and output of recurrent layers. Made by `pack_sequence` and the like.

    `data` (sum of lengths, ...) is stored step by step; `batch_sizes` (on the CPU) is the number of sequences in each
    step; `sorted_indices` lists the sequences from the longest to the shortest, and `unsorted_indices` is the inverse.
    """

    __slots__ = ()

    def __new__(
        cls, data: Any, batch_sizes: Any = None, sorted_indices: Any = None, unsorted_indices: Any = None
    ) -> PackedSequence:
        if batch_sizes is None:
            data, batch_sizes = data
        if batch_sizes.device.type != "cpu":
            raise ArgumentError(
                f"batch_sizes should always be on CPU, but they are on {batch_sizes.device}. Make a PackedSequence by "
                "pack_sequence or pack_padded_sequence, which see to that."
            )
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Return a copy with its data converted by `Tensor.to`, and its indices on the same device.

        Where the data needs no conversion, return the sequence itself.
        """
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        orders = [None if each is None else each.to(data.device) for each in self[2:]]
        return PackedSequence(data, self.batch_sizes, *orders)

    def cpu(self) -> PackedSequence:
        """Return a copy on the CPU."""
        return self.to("cpu")

    def cuda(self) -> PackedSequence:
        """Return a copy on an NVIDIA GPU."""
        return self.to("cuda")

    def double(self) -> PackedSequence:
        """Return a copy with data in float64."""
        return self.to(dtypes.float64)

    def float(self) -> PackedSequence:
        """Return a copy with data in float32."""
        return self.to(dtypes.float32)

    def half(self) -> PackedSequence:
        """Return a copy with data in float16."""
        return self.to(dtypes.float16)

    def long(self) -> PackedSequence:
        """Return a copy with data in int64."""
        return self.to(dtypes.int64)

    def int(self) -> PackedSequence:
        """Return a copy with data in int32."""
        return self.to(dtypes.int32)

    def short(self) -> PackedSequence:
        """Return a copy with data in int16."""
        return self.to(dtypes.int16)

    def char(self) -> PackedSequence:
        """Return a copy with data in int8."""
        return self.to(dtypes.int8)

    def byte(self) -> PackedSequence:
        """Return a copy with data in uint8."""
        return self.to(dtypes.uint8)

    def pin_memory(self) -> PackedSequence:
        """Return the sequence itself: CPU memory is not pinned."""
        return self

    def is_pinned(self) -> bool:
        """Return False: CPU memory is not pinned."""
        return False

    @property
    def is_cuda(self) -> bool:
        """Whether the data is on an NVIDIA GPU."""
        return bool(self.data.is_cuda)


def invert_permutation(permutation: Any) -> Any:
    """Return the inverse of `permutation` (a vector of indices, or None)."""
    return None if permutation is None else permutation.argsort()


# Packed ---------------------------------------------------------------------------------------------------------------


def pack_padded_sequence(
    input: Any, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack a padded `input` (T, N, ...), or (N, T, ...) with `batch_first`, whose N sequences have these `lengths`.

    They must be sorted, longest first; without `enforce_sorted` they are sorted here. ShapeError for lengths that do
    not fit.

    >>> import minigrad as mg
    >>> padded = mg.tensor([[1, 4], [2, 5], [3, 0]])
    >>> packed = mg.nn.utils.rnn.pack_padded_sequence(padded, [3, 2])
    >>> packed.data.tolist(), packed.batch_sizes.tolist()
    ([1, 4, 2, 5, 3], [2, 2, 1])
    """
    if batch_first:
        input = input.transpose(0, 1)
    if not input.numel():
        raise ShapeError("Cannot pack empty tensors.")
    counts = _numbers(lengths)
    _check_lengths(counts, input.shape)
    order = sorted(range(len(counts)), key=lambda row: -counts[row])
    if enforce_sorted and any(a < b for a, b in pairwise(counts)):
        raise ShapeError(
            f"`lengths` array must be sorted in decreasing order when `enforce_sorted` is True, but is {counts}. "
            "You can pass `enforce_sorted=False` to have the sequences sorted, and results brought back into their "
            "order."
        )
    counts = sorted(counts, reverse=True)
    indices = None if enforce_sorted else tensor(order, device=input.device)
    if indices is not None:
        input = input.index_select(1, indices)
    sizes = [sum(count > step for count in counts) for step in range(counts[0])]
    data = input.flatten(0, 1).index_select(0, _places(sizes, input.shape[1], input.device))
    return PackedSequence(data, tensor(sizes, device="cpu"), indices)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """Return the sequences, padded, as (T, N, ...), or with `batch_first` (N, T, ...), and their lengths.

    T is the longest length, or `total_length`; ArgumentError if that is smaller. The lengths are on the CPU.
    """
    data, sizes = sequence.data, _numbers(sequence.batch_sizes)
    steps = len(sizes) if total_length is None else total_length
    if steps < len(sizes):
        raise ArgumentError(
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={steps} and max sequence length being {len(sizes)}"
        )
    rows = sizes[0]
    blank = data.new_full((steps * rows, *data.shape[1:]), padding_value)
    padded = blank.index_copy(0, _places(sizes, rows, data.device), data).unflatten(0, (steps, rows))
    lengths = tensor([sum(size > row for size in sizes) for row in range(rows)], device="cpu")
    if sequence.unsorted_indices is not None:
        padded = padded.index_select(1, sequence.unsorted_indices)
        lengths = lengths[sequence.unsorted_indices.cpu()]
    return (padded.transpose(0, 1) if batch_first else padded), lengths


def pack_sequence(sequences: Any, enforce_sorted: bool = True) -> PackedSequence:
    """Pack a list of tensors (length, ...), sorted longest first unless `enforce_sorted` is False."""
    return pack_padded_sequence(pad_sequence(sequences), [len(each) for each in sequences], False, enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Return the sequences of a packed sequence as a list, in their original order."""
    return unpad_sequence(*pad_packed_sequence(packed_sequences))


def _places(sizes: list[int], rows: int, device: Any) -> Tensor:
    """Return the rows of the packed elements in a padded batch of `rows` sequences, step by step."""
    return tensor([step * rows + row for step, size in enumerate(sizes) for row in range(size)], device=device)


def _numbers(lengths: Any) -> list[int]:
    return [int(each) for each in (lengths.tolist() if isinstance(lengths, Tensor) else lengths)]


def _check_lengths(counts: list[int], shape: tuple[int, ...]) -> None:
    steps, rows = shape[:2]
    if len(counts) != rows:
        raise ShapeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(counts)} (batch_size={rows})"
        )
    if min(counts) <= 0:
        raise ShapeError(
            f"Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0: {counts}"
        )
    if max(counts) > steps:
        raise ShapeError(f"Expected no length above the {steps} steps of the input, but found {max(counts)}")


# Padded ---------------------------------------------------------------------------------------------------------------


def pad_sequence(
    sequences: Iterable[Any], batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Join tensors (length, ...) in one (T, N, ...), or (N, T, ...) with `batch_first`, padded to the longest length.

    >>> import minigrad as mg
    >>> mg.nn.utils.rnn.pad_sequence([mg.tensor([1, 2, 3]), mg.tensor([4])], batch_first=True).tolist()
    [[1, 2, 3], [4, 0, 0]]
    """
    if padding_side not in ("left", "right"):
        raise ShapeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    if not isinstance(sequences, Iterable):
        raise ShapeError(f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}")
    rows: list[Any] = [as_tensor(each) for each in sequences]
    if not rows:
        raise ShapeError("received an empty list of sequences")
    steps = max(len(each) for each in rows)
    filled = []
    for each in rows:
        blank = each.new_full((steps - len(each), *each.shape[1:]), padding_value)
        filled.append(cat([blank, each] if padding_side == "left" else [each, blank]))
    return stack(filled, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Any, lengths: Any, batch_first: bool = False) -> list[Tensor]:
    """Return the rows of a padded batch as views, each cut to its length."""
    rows = padded_sequences.unbind(0 if batch_first else 1)
    return [row[:length] for row, length in zip(rows, _numbers(lengths), strict=True)]
