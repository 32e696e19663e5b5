"""The workloads, one in each file."""

from __future__ import annotations

from ..row import Row
from . import (
    chain,
    cnn,
    ew,
    gpt,
    growth,
    hvp,
    imports,
    memory,
    mlp,
    programs,
    recorded,
    scalar,
    silence,
    torch_watched,
    watched,
)

ROWS: list[Row] = [
    *chain.ROWS,
    *mlp.ROWS,
    *gpt.ROWS,
    *cnn.ROWS,
    *programs.ROWS,
    *ew.ROWS,
    *hvp.ROWS,
    *scalar.ROWS,
    *imports.ROWS,
    *memory.ROWS,
    *silence.ROWS,
    *recorded.ROWS,
    *watched.ROWS,
    *torch_watched.ROWS,
    *growth.ROWS,
]


def find(name: str) -> Row:
    """The row of this name."""
    return next(row for row in ROWS if row.name == name)
