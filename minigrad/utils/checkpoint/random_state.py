"""Save and restore the state of random number generators, so that a second run draws the same numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...core.tensor import Tensor
from ...ops.random.generator import generator_for, keep_states, put_back


@contextmanager
def same_random_numbers(states: Any) -> Iterator[None]:
    """Inside, random numbers are drawn from `states` on; afterwards the generators have their old states again."""
    if states is None:
        yield
        return
    before = keep_states()
    put_back(states)
    try:
        yield
    finally:
        put_back(before)


def get_device_states(*args: Any) -> tuple[list[Any], list[Any]]:
    """Return the GPUs that hold tensors in `args`, and the states of their generators, for `set_device_states`."""
    devices = list({each.device for each in args if isinstance(each, Tensor) and each.device.type != "cpu"})
    return devices, [generator_for(each).get_state() for each in devices]


def set_device_states(devices: Any, states: Any, *, device_type: str | None = None) -> None:
    """Restore the generators of `devices` to `states`."""
    for each, state in zip(devices, states, strict=True):
        generator_for(each).set_state(state)
