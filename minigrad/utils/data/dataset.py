"""Datasets: something with a length, of which one can take sample number i."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ...core.tensor import Tensor
from ...errors import ArgumentError, DimensionError, MissingRuleError
from ...ops.random.distributions import randperm
from .collate import default_collate

Sample = TypeVar("Sample", covariant=True)


class Dataset(Generic[Sample]):
    """The base of all datasets: define ``__getitem__``, and ``__len__`` where it has an end.

    One that can make a whole batch faster than sample by sample may also define ``batch(indices)``: it returns what
    collating the samples would.
    """

    def __getitem__(self, index: Any) -> Sample:
        raise MissingRuleError(f"{type(self).__name__} needs a method __getitem__(self, index)")

    if TYPE_CHECKING:

        def __len__(self) -> int:
            """How many samples. The base has none: ``list(stream)`` asks, and takes only a lack for an answer."""

    def __add__(self, other: Dataset[Any]) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[Sample]):
    """A stream of samples: define ``__iter__``. A loader takes them as they come."""

    def __iter__(self) -> Iterator[Any]:
        raise MissingRuleError(f"{type(self).__name__} needs a method __iter__(self)")


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Tensors of equal first dimension; a sample is one row of each.

    >>> import minigrad as mg
    >>> dataset = TensorDataset(mg.arange(6).reshape(3, 2), mg.tensor([0, 1, 0]))
    >>> dataset[1]
    (tensor([2, 3]), tensor(1))
    """

    def __init__(self, *tensors: Tensor) -> None:
        sizes = [each.shape[0] for each in tensors]
        if len(set(sizes)) > 1:
            raise ArgumentError(f"Size mismatch between tensors: the first dimensions are {sizes}, they must be equal")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(each[index] for each in self.tensors)

    def __len__(self) -> int:
        return int(self.tensors[0].shape[0])

    def batch(self, indices: Sequence[int]) -> tuple[Tensor, ...]:
        """These samples, stacked."""
        return self[list(indices)]


class ConcatDataset(Dataset[Any]):
    """Datasets one after another."""

    def __init__(self, datasets: Sequence[Dataset[Any]]) -> None:
        if not datasets:
            raise ArgumentError("datasets should not be an empty iterable")
        self.datasets = list(datasets)

    def __len__(self) -> int:
        return sum(len(each) for each in self.datasets)

    def __getitem__(self, index: int) -> Any:
        place = _from_front(index, len(self))
        for dataset in self.datasets:
            if place < len(dataset):
                return dataset[place]
            place -= len(dataset)
        raise AssertionError("unreachable: the place was checked")


class Subset(Dataset[Sample]):
    """Those samples of a dataset whose numbers are `indices`; a slice of a subset gives a batch of them."""

    def __init__(self, dataset: Dataset[Sample], indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = list(indices)

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, (slice, list)):
            return self.batch(range(len(self))[index] if isinstance(index, slice) else index)
        return self.dataset[self.indices[_from_front(index, len(self))]]

    def batch(self, indices: Sequence[int]) -> Any:
        """These samples of the subset, stacked."""
        return batch_of(self.dataset, [self.indices[i] for i in indices])


def batch_of(dataset: Dataset[Any], indices: Sequence[int]) -> Any:
    """The samples with these numbers, collated: at once where the dataset can, one by one otherwise."""
    if hasattr(dataset, "batch"):
        return dataset.batch(indices)
    return default_collate([dataset[i] for i in indices])


def random_split(
    dataset: Dataset[Sample], lengths: Sequence[int | float], generator: Any = None
) -> list[Subset[Sample]]:
    """Share `dataset` out at random, into parts of these lengths, or of these fractions of the whole.

    >>> import minigrad as mg
    >>> from minigrad.utils.data import random_split
    >>> [len(part) for part in random_split(range(10), [0.75, 0.25], generator=mg.Generator().manual_seed(0))]
    [8, 2]
    """
    total = len(dataset)
    if any(isinstance(each, float) for each in lengths) and math.isclose(sum(lengths), 1):
        counts = [math.floor(total * each) for each in lengths]
        for i in range(total - sum(counts)):  # what rounding left over goes to the first parts in turn
            counts[i % len(counts)] += 1
    else:
        counts = [int(each) for each in lengths]
        if sum(counts) != total:
            raise ArgumentError(
                f"Sum of input lengths does not equal the length of the input dataset: {list(lengths)} sum to "
                f"{sum(lengths)}, and there are {total} samples. Fractions must sum to 1."
            )
    order = randperm(total, generator=generator).tolist()
    ends = [sum(counts[: i + 1]) for i in range(len(counts))]
    return [Subset(dataset, order[end - count : end]) for count, end in zip(counts, ends, strict=True)]


def _from_front(index: int, length: int) -> int:
    if not -length <= index < length:
        raise DimensionError(f"sample number {index} is out of range: there are {length}")
    return index % length
