"""A program of PyTorch's gives the records that the same program of minigrad's gives."""

from __future__ import annotations

import math
import sys
from typing import Any

import pytest

import minigrad as mg

from ..helpers import of_type
from .helpers import graph, ours, torch, watched

pytestmark = pytest.mark.parity


def mlp(lib: Any) -> list[float]:
    lib.manual_seed(0)
    net = lib.nn.Sequential(lib.nn.Linear(3, 5), lib.nn.ReLU(), lib.nn.Linear(5, 2))
    optimizer = lib.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    x, y = lib.randn(4, 3), lib.tensor([0, 1, 0, 1])
    losses = []
    for _ in range(3):
        out = net(x)
        loss = lib.nn.functional.cross_entropy(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("step", [0, 1, 2])
def test_a_step_of_training_is_the_same_graph(step: int) -> None:
    mine, theirs = graph(ours(mlp), step), graph(watched(mlp), step)
    assert theirs == mine
    assert [node[0] for node in theirs] == ["Affine", "Relu", "Affine", "CrossEntropy"]


def test_the_same_gradients_arrive_at_the_same_leaves() -> None:
    for step in range(3):
        arrived = [
            {
                (each["input"], each["shape"][0]): pytest.approx(each["value"]["norm"], rel=1e-4)
                for each in of_type(records, "grad_computed")
                if each["step"] == step
            }
            for records in (ours(mlp), watched(mlp))
        ]
        assert arrived[0].keys() == arrived[1].keys()
        assert all(arrived[1][key] == arrived[0][key].expected for key in arrived[0])


def test_steps_say_their_losses_and_norms() -> None:
    told = [
        [(each["optimizer"], each["loss"], each["grad_norm"]) for each in of_type(records, "step_taken")]
        for records in (ours(mlp), watched(mlp))
    ]
    assert [each[0] for each in told[1]] == ["SGD", "SGD", "SGD"]
    for mine, theirs in zip(*told, strict=True):
        assert theirs[1:] == pytest.approx(mine[1:], rel=1e-4)


def test_what_the_nodes_save_is_said_by_their_arguments() -> None:
    records = watched(mlp)
    names = {each["id"]: each["op"] for each in of_type(records, "node")}
    saved: dict[str, set[str]] = {}
    for each in of_type(records, "saved"):
        saved.setdefault(names[each["node"]], set()).update(item["name"] for item in each["saved"])
    assert saved["Affine"] == {"input", "weight"}
    assert saved["Relu"] == {"out"}
    assert {each["node"] for each in of_type(records, "released")} == set(names)


def test_the_lines_are_the_programs_own() -> None:
    records = watched(mlp)
    assert {each["at"]["function"] for each in of_type(records, "node", "backward_started")} == {"mlp"}
    assert [each["name"] for each in of_type(records, "node")[-1]["outputs"]] == ["loss"]


def test_it_can_be_drawn() -> None:
    titles = [box.title for box in mg.observe.draw(watched(mlp)).picture.ordered()]
    assert [title for title in titles if title in ("Affine", "Relu", "CrossEntropy")] == [
        "Affine",
        "Relu",
        "Affine",
        "CrossEntropy",
    ]


def test_watch_takes_the_module_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr(sys.modules["minigrad.observe.watch"], "_publisher", lambda *given: (None, None))
    trace = tmp_path / "run.jsonl"
    with mg.watch(torch, record=trace) as watching:
        mlp(torch)
    assert watching.recorder.framework.name == "torch"
    assert [each[0] for each in graph(mg.observe.read(trace).records)] == ["Affine", "Relu", "Affine", "CrossEntropy"]
    with pytest.raises(mg.errors.ArgumentTypeError, match="The tensors of math cannot be watched"):
        mg.watch(math)


def test_what_a_loader_does_for_each_sample_is_not_shown() -> None:
    from torch.utils.data import DataLoader, Dataset

    class Samples(Dataset):  # type: ignore[misc, type-arg, unused-ignore]
        def __len__(self) -> int:
            return 8

        def __getitem__(self, index: int) -> Any:
            return torch.ones(3) * index

    def program(lib: Any) -> None:
        net = lib.nn.Linear(3, 1)
        for x in DataLoader(Samples(), batch_size=4):
            net(x).sum().backward()

    assert [each["op"] for each in of_type(watched(program), "node")] == ["Affine", "Sum", "Affine", "Sum"]
