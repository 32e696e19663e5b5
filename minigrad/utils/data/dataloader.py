"""`DataLoader`: batches from a dataset."""

from __future__ import annotations

import multiprocessing
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from types import GenericAlias
from typing import Any

from ... import dtypes
from ...errors import ArgumentError, ArgumentTypeError
from ...ops.create.factories import empty
from .collate import default_collate, default_convert
from .dataset import Dataset, IterableDataset
from .fetching import Fetcher
from .sampler import BatchSampler, RandomSampler, SequentialSampler
from .worker import get_worker_info
from .workers import Workers

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")
"""Attributes that cannot be changed after construction: samplers and workers were made from them."""


class DataLoader:
    """An iterable over the batches of a dataset; each iteration is one epoch.

    Args:
        dataset: has ``__getitem__`` and ``__len__``, or is an `IterableDataset`.
        batch_size: the number of samples in a batch; None yields single samples, without a batch dimension.
        shuffle: whether each epoch has a new random order.
        sampler: yields the indices in order, instead of `shuffle`.
        batch_sampler: yields the batches, as lists of indices.
        num_workers: the number of processes that make batches; 0 makes them in this process.
        collate_fn: makes a batch of a list of samples; `default_collate` stacks them.
        pin_memory: accepted, without effect.
        drop_last: leave out a last, shorter batch.
        timeout: seconds to wait for a worker's batch; 0 is no limit.
        worker_init_fn: called in each worker with the worker's number.
        multiprocessing_context: how workers start ("fork", "spawn", "forkserver"); Python's default if None.
        generator: draws the order and the seed of the workers.
        prefetch_factor: the number of batches that each worker makes ahead; 2 by default.
        persistent_workers: keep the workers between epochs.
        in_order: if False, batches come in the order in which workers finish them.

    Raises:
        ArgumentError: arguments contradict each other.
        ArgumentTypeError: the dataset lacks a required method.

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
        timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = 2 if prefetch_factor is None and num_workers > 0 else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.in_order = in_order
        self.persistent_workers = persistent_workers
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.generator = generator
        self._check_workers(prefetch_factor)
        self._check_order(shuffle, sampler, batch_sampler)
        self.multiprocessing_context = self._context(multiprocessing_context)
        self.sampler: Any = sampler
        self.batch_sampler: Any = batch_sampler
        if batch_sampler is not None:
            self.batch_size, self.drop_last = None, False
        elif not self.of_stream:
            if sampler is None:
                self.sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
            if batch_size is not None:
                self.batch_sampler = BatchSampler(self.sampler, batch_size, drop_last)
        self.batched = self.batch_sampler is not None or (self.of_stream and batch_size is not None)
        self.collate_fn = collate_fn or (default_collate if self.batched else default_convert)
        self._iterator: _FromWorkers | None = None
        self._ready = True

    __class_getitem__: Any = classmethod(GenericAlias)  # for annotations: DataLoader[int]

    def __setattr__(self, name: str, value: Any) -> None:
        if name in FIXED and self.__dict__.get("_ready"):
            raise ArgumentError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    @property
    def of_stream(self) -> bool:
        """Whether the dataset is a stream of samples."""
        return isinstance(self.dataset, IterableDataset)

    def _check_workers(self, prefetch_factor: int | None) -> None:
        count = self.num_workers
        if count < 0:
            raise ArgumentError(
                "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
            )
        if self.timeout < 0:
            raise ArgumentError("timeout option should be non-negative")
        if count == 0 and prefetch_factor is not None:
            raise ArgumentError(
                "prefetch_factor option could only be specified in multiprocessing. let num_workers > 0 to enable "
                "multiprocessing, otherwise set prefetch_factor to None."
            )
        if prefetch_factor is not None and prefetch_factor <= 0:
            raise ArgumentError(f"prefetch_factor option should be positive, got {prefetch_factor}")
        if self.persistent_workers and count == 0:
            raise ArgumentError("persistent_workers option needs num_workers > 0")
        cores = os.cpu_count() or 1
        if count > cores:
            warnings.warn(
                f"This DataLoader will create {count} worker processes in total. Our suggested max number of worker "
                f"in current system is {cores}: more workers than cores may be slower.",
                UserWarning,
                stacklevel=3,
            )

    def _check_order(self, shuffle: Any, sampler: Any, batch_sampler: Any) -> None:
        """Raise for arguments that contradict each other."""
        ordered = sampler is not None or batch_sampler is not None
        if self.of_stream:
            self._check_stream(shuffle=shuffle or None, sampler=sampler, batch_sampler=batch_sampler)
        elif not hasattr(self.dataset, "__getitem__") or not (hasattr(self.dataset, "__len__") or ordered):
            found = type(self.dataset).__name__
            raise ArgumentTypeError(f"a dataset needs __getitem__ and __len__ (or be an IterableDataset), got {found}")
        if sampler is not None and shuffle:
            raise ArgumentError("sampler option is mutually exclusive with shuffle: the sampler says the order")
        if batch_sampler is not None and (self.batch_size != 1 or shuffle or sampler is not None or self.drop_last):
            raise ArgumentError(
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
            )
        if self.batch_size is None and self.drop_last:
            raise ArgumentError(
                "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
            )

    def _check_stream(self, **given: Any) -> None:
        for option, value in given.items():
            if value is not None:
                raise ArgumentError(
                    f"DataLoader with IterableDataset: expected unspecified {option} option, but got {option}={value}: "
                    "a stream comes in its own order"
                )

    def _context(self, wanted: Any) -> Any:
        if wanted is None:
            return None
        if self.num_workers == 0:
            raise ArgumentError(
                "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
                "num_workers=0"
            )
        if isinstance(wanted, str):
            if wanted not in multiprocessing.get_all_start_methods():
                raise ArgumentError(
                    "multiprocessing_context option should specify a valid start method in "
                    f"{multiprocessing.get_all_start_methods()}, but got multiprocessing_context={wanted!r}"
                )
            return multiprocessing.get_context(wanted)
        if not hasattr(wanted, "Process"):
            raise ArgumentTypeError(
                "multiprocessing_context option should be a valid context object or a string specifying the start "
                f"method, but got multiprocessing_context={wanted}"
            )
        return wanted

    def numbers(self) -> Iterator[Any]:
        """Return the indices of an epoch: single ones or lists; for a stream, lists as long as its batches."""
        if not self.of_stream:
            return iter(self.sampler if self.batch_sampler is None else self.batch_sampler)
        return repeat(None if self.batch_size is None else range(self.batch_size))

    def __iter__(self) -> Iterator[Any]:
        if self.pin_memory:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be "
                "used.",
                UserWarning,
                stacklevel=2,
            )
        if not self.num_workers:
            return _InThisProcess(self)
        if not self.persistent_workers:
            return _FromWorkers(self)
        if self._iterator is None:
            self._iterator = _FromWorkers(self)
        else:
            self._iterator.again()
        return self._iterator

    def __len__(self) -> int:
        """Return the number of batches in an epoch."""
        if not self.of_stream:
            return len(self.sampler if self.batch_sampler is None else self.batch_sampler)
        count = len(self.dataset)
        if self.batch_size is None:
            return count
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


class _Batches:
    """The batches of one epoch. It always draws a seed for workers: the order is the same with and without them."""

    def __init__(self, loader: DataLoader) -> None:
        self.loader = loader
        self.numbers = loader.numbers()
        self.seed = int(empty((), dtype=dtypes.int64).random_(generator=loader.generator).item())

    def __iter__(self) -> Any:
        return self

    def __len__(self) -> int:
        return len(self.loader)


class _InThisProcess(_Batches):
    def __init__(self, loader: DataLoader) -> None:
        super().__init__(loader)
        self.fetcher = Fetcher(loader.dataset, loader.batched, loader.collate_fn, loader.drop_last)

    def __next__(self) -> Any:
        return self.fetcher.fetch(next(self.numbers))


class _FromWorkers(_Batches):
    def __init__(self, loader: DataLoader) -> None:
        super().__init__(loader)
        self.workers = Workers(loader, self.seed)
        self.workers.begin(self.numbers)

    def __next__(self) -> Any:
        try:
            return self.workers.next_batch()
        except StopIteration:
            if not self.loader.persistent_workers:
                self.workers.close()
            raise

    def again(self) -> None:
        """Start another epoch."""
        self.numbers = self.loader.numbers()
        self.workers.begin(self.numbers, again=True)
