"""Datasets: collections of samples that are accessed by index, and streams of samples."""

from __future__ import annotations

import math
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ...core.tensor import Tensor
from ...errors import ArgumentError, ArgumentTypeError, AssertedArgumentError, DimensionError, MissingRuleError
from ...ops.random.distributions import randperm
from .collate import default_collate

Sample = TypeVar("Sample", covariant=True)


class Dataset(Generic[Sample]):
    """The base class of all datasets: define ``__getitem__`` and, if it has an end, ``__len__``.

    A dataset that can fetch many samples at once faster may also define ``__getitems__(indices)``, which returns the
    list of these samples.
    """

    def __getitem__(self, index: Any) -> Sample:
        raise MissingRuleError(
            f"Subclasses of Dataset should implement __getitem__: {type(self).__name__} needs a method "
            "__getitem__(self, index)"
        )

    if TYPE_CHECKING:

        def __len__(self) -> int:
            """Return the number of samples. The base class does not define it, since ``list(stream)`` would call it."""

    def __add__(self, other: Dataset[Any]) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[Sample]):
    """A stream of samples: define ``__iter__``. A loader takes the samples in their order."""

    def __iter__(self) -> Iterator[Any]:
        raise MissingRuleError(f"{type(self).__name__} needs a method __iter__(self)")

    def __add__(self, other: Dataset[Any]) -> ChainDataset:  # type: ignore[override]
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """A dataset of tensors with equal first dimension; a sample is one row of each.

    >>> import minigrad as mg
    >>> dataset = TensorDataset(mg.arange(6).reshape(3, 2), mg.tensor([0, 1, 0]))
    >>> dataset[1]
    (tensor([2, 3]), tensor(1))
    """

    def __init__(self, *tensors: Tensor) -> None:
        sizes = [each.shape[0] for each in tensors]
        if len(set(sizes)) > 1:
            raise AssertedArgumentError(
                f"Size mismatch between tensors: the first dimensions are {sizes}, they must be equal"
            )
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(each[index] for each in self.tensors)

    def __len__(self) -> int:
        return int(self.tensors[0].shape[0])

    def _batch(self, indices: Sequence[int]) -> list[Tensor]:
        """Return these samples, collated."""
        return [each[list(indices)] for each in self.tensors]


class ConcatDataset(Dataset[Any]):
    """Several datasets, one after another."""

    def __init__(self, datasets: Sequence[Dataset[Any]]) -> None:
        if not datasets:
            raise AssertedArgumentError("datasets should not be an empty iterable")
        self.datasets = list(datasets)
        if any(isinstance(each, IterableDataset) for each in self.datasets):
            raise ArgumentError("ConcatDataset does not support IterableDataset: join streams with ChainDataset")
        self.cumulative_sizes = list(accumulate(len(each) for each in self.datasets))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> Any:
        place = _from_front(index, len(self))
        which = bisect_right(self.cumulative_sizes, place)
        return self.datasets[which][place - (self.cumulative_sizes[which - 1] if which else 0)]


class ChainDataset(IterableDataset[Any]):
    """Several streams, one after another.

    >>> class Count(IterableDataset):
    ...     def __iter__(self):
    ...         return iter(range(2))
    >>> list(ChainDataset([Count(), Count()]))
    [0, 1, 0, 1]
    """

    def __init__(self, datasets: Iterable[Dataset[Any]]) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for each in self.datasets:
            yield from _stream(each)

    def __len__(self) -> int:
        return sum(len(_stream(each)) for each in self.datasets)


def _stream(dataset: Any) -> Any:
    if not isinstance(dataset, IterableDataset):
        raise ArgumentTypeError(f"ChainDataset only supports IterableDataset, got {type(dataset).__name__}")
    return dataset


class StackDataset(Dataset[Any]):
    """Datasets side by side: sample i is the tuple of their samples i, or a dictionary if they are named.

    >>> both = StackDataset(image=["a", "b"], label=[0, 1])
    >>> both[1]
    {'image': 'b', 'label': 1}
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ArgumentError("StackDataset takes datasets as a tuple (positions) or as a dict (names), not both")
        if not args and not kwargs:
            raise ArgumentError("At least one dataset should be passed")
        self.datasets: Any = args or kwargs
        lengths = [len(each) for each in self._parts()]
        if len(set(lengths)) > 1:
            raise ArgumentError(f"Size mismatch between datasets: they have {lengths} samples")
        self._length = lengths[0]

    def _parts(self) -> Sequence[Any]:
        return list(self.datasets.values()) if isinstance(self.datasets, dict) else self.datasets

    def _joined(self, samples: Sequence[Any]) -> Any:
        if isinstance(self.datasets, dict):
            return dict(zip(self.datasets, samples, strict=True))
        return tuple(samples)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: Any) -> Any:
        return self._joined([each[index] for each in self._parts()])

    def __getitems__(self, indices: Sequence[int]) -> list[Any]:
        """Return the samples at these indices."""
        columns = [samples_of(each, indices) for each in self._parts()]
        return [self._joined(row) for row in zip(*columns, strict=True)]


class Subset(Dataset[Sample]):
    """The samples of a dataset at `indices`. A slice of a subset is a batch of its samples."""

    def __init__(self, dataset: Dataset[Sample], indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = list(indices)

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, (slice, list)):
            return self._batch(range(len(self))[index] if isinstance(index, slice) else index)
        return self.dataset[self.indices[_from_front(index, len(self))]]

    def __getitems__(self, indices: Sequence[int]) -> list[Any]:
        """Return these samples of the subset."""
        return samples_of(self.dataset, [self.indices[i] for i in indices])

    def _batch(self, indices: Sequence[int]) -> Any:
        return batch_of(self.dataset, [self.indices[i] for i in indices])


def samples_of(dataset: Any, indices: Sequence[int]) -> list[Any]:
    """Return the samples at these indices, by one ``__getitems__`` if the dataset has it."""
    together = getattr(dataset, "__getitems__", None)
    return [dataset[i] for i in indices] if together is None else together(list(indices))


def batch_of(dataset: Any, indices: Sequence[int]) -> Any:
    """Return the samples at these indices, collated by `default_collate`; a `TensorDataset` stacks them at once."""
    for kind in type(dataset).__mro__:
        if "_batch" in vars(kind) and kind in (TensorDataset, Subset):
            return dataset._batch(indices)
        if "__getitem__" in vars(kind):  # a subclass with a ``__getitem__`` of its own
            break
    return default_collate(samples_of(dataset, indices))


def random_split(
    dataset: Dataset[Sample], lengths: Sequence[int | float], generator: Any = None
) -> list[Subset[Sample]]:
    """Split `dataset` at random into parts of these lengths, or of these fractions of the whole.

    >>> import minigrad as mg
    >>> from minigrad.utils.data import random_split
    >>> [len(part) for part in random_split(range(10), [0.75, 0.25], generator=mg.Generator().manual_seed(0))]
    [8, 2]
    """
    total = len(dataset)
    if any(isinstance(each, float) for each in lengths) and math.isclose(sum(lengths), 1):
        counts = [math.floor(total * each) for each in lengths]
        for i in range(total - sum(counts)):  # samples left over by rounding go to the first parts in turn
            counts[i % len(counts)] += 1
    else:
        counts = [int(each) for each in lengths]
        if sum(counts) != total:
            raise ArgumentError(
                f"Sum of input lengths does not equal the length of the input dataset: {list(lengths)} sum to "
                f"{sum(lengths)}, and there are {total} samples. Fractions must sum to 1."
            )
    for place, count in enumerate(counts):
        if count == 0:
            warnings.warn(
                f"Length of split at index {place} is 0. This might result in an empty dataset.",
                UserWarning,
                stacklevel=2,
            )
    order = randperm(total, generator=generator).tolist()
    ends = [sum(counts[: i + 1]) for i in range(len(counts))]
    return [Subset(dataset, order[end - count : end]) for count, end in zip(counts, ends, strict=True)]


def _from_front(index: int, length: int) -> int:
    if not -length <= index < length:
        raise DimensionError(f"sample number {index} is out of range: there are {length}")
    return index % length
