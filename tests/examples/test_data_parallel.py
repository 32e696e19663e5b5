"""The example with ranks, as a launcher runs it: two processes that train together, each recorded for itself.

MPI is stood in for (`stand_in`), except in the last test, which needs a real one; the program, what it reduces and the
recording of it are the real ones.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minigrad as mg
import minigrad.examples.mpi
from minigrad import nn
from tests.distributed.ranks import needs_mpi, run
from tests.observe.helpers import Record, array, of_type

ROOT = Path(__file__).parents[2]
STAND_IN = Path(__file__).with_name("stand_in")
PROGRAM = Path(minigrad.examples.mpi.__file__).with_name("data_parallel.py")
SIZE, STEPS = 2, 3

Ranks = list[list[Record]]


@pytest.fixture(scope="module")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> Ranks:
    """The records of each rank."""
    folder = tmp_path_factory.mktemp("ranks")
    programs = [_started(rank, folder) for rank in range(SIZE)]
    for program in programs:
        said, complained = program.communicate(timeout=120)
        assert program.returncode == 0, said + complained
    traces = [(folder / f"rank{rank}.jsonl").read_text() for rank in range(SIZE)]
    return [[json.loads(line) for line in trace.splitlines()] for trace in traces]


def _started(rank: int, folder: Path) -> subprocess.Popen[str]:
    search = os.pathsep.join(map(str, (STAND_IN, ROOT, ROOT / "webui")))
    launch = {"RANK": str(rank), "WORLD_SIZE": str(SIZE), "MINIGRAD_LAUNCH": "together", "MEETING": str(folder)}
    command = ["run", "--headless", "--values", "all", "--record", "rank{rank}.jsonl", str(PROGRAM)]
    return subprocess.Popen(
        [sys.executable, "-m", "minigrad", *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": search, **launch},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def reduced(records: list[Record]) -> list[Record]:
    return of_type(records, "collective_ran")


def own_gradients(records: list[Record], step: int) -> dict[int, Any]:
    """What backward brought each leaf in this step, before anything was reduced."""
    arrived = [r for r in of_type(records, "grad_accumulated") if r["step"] == step and r.get("leaf") is not None]
    return {record["leaf"]: array(record["total"]) for record in arrived}


def test_every_rank_tells_of_one_all_reduce_a_step_between_backward_and_the_optimiser(ranks: Ranks) -> None:
    for records in ranks:
        assert [record["step"] for record in reduced(records)] == list(range(STEPS))
        order = [r["type"] for r in of_type(records, "backward_finished", "collective_ran", "step_taken")]
        assert order == ["backward_finished", "collective_ran", "step_taken"] * STEPS


def test_it_says_who_reduced_what_and_how(ranks: Ranks) -> None:
    for rank, records in enumerate(ranks):
        names = {record["id"]: record["name"] for record in of_type(records, "tensor")}
        for record in reduced(records):
            assert (record["kind"], record["reduction"], record["grads"]) == ("all_reduce", "mean", True)
            assert record["rank"] == rank
            assert [names[tensor] for tensor in record["tensors"]] == ["weight", "bias"]
            assert record["sizes"] == [4, 4]
            finished = [r for r in of_type(records, "backward_finished") if r["step"] == record["step"]]
            assert 0 < record["seconds"] <= record["t"] - finished[-1]["t"]


def test_before_is_what_this_ranks_backward_gave_and_after_is_the_mean_of_all_of_them(ranks: Ranks) -> None:
    for step in range(STEPS):
        told = [reduced(records)[step] for records in ranks]
        before = [[array(value) for value in record["before"]] for record in told]
        for records, record, mine in zip(ranks, told, before, strict=True):
            given = own_gradients(records, step)
            for tensor, value in zip(record["tensors"], mine, strict=True):
                np.testing.assert_array_equal(value, given[tensor])
        assert abs(before[0][0] - before[1][0]).item() > 1e-3, "each rank has its own part of the points"
        for place in range(2):
            mean = np.mean([mine[place] for mine in before], axis=0)
            for record in told:
                np.testing.assert_allclose(array(record["after"][place]), mean, rtol=1e-6)


def test_the_optimisers_of_all_ranks_write_the_same(ranks: Ranks) -> None:
    written = [[array(r["value"]).item() for r in of_type(records, "mutated")] for records in ranks]
    assert len(written[0]) >= 2 * STEPS
    assert written[0] == written[1]


def test_the_runs_know_that_they_belong_together(ranks: Ranks) -> None:
    found = [(r[0]["type"], r[0]["rank"], r[0]["world_size"], r[0]["launch"]) for r in ranks]
    assert found == [("run_started", rank, SIZE, "together") for rank in range(SIZE)]


def test_its_source_can_be_read_beside_its_lanes(ranks: Ranks) -> None:
    for records in ranks:
        (source,) = of_type(records, "source")
        assert source["text"] == PROGRAM.read_text()


@needs_mpi
def test_a_real_mpi_gives_what_one_process_with_all_the_points_gives(tmp_path: Path) -> None:
    command = ["-m", "minigrad", "run", "--headless", "--values", "all", "--record", "rank{rank}.jsonl", str(PROGRAM)]
    ended = run(SIZE, *command, cwd=tmp_path)
    assert ended.status == 0, ended.said
    traces = [(tmp_path / f"rank{rank}.jsonl").read_text().splitlines() for rank in range(SIZE)]
    ranks = [[json.loads(line) for line in trace] for trace in traces]
    assert [(r[0]["rank"], r[0]["world_size"]) for r in ranks] == [(rank, SIZE) for rank in range(SIZE)]
    assert ranks[0][0]["launch"] == ranks[1][0]["launch"]

    mg.manual_seed(0)
    x = mg.linspace(-1, 1, 32).reshape(-1, 1)
    model = nn.Linear(1, 1)
    ((model(x) - (3 * x - 1)) ** 2).mean().backward()
    for records in ranks:
        after = [array(value) for value in reduced(records)[0]["after"]]
        for mine, parameter in zip(after, model.parameters(), strict=True):
            np.testing.assert_allclose(mine.ravel(), parameter.grad.numpy().ravel(), rtol=1e-5)
