"""Checkpoints that ranks write together: read by another number of ranks, and gone on with bit by bit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import minigrad as mg
from minigrad.distributed import checkpoint

from .ranks import PROGRAMS, Ended, environment_of_ranks, needs_mpi, run

PROGRAM = str(PROGRAMS / "restarting.py")


def digests(ended: Ended) -> list[str]:
    assert ended.status == 0, ended.said
    return [json.loads(line)["digest"] for line in ended.out.splitlines() if line.startswith('{"digest"')]


def test_what_was_saved_is_loaded_in_place(tmp_path: Path) -> None:
    net, optimizer = _trained(3)
    checkpoint.save({"net": net, "optimizer": optimizer, "epoch": 7, "x": mg.ones(2)}, checkpoint_id=tmp_path / "a")
    other, its = _trained(1)
    x = mg.zeros(2)
    whole = {"net": other, "optimizer": its, "epoch": 0, "x": x}
    checkpoint.load(whole, checkpoint_id=tmp_path / "a")
    assert whole["epoch"] == 7
    assert x.tolist() == [1, 1]
    for mine, theirs in zip(net.parameters(), other.parameters(), strict=True):
        assert mg.equal(mine, theirs)
    assert mg.equal(
        optimizer.state_dict()["state"][0]["exp_avg"],
        its.state_dict()["state"][0]["exp_avg"],
    )


def _trained(steps: int) -> tuple[mg.nn.Module, mg.optim.Optimizer]:
    mg.manual_seed(steps)
    net = mg.nn.Linear(2, 2)
    optimizer = mg.optim.Adam(net.parameters())
    for _ in range(steps):
        net(mg.randn(3, 2)).square().sum().backward()
        optimizer.step()
    return net, optimizer


def test_what_does_not_fit_is_said(tmp_path: Path) -> None:
    checkpoint.save({"a": mg.ones(2)}, checkpoint_id=tmp_path / "a")
    with pytest.raises(RuntimeError, match="Missing key in checkpoint state_dict: b"):
        checkpoint.load({"b": mg.ones(2)}, checkpoint_id=tmp_path / "a")
    with pytest.raises(RuntimeError, match=r"a: \(3,\) was asked for, the checkpoint has \(2,\)"):
        checkpoint.load({"a": mg.ones(3)}, checkpoint_id=tmp_path / "a")
    with pytest.raises(ValueError, match="is no checkpoint"):
        checkpoint.read(tmp_path)


def test_one_that_was_interrupted_is_not_taken_for_one(tmp_path: Path) -> None:
    net, _ = _trained(1)
    for step in range(4):
        checkpoint.save_step(tmp_path, step, net=net)
    assert [each.name for each in sorted(tmp_path.iterdir())] == ["step-00000002", "step-00000003"]
    (tmp_path / "step-00000003").rename(tmp_path / "step-00000003.partial")
    assert checkpoint.resume(tmp_path, net=net) == 3


@needs_mpi
def test_a_job_that_failed_goes_on_bit_by_bit(tmp_path: Path) -> None:
    more = ["--zero"]
    whole = digests(run(2, PROGRAM, str(tmp_path / "whole"), "8", *more))
    failed = run(2, PROGRAM, str(tmp_path / "parts"), "8", "--fail", "7", *more)
    assert failed.status != 0
    assert "the power is gone" in failed.said
    assert digests(run(2, PROGRAM, str(tmp_path / "parts"), "8", "--resume", *more)) == whole


@needs_mpi
def test_four_ranks_write_a_part_each_and_one_and_two_read_it(tmp_path: Path) -> None:
    folder = str(tmp_path / "run")
    (written,) = digests(run(4, PROGRAM, folder, "3", "--zero"))
    (last,) = Path(folder).iterdir()
    assert sorted(each.name for each in last.iterdir()) == [f"{rank}.safetensors" for rank in range(4)] + ["index.json"]
    assert digests(run(2, PROGRAM, folder, "3", "--zero", "--resume", "--digest-of-start"))[0] == written
    command = [sys.executable, PROGRAM, folder, "3", "--resume", "--digest-of-start"]
    alone = subprocess.run(command, env=environment_of_ranks(), capture_output=True, text=True, timeout=120)
    assert json.loads(alone.stdout.splitlines()[0])["digest"] == written, alone.stderr
