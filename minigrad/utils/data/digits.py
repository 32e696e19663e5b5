"""Handwritten digits: 1,797 images of 8 by 8 pixels, shipped with minigrad. ``digits.txt`` names the source."""

from __future__ import annotations

import gzip
from pathlib import Path

from ... import dtypes
from ...core.tensor import Tensor
from ...ops.create.factories import tensor
from .dataset import TensorDataset

FILE = Path(__file__).with_name("digits.csv.gz")
COUNT, PIXELS, BRIGHTEST = 1797, 64, 16


def digits(flat: bool = True, scaled: bool = True) -> TensorDataset:
    """Return the dataset (images, labels): float32 (1797, 64), or (1797, 1, 8, 8) unless `flat`, and int64, 0 to 9.

    Pixels go from 0 (paper) to 1 (ink); unless `scaled`, to 16, as published.

    >>> pictures, labels = digits().tensors
    >>> pictures.shape, labels[:10]
    (minigrad.Size([1797, 64]), tensor([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]))
    """
    rows = _rows()
    pictures: Tensor = rows[:, :PIXELS].to(dtypes.float32)
    if scaled:
        pictures = pictures / BRIGHTEST
    if not flat:
        pictures = pictures.reshape(COUNT, 1, 8, 8)
    return TensorDataset(pictures, rows[:, PIXELS])


def _rows() -> Tensor:
    """Return one image per row: 64 pixels, then the label."""
    with gzip.open(FILE, "rt", encoding="ascii") as file:
        return tensor([[int(number) for number in line.split(",")] for line in file])
