"""The same random numbers again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...ops.random.generator import keep_states, put_back


@contextmanager
def same_random_numbers(states: Any) -> Iterator[None]:
    """Inside, random numbers come as they came from `states` on; afterwards the generators are where they were."""
    if states is None:
        yield
        return
    before = keep_states()
    put_back(states)
    try:
        yield
    finally:
        put_back(before)
