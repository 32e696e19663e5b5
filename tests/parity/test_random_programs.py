"""Random programs come out the same on minigrad and on PyTorch: values, gradients, flags, versions, exceptions."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minigrad as mg

from .programs import Instruction, Run, instructions

torch = pytest.importorskip("torch", reason="compares with PyTorch: pip install 'minigrad-live[parity]'")
pytestmark = pytest.mark.parity

PROGRAMS = int(os.environ.get("MINIGRAD_PARITY_PROGRAMS", "300"))
number = st.floats(-1, 1, allow_nan=False, width=32).map(lambda v: round(v, 3))
matrix = st.lists(st.lists(number, min_size=3, max_size=3), min_size=2, max_size=2)


@settings(
    max_examples=PROGRAMS, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), print_blob=False
)
@given(
    values=st.tuples(matrix, matrix), program=st.lists(instructions(), min_size=1, max_size=9), order=st.integers(1, 2)
)
def test_a_random_program_gives_the_same_on_both(values: Any, program: list[Instruction], order: int) -> None:
    ours = Run(mg, list(values)).run(program, order)
    theirs = Run(torch, list(values)).run(program, order)
    assert close(ours, theirs), f"\nminigrad {ours}\ntorch    {theirs}"


def close(a: Any, b: Any) -> bool:
    """Equal, with room for rounding in numbers."""
    if isinstance(a, float) and isinstance(b, float):
        return a == b or abs(a - b) <= 2e-5 * max(1.0, abs(a), abs(b)) or (a != a and b != b)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(close(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)
