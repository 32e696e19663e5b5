"""Samplers: the order in which samples are taken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

from ... import dtypes
from ...errors import ArgumentError, ArgumentTypeError, MissingRuleError
from ...ops.create.factories import as_tensor, empty
from ...ops.random.distributions import Generator, multinomial, randint, randperm

Number = TypeVar("Number", covariant=True)

AT_ONCE = 1024
"""The number of indices that a sampler with replacement draws at a time."""


class Sampler(Generic[Number]):
    """The base class: define ``__iter__``, which yields indices of samples, or lists of them for a batch sampler.

    The base class does not define ``__len__``, since ``list(sampler)`` would call it.
    """

    def __iter__(self) -> Iterator[Number]:
        raise MissingRuleError(f"{type(self).__name__} needs a method __iter__(self)")


class SequentialSampler(Sampler[int]):
    """The indices from first to last."""

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Indices in random order: each once, or `num_samples` of them with `replacement`."""

    def __init__(
        self, data_source: Sized, replacement: bool = False, num_samples: int | None = None, generator: Any = None
    ) -> None:
        if not isinstance(replacement, bool):
            raise ArgumentTypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ArgumentError(
                f"num_samples should be a positive integer value, but got num_samples={self.num_samples}"
                + ("" if len(data_source) else ": the dataset is empty, there is nothing to shuffle")
            )

    @property
    def num_samples(self) -> int:
        """The number of indices in an epoch; by default, the present length of the data."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        count, generator, left = len(self.data_source), self.generator or _of_default(), self.num_samples
        while self.replacement and left > 0:
            yield from randint(0, count, (min(left, AT_ONCE),), generator=generator).tolist()
            left -= AT_ONCE
        while not self.replacement and left >= 0:  # PyTorch draws one more order for the 0 indices that are left
            yield from randperm(count, generator=generator).tolist()[:left]
            left -= count

    def __len__(self) -> int:
        return self.num_samples


def _of_default() -> Generator:
    """Return a new generator, seeded by the default one, so that two loaders used in turn do not affect each other."""
    return Generator().manual_seed(int(empty((), dtype=dtypes.int64).random_().item()))


class SubsetRandomSampler(Sampler[int]):
    """These indices in random order."""

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for i in randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """`num_samples` random indices, each with a probability proportional to its weight."""

    def __init__(self, weights: Any, num_samples: int, replacement: bool = True, generator: Any = None) -> None:
        self.weights = as_tensor(weights, dtype=dtypes.float64)
        if self.weights.ndim != 1:
            raise ArgumentError(
                f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}"
            )
        if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
            raise ArgumentError(f"num_samples should be a positive integer value, but got num_samples={num_samples}")
        if not isinstance(replacement, bool):
            raise ArgumentError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Batches of `batch_size` indices from another sampler; `drop_last` leaves out a last, shorter batch."""

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ArgumentError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ArgumentError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        batch: list[int] = []
        for number in self.sampler:
            batch.append(number)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self) -> int:
        count = len(self.sampler)  # type: ignore[arg-type]
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)
