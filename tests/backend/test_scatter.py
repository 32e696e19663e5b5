"""Slices are added where a list of positions says, by whichever of the ways is quick for their sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from minigrad.backend import scatter

SIZES = ((3, 4, 2), (1, 5, 3), (1, 7, 1), (2, 3, 1100), (1, 50, 64), (4, 6, 1))
"""(lead, count, size): positions are along the middle dimension."""


@pytest.mark.parametrize("kind", ["float32", "float64", "complex64", "int64", "uint8"])
@pytest.mark.parametrize(("lead", "count", "size"), SIZES)
def test_every_way_adds_what_add_at_adds(lead: int, count: int, size: int, kind: str) -> None:
    random = np.random.default_rng(0)
    for positions in ((0,), (1,), (9,), (2, 3), (1100,)):
        if size > 1000 and positions == (1100,):
            continue
        where = random.integers(-count, count, positions)
        source = random.integers(0, 9, (lead, *positions, size)).astype(kind)
        target = random.integers(0, 9, (lead, count, size)).astype(kind)
        wanted = target.copy()
        key: Any = (slice(None), where)
        np.add.at(wanted, key, source)
        found = target.copy()
        scatter.add_at(found, key, source)
        assert np.array_equal(found, wanted)
        turned = np.asfortranarray(target)
        scatter.add_at(turned, (slice(None), where.astype("int8")), source)
        assert np.array_equal(turned, wanted)


def test_scipy_adds_many_rows_in_the_same_order_and_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    where = random.integers(-60, 60, 2000)
    rows = random.standard_normal((2000, 40)).astype(np.float32)
    rows[5, 3], rows[6, 4] = np.nan, np.inf
    found = []
    for matrix in (scatter.sparse_matrix, lambda: None):
        monkeypatch.setattr(scatter, "sparse_matrix", matrix)
        table = np.zeros((60, 40), np.float32)
        scatter.add_at(table, (where,), rows)
        found.append(table)
    assert np.array_equal(found[0], found[1], equal_nan=True)
    assert np.isnan(found[0]).sum() == 1
