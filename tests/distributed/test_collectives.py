"""Collectives at 1, 2 and 4 ranks, and the same program on PyTorch."""

from __future__ import annotations

import importlib

import pytest

import minigrad as mg
from minigrad import distributed as dist

from .ranks import checks_of, needs_mpi, outcomes, outcomes_on_pytorch

CHECKS = checks_of("collectives")


@pytest.mark.parametrize("name", CHECKS)
def test_alone_without_mpi(name: str) -> None:
    assert outcomes("collectives", 1)[name] == [""]


@needs_mpi
@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("name", CHECKS)
def test_on_ranks(name: str, size: int) -> None:
    for trouble in outcomes("collectives", size)[name]:
        assert not trouble, trouble


@pytest.mark.parity
@pytest.mark.parametrize("name", CHECKS)
def test_the_same_program_on_pytorch(name: str) -> None:
    pytest.importorskip("torch")
    for trouble in outcomes_on_pytorch("collectives", 2)[name]:
        assert not trouble, trouble


def test_before_the_group_is_made_everything_says_so() -> None:
    for call in (dist.get_rank, dist.get_world_size, dist.barrier, lambda: dist.all_reduce(mg.ones(2))):
        with pytest.raises(ValueError, match="Default process group has not been initialized"):
            call()


def test_a_group_cannot_be_of_another_kind_or_size() -> None:
    with pytest.raises(ValueError, match="Invalid backend: 'carrier pigeon'"):
        dist.init_process_group("carrier pigeon")
    with pytest.raises(ValueError, match="world_size=4 was asked for, but the launcher gave this process world_size 1"):
        dist.init_process_group(rank=0, world_size=4)
    assert not dist.is_initialized()


def test_torchruns_processes_are_told_how_to_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module("minigrad.distributed.group")._Begun, "transport", None)
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(RuntimeError, match="mpiexec -n 2 python"):
        dist.init_process_group("gloo")
