"""A program of PyTorch's gives the records that the same program of minigrad's gives."""

from __future__ import annotations

import copy
import math
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import minigrad as mg

from ..helpers import of_type
from ..programs import energy_model
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


def test_samples_that_an_energy_model_draws_are_part_of_its_step() -> None:
    losses: list[float] = []
    taken = of_type(watched(lambda lib: losses.extend(energy_model(lib))), "step_taken")
    assert [record["loss"] for record in taken] == pytest.approx(losses)


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


def sparse_matrices(lib: Any) -> None:
    adjacent = lib.eye(4).to_sparse()
    w = lib.ones(4, 2, requires_grad=True)
    lib.spmm(adjacent, w).sum().backward()


def a_type_as_an_argument(lib: Any) -> None:
    w = lib.ones(2, requires_grad=True)
    (w * lib.ones(2).type(lib.FloatTensor)).sum().backward()


def a_view_whose_history_is_not_to_be_had(lib: Any) -> None:
    rows, w = lib.zeros(3, 2), lib.ones(2, requires_grad=True)
    with lib.no_grad():
        first = rows[0]
    rows[1] = w * 2
    with lib.no_grad():
        first.sum()
    with suppress(RuntimeError):  # PyTorch forbids it
        first.sum()
    rows[2].sum().backward()


@pytest.mark.parametrize(
    "program", [sparse_matrices, a_type_as_an_argument, a_view_whose_history_is_not_to_be_had], ids=lambda x: x.__name__
)
def test_what_is_seldom_met_is_recorded(program: Any) -> None:
    """Each of them once ended the recording of a program found in the wild."""
    assert of_type(watched(program), "backward_finished")


def test_a_copy_of_a_net_is_no_op_of_the_program() -> None:
    def program(lib: Any) -> None:
        net = torch.nn.Linear(2, 1)
        twin = copy.deepcopy(net)
        twin(torch.ones(1, 2).clone()).sum().backward()

    records = watched(program)
    assert [record["op"] for record in of_type(records, "node")] == ["Clone", "Affine", "Sum"]
    assert not of_type(records, "detached")


@pytest.mark.filterwarnings("ignore")  # of PyTorch's own
def test_what_is_compiled_is_one_box() -> None:
    from torch.nn import functional as F

    def program(lib: Any) -> None:
        net = lib.compile(lib.nn.Sequential(lib.nn.Linear(3, 4), lib.nn.ReLU(), lib.nn.Linear(4, 1)), backend="eager")
        tail = lib.compile(lambda h: lib.tanh(h) * 2, backend="aot_eager")
        for _ in range(2):
            tail(F.relu(net(lib.ones(2, 3)))).sum().backward()

    nodes = of_type(watched(program), "node")
    assert [each["op"] for each in nodes if each["recorded"]] == 2 * ["Compiled", "Relu", "Compiled", "Sum"]
    assert [len(each["inputs"]) for each in nodes[-4:]] == [5, 1, 1, 1], "the net takes x and its four parameters"


def test_what_pytorch_calls_while_it_traces_a_graph_is_not_the_programs() -> None:
    """Of what 2.4 calls then, some is given true tensors, or none, and returns stand-ins."""

    def program(lib: Any) -> None:
        w = lib.ones(2, requires_grad=True)
        with lib._guards.tracing(lib._guards.TracingContext(None)):
            (w.clone() * lib.ones(2)).sum()
        w.exp().sum().backward()

    assert [each["op"] for each in of_type(watched(program), "node")] == ["Exp", "Sum"]


def test_the_guide_has_the_table_of_functions_and_ops() -> None:
    from minigrad.observe.torch.ops import TABLE

    guide = Path(__file__).parents[3] / "webui" / "docs" / "pages" / "guides" / "watch-pytorch.md"
    lines = set(guide.read_text(encoding="utf-8").splitlines())
    for names, op in TABLE.items():
        if op != "Compiled":
            assert f"| {', '.join(f'`{name}`' for name in names.split())} | {op} |" in lines


def test_a_sparse_matrix_takes_what_its_elements_take() -> None:
    (saved,) = [each["saved"] for each in of_type(watched(sparse_matrices), "saved") if each["saved"][0]["bytes"] > 32]
    assert saved[0]["bytes"] == 4 * (4 + 2 * 8)


def test_it_is_told_what_an_older_pytorch_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that hands out what is kept only unpacked; what the program's own hooks pack is left alone."""
    from minigrad.observe.torch import saving

    def program(lib: Any) -> None:
        w = lib.ones(3, requires_grad=True)
        (w * lib.ones(3)).sum().backward()

    class Old:
        def __init__(self, node: Any) -> None:
            self._raw_saved_other, self._saved_other = object(), node._saved_other

    as_now = [each["saved"] for each in of_type(watched(program), "saved")]
    held = saving._held
    monkeypatch.setattr(
        saving, "_held", lambda node, name: held(Old(node) if name == "_raw_saved_other" else node, name)
    )
    assert len(as_now) == 1
    assert [[item["name"] for item in each["saved"]] for each in of_type(watched(program), "saved")] == [
        [item["name"] for item in each] for each in as_now
    ]
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
        assert not of_type(watched(program), "saved")


def test_a_gradient_asked_for_by_a_tensor_alone_moves_it_in_every_step() -> None:
    def program(lib: Any) -> None:
        w = lib.tensor([1.0, 2.0], requires_grad=True)
        for _ in range(3):
            (gradient,) = lib.autograd.grad((w * w).sum(), w)
            with lib.no_grad():
                w -= 0.5 * gradient

    for values in ("all", "auto"):
        taken = of_type(watched(program, values), "step_taken")
        assert [record["loss"] for record in taken] == [5.0, 0.0, 0.0]
        assert [record["grad_norm"] for record in taken] == pytest.approx([20**0.5, 0.0, 0.0])
