"""Data: datasets, loaders that make batches of them, and small problems to learn on without a network."""

from __future__ import annotations

from .collate import default_collate
from .dataset import ConcatDataset, Dataset, IterableDataset, Subset, TensorDataset, random_split
from .digits import digits
from .idx import read_idx
from .loader import DataLoader
from .sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from .synthetic import blobs, circles, moons, spirals, xor

__all__ = [
    "Dataset",
    "IterableDataset",
    "TensorDataset",
    "ConcatDataset",
    "Subset",
    "random_split",
    "DataLoader",
    "default_collate",
    "Sampler",
    "SequentialSampler",
    "RandomSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
    "BatchSampler",
    "moons",
    "spirals",
    "xor",
    "blobs",
    "circles",
    "digits",
    "read_idx",
]
