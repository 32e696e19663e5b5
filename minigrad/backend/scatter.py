"""Add slices of an array where a list of positions says, also where it names one position several times.

`np.add.at` adds one number after the other, and is fast only for one index into a vector. So slices are added as
elements of the flat array, and two floats at a time, as one complex number. Large slices are added whole. Of many
elements SciPy, if it is installed, adds whole rows: they are the product with a matrix that has one 1 per row.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

LARGE_SLICE = 1024
"""Slices with at least this many elements are added one by one."""

MANY = 1 << 16
"""From this many elements on, SciPy saves more than it costs; ``import scipy.sparse`` takes 0.2 s, once."""

PAIRS = {"f": np.complex64, "d": np.complex128}
"""The complex dtype that holds two floats of a dtype."""


def add_at(target: Any, index: tuple[Any, ...], source: Any) -> None:
    """Compute ``target[index] += source`` so that an index that occurs several times is added each time."""
    *before, where = index
    axis = len(before)
    if (
        source.size
        and target.ndim > 1
        and target.flags.c_contiguous
        and where.__class__ is np.ndarray
        and where.dtype.kind in "iu"
        and all(each.__class__ is slice and each == slice(None) for each in before)
        and source.shape == target.shape[:axis] + where.shape + target.shape[axis + 1 :]
    ):
        add_slices(target, axis, where.reshape(-1), source)
    else:
        np.add.at(target, index, source)


def add_slices(target: Any, axis: int, where: Any, source: Any) -> None:
    """Compute ``target[..., where] += source`` along `axis`, for contiguous memory and a vector of positions."""
    lead, count, size = math.prod(target.shape[:axis]), target.shape[axis], math.prod(target.shape[axis + 1 :])
    where = where.astype(np.intp, copy=False)
    if where.min() < 0:
        where = where % count
    slices, added = target.reshape(lead, count, size), source.reshape(lead, where.size, size)
    if lead == 1 and MANY <= source.size >= target.size and target.dtype.char in PAIRS and (csc := sparse_matrix()):
        ones, ends = np.ones(where.size, target.dtype), np.arange(where.size + 1)
        slices[0] += csc((ones, where, ends), shape=(count, where.size)) @ added[0]
    elif lead * size >= LARGE_SLICE:
        for number, at in enumerate(where.tolist()):
            slices[:, at] += added[:, number]
    else:
        add_elements(slices, where, np.ascontiguousarray(added))


def add_elements(slices: Any, where: Any, added: Any) -> None:
    """Add `added` (lead, n, size) at ``slices[:, where]``, as elements of vectors."""
    if not slices.shape[2] % 2 and slices.dtype.char in PAIRS:
        slices, added = [each.view(PAIRS[slices.dtype.char]) for each in (slices, added)]
    lead, count, size = slices.shape
    places = where if size == 1 else where[:, None] * size + np.arange(size)
    if lead > 1:
        places = np.arange(0, lead * count * size, count * size)[:, None] + places.reshape(-1)
    np.add.at(slices.reshape(-1), places.reshape(-1), added.reshape(-1))


@functools.cache
def sparse_matrix() -> Any:
    """Return SciPy's class of matrices that are stored by column, or None where SciPy is not installed."""
    try:
        from scipy.sparse import csc_array
    except ImportError:
        return None
    return csc_array
