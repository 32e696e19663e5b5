"""`DataLoader`: batches from a dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from ...errors import ArgumentError, ArgumentTypeError
from .collate import default_collate
from .dataset import Dataset, IterableDataset, batch_of
from .sampler import BatchSampler, RandomSampler, SequentialSampler


class DataLoader:
    """Iterate over it, once an epoch, to get the batches.

    `batch_size` None gives the samples one by one as they are. A `sampler` says the order, a `batch_sampler` the
    batches too. Everything happens in this process: `num_workers` must be 0.

    >>> import minigrad as mg
    >>> from minigrad.utils.data import DataLoader, TensorDataset
    >>> for (batch,) in DataLoader(TensorDataset(mg.arange(5)), batch_size=2):
    ...     print(batch)
    tensor([0, 1])
    tensor([2, 3])
    tensor([4])
    """

    def __init__(
        self,
        dataset: Dataset[Any] | Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[int] | None = None,
        batch_sampler: Iterable[list[int]] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        generator: Any = None,
    ) -> None:
        self.dataset = dataset
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.collate_fn = collate_fn
        self.generator = generator
        self._check(shuffle, sampler, batch_sampler, num_workers)
        self.sampler: Any = sampler
        self.batch_sampler: Any = batch_sampler
        if isinstance(dataset, IterableDataset) or batch_sampler is not None:
            return
        if sampler is None:
            self.sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_size is not None:
            self.batch_sampler = BatchSampler(self.sampler, batch_size, drop_last)

    def _check(self, shuffle: Any, sampler: Any, batch_sampler: Any, num_workers: int) -> None:
        """Refuse arguments that do not go together."""
        ordered = sampler is not None or batch_sampler is not None
        if num_workers:
            raise ArgumentError(f"num_workers={num_workers}: batches are made in this process, leave it at 0")
        if sampler is not None and shuffle:
            raise ArgumentError("sampler option is mutually exclusive with shuffle: the sampler says the order")
        if batch_sampler is not None and (self.batch_size != 1 or shuffle or sampler is not None or self.drop_last):
            raise ArgumentError(
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
            )
        if isinstance(self.dataset, IterableDataset):
            if shuffle or ordered:
                raise ArgumentError("a stream (IterableDataset) comes in its own order: leave out shuffle and samplers")
        elif not hasattr(self.dataset, "__getitem__") or not (hasattr(self.dataset, "__len__") or ordered):
            found = type(self.dataset).__name__
            raise ArgumentTypeError(f"a dataset needs __getitem__ and __len__ (or be an IterableDataset), got {found}")
        elif shuffle and not len(self.dataset):
            raise ArgumentError("the dataset is empty: there is nothing to shuffle")

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self.dataset, IterableDataset):
            return self._of_stream(iter(self.dataset))
        if self.batch_sampler is None:
            return (self._collated(self.dataset[i]) for i in self.sampler)
        return (self._batch(numbers) for numbers in self.batch_sampler)

    def _batch(self, numbers: list[int]) -> Any:
        if self.collate_fn is None:
            return batch_of(self.dataset, numbers)
        return self.collate_fn([self.dataset[i] for i in numbers])

    def _collated(self, sample: Any) -> Any:
        return sample if self.collate_fn is None else self.collate_fn(sample)

    def _of_stream(self, samples: Iterator[Any]) -> Iterator[Any]:
        if self.batch_size is None:
            yield from map(self._collated, samples)
            return
        collate = self.collate_fn or default_collate
        while batch := list(islice(samples, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield collate(batch)

    def __len__(self) -> int:
        """How many batches an epoch has."""
        if isinstance(self.dataset, IterableDataset):
            raise ArgumentTypeError("a stream (IterableDataset) has no length")
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)
