"""Fetch one batch from a dataset, in this process or in a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from .collate import default_collate
from .dataset import IterableDataset, batch_of, samples_of


class Fetcher:
    """Makes batches. If `batched`, `collate` gets a list of samples; otherwise it gets a single sample."""

    def __init__(self, dataset: Any, batched: bool, collate: Callable[[Any], Any], drop_last: bool) -> None:
        self.dataset = dataset
        self.batched = batched
        self.collate = collate
        self.drop_last = drop_last
        self.stream: Iterator[Any] | None = iter(dataset) if isinstance(dataset, IterableDataset) else None

    def fetch(self, numbers: Any) -> Any:
        """Return the batch of the samples at these indices; for a stream, of as many samples as there are indices.

        StopIteration if the stream has ended.
        """
        if self.stream is not None:
            return self._next(self.stream, numbers)
        if not self.batched:
            return self.collate(self.dataset[numbers])
        if self.collate is default_collate:
            return batch_of(self.dataset, numbers)
        return self.collate(samples_of(self.dataset, numbers))

    def _next(self, stream: Iterator[Any], numbers: Any) -> Any:
        if not self.batched:
            return self.collate(next(stream))
        samples = list(islice(stream, len(numbers)))
        if not samples or (self.drop_last and len(samples) < len(numbers)):
            raise StopIteration
        return self.collate(samples)
