"""The same program prints the same losses on minigrad and on PyTorch, from the seed alone."""

from __future__ import annotations

from typing import Any

import pytest

import minigrad as mg

from .mkl import draws_by_mkl
from .seeded_programs import PROGRAMS

torch = pytest.importorskip("torch", reason="compares with PyTorch: pip install 'minigrad-live[parity]'")
pytestmark = pytest.mark.parity


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_seed_alone_gives_the_same_losses_on_both(program: Any) -> None:
    if draws_by_mkl():
        pytest.skip("this PyTorch draws bernoulli_ and exponential_ with MKL's generator, whose numbers are others")
    mg.manual_seed(0)
    torch.manual_seed(0)
    ours, theirs = program(mg), program(torch)
    assert ours == pytest.approx(theirs, rel=1e-4, abs=1e-4)
    assert len(set(theirs)) > 3, "the losses do not move: the program trains nothing"
    assert mg.rand(1).item() == torch.rand(1).item(), "one of the two drew more"
