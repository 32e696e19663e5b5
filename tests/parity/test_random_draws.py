"""Random sequences of draws give the same numbers on minigrad and on PyTorch, and leave the generators alike.

``MINIGRAD_PARITY_DRAWS=100000 pytest tests/parity/test_random_draws.py`` hunts for longer.
"""

from __future__ import annotations

import math
import os
import struct
from typing import Any

import numpy as np
import pytest

import minigrad as mg

from .draws import NOT_BY_TWISTER, Draws
from .mkl import draws_by_mkl

torch = pytest.importorskip("torch", reason="compares with PyTorch: pip install 'minigrad-live[parity]'")
pytestmark = pytest.mark.parity

PROGRAMS = int(os.environ.get("MINIGRAD_PARITY_DRAWS", "150"))
LENGTH = 12
NORMALS = ("normal", "randn", "exponential", "cauchy", "geometric", "init", "functional", "complex")
KEPT_NORMAL = 5024
"""Where it stands in the bytes of a state."""

OTHERS = NOT_BY_TWISTER if draws_by_mkl() else ()


@pytest.mark.parametrize("part", range(10))
def test_a_random_sequence_of_draws_gives_the_same_numbers_on_both(part: int) -> None:
    for number in range(part, PROGRAMS, 10):
        program = [each for each in Draws(number).program(LENGTH) if not any(name in each for name in OTHERS)]
        compare(number, program)


def compare(seed: int, program: list[str]) -> None:
    """Run a sequence on both, draw by draw."""
    generators = mg.Generator().manual_seed(seed), torch.Generator().manual_seed(seed)
    mg.manual_seed(seed + 1)
    torch.manual_seed(seed + 1)
    for draw in program:
        ours, theirs = (eval(draw, {"t": t, "g": g}) for t, g in zip((mg, torch), generators, strict=True))
        said = f"sequence {seed}, {draw}:\nminigrad {ours}\ntorch    {theirs}\nof {program}"
        assert alike(ours, theirs, exact=not any(name in draw for name in NORMALS)), said
        for mine, its in ((mg.default_generator, torch.default_generator), generators):
            assert states_alike(mine, its), f"the state, after {said}"


def states_alike(ours: Any, theirs: Any) -> bool:
    """The same bytes; but the normal number that is kept for the next draw comes of functions, as the drawn ones do."""
    a, b = (bytearray(each.get_state().numpy().tobytes()) for each in (ours, theirs))
    kept = [struct.unpack_from("<d", each, KEPT_NORMAL)[0] for each in (a, b)]
    for each in (a, b):
        each[KEPT_NORMAL : KEPT_NORMAL + 8] = bytes(8)
    return a == b and math.isclose(*kept, rel_tol=1e-12)


def alike(ours: Any, theirs: Any, exact: bool) -> bool:
    """Bits of integers and uniforms, 1e-6 of numbers that functions were taken of."""
    if not isinstance(theirs, torch.Tensor):
        return bool(ours == theirs)
    half = theirs.dtype in (torch.float16, torch.bfloat16)
    a, b = (np.asarray((x.float() if half else x).detach()) for x in (ours, theirs))
    if a.shape != b.shape or str(ours.dtype).split(".")[1] != str(theirs.dtype).split(".")[1]:
        return False
    if exact:
        return np.array_equal(a, b)
    return bool(np.allclose(a, b, rtol=1e-2, atol=1e-2) if half else np.allclose(a, b, rtol=1e-6, atol=1e-6))


@pytest.mark.parametrize("draws", [0, 1, 5, 623, 624, 625])
def test_a_state_of_pytorch_goes_in_and_comes_out(draws: int) -> None:
    torch.manual_seed(3)
    torch.rand(draws)
    torch.randn(3)
    mg.set_rng_state(mg.tensor(torch.get_rng_state().numpy()))
    assert mg.randn(20).numpy() == pytest.approx(torch.randn(20).numpy(), abs=1e-6)
    torch.set_rng_state(torch.from_numpy(mg.get_rng_state().numpy()))
    assert torch.rand(5).tolist() == mg.rand(5).tolist()
