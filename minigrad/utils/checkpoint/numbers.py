"""The same random numbers again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...ops.random import get_rng_state, set_rng_state


@contextmanager
def same_random_numbers(state: Any) -> Iterator[None]:
    """Inside, random numbers come as they came from `state` on; afterwards the generator is where it was."""
    if state is None:
        yield
        return
    before = get_rng_state()
    set_rng_state(state)
    try:
        yield
    finally:
        set_rng_state(before)
