"""The examples at 2 and 4 ranks come to the losses of one process, and the same files do on PyTorch."""

from __future__ import annotations

import re

import pytest

from .ranks import checks_of, needs_mpi, outcomes, outcomes_on_pytorch, run

CHECKS = checks_of("examples")


@pytest.mark.parametrize("name", CHECKS)
def test_alone_without_mpi(name: str) -> None:
    assert outcomes("examples", 1)[name] == [""]


@needs_mpi
@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("name", CHECKS)
def test_on_ranks(name: str, size: int) -> None:
    for trouble in outcomes("examples", size)[name]:
        assert not trouble, trouble


@pytest.mark.parity
@pytest.mark.parametrize("name", CHECKS)
def test_the_same_program_on_pytorch(name: str) -> None:
    pytest.importorskip("torch")
    for trouble in outcomes_on_pytorch("examples", 2)[name]:
        assert not trouble, trouble


@needs_mpi
def test_the_command_in_the_documentation(tmp_path) -> None:
    record = str(tmp_path / "{rank}.jsonl")
    command = ["-m", "minigrad", "run", "--headless", "--values", "none", "--record", record]
    ended = run(4, *command, "-m", "minigrad.examples.mlp", "--distributed")
    assert ended.status == 0, ended.said
    assert ended.out.count("loss ") == 4
    for rank in range(4):
        assert '"collective_ran"' in (tmp_path / f"{rank}.jsonl").read_text()


@needs_mpi
def test_the_ring_of_lesson_13_sums_on_real_ranks() -> None:
    ended = run(4, "-m", "minigrad.examples.mpi.ring")
    assert ended.status == 0, ended.said
    assert ended.out.startswith("4 ranks, sum [600.0, 604.0,")


@needs_mpi
def test_a_pipeline_of_two_stages_comes_to_the_losses_of_one_process() -> None:
    ended = run(2, "-m", "minigrad.examples.mpi.pipeline")
    assert ended.status == 0, ended.said
    told = re.search(r"loss ([\d.]+) to ([\d.]+); at most (\S+) from one process", ended.out)
    assert told, ended.said
    first, last, apart = map(float, told.groups())
    assert last < 0.8 * first and apart < 1e-5


@needs_mpi
def test_a_pipeline_of_another_number_of_ranks_says_how_to_start_it() -> None:
    ended = run(3, "-m", "minigrad.examples.mpi.pipeline")
    assert ended.status != 0 and "two stages need two ranks" in ended.said
