"""Training at 1, 2 and 4 ranks gives the gradients of one process; the same program runs on PyTorch."""

from __future__ import annotations

import pytest

from .ranks import checks_of, needs_mpi, outcomes, outcomes_on_pytorch

CHECKS = checks_of("training")


@pytest.mark.parametrize("name", CHECKS)
def test_alone_without_mpi(name: str) -> None:
    assert outcomes("training", 1)[name] == [""]


@needs_mpi
@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("name", CHECKS)
def test_on_ranks(name: str, size: int) -> None:
    for trouble in outcomes("training", size)[name]:
        assert not trouble, trouble


@pytest.mark.parity
@pytest.mark.parametrize("name", CHECKS)
def test_the_same_program_on_pytorch(name: str) -> None:
    pytest.importorskip("torch")
    for trouble in outcomes_on_pytorch("training", 2)[name]:
        assert not trouble, trouble
