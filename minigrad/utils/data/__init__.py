"""Data: datasets, loaders that make batches of them, and small problems to learn on without a network connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...absent import absent_from
from . import dataloader, dataset, distributed, sampler
from .collate import default_collate, default_convert
from .dataloader import DataLoader
from .dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from .digits import digits
from .distributed import DistributedSampler
from .idx import read_idx
from .sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from .synthetic import blobs, circles, moons, spirals, xor
from .worker import get_worker_info

__all__ = [
    "Dataset",
    "IterableDataset",
    "TensorDataset",
    "ConcatDataset",
    "ChainDataset",
    "StackDataset",
    "Subset",
    "random_split",
    "DataLoader",
    "default_collate",
    "default_convert",
    "get_worker_info",
    "Sampler",
    "SequentialSampler",
    "RandomSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
    "BatchSampler",
    "DistributedSampler",
    "moons",
    "spirals",
    "xor",
    "blobs",
    "circles",
    "digits",
    "read_idx",
]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        raise absent_from(__name__, name)
