"""`minigrad explain`: questions about the gradients of a program."""

from __future__ import annotations

from pathlib import Path

import pytest

from minigrad.cli import main

from .conftest import Command

PROGRAM = """
import minigrad as mg
from minigrad import nn

print("running")
net = nn.Linear(2, 1)
w = mg.tensor(2.0, requires_grad=True)
cut = (w * 2).detach()
unused = mg.tensor(1.0, requires_grad=True)
loss = (w * w + cut + net(mg.ones(2)).sum())
loss.backward()
cleared = mg.tensor(1.0, requires_grad=True)
cost = cleared * cleared
cost.backward()
cleared.grad = None
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    (tmp_path / "program.py").write_text(PROGRAM)
    return str(tmp_path / "program.py")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("w", ["w.grad is 4", "2 contributions"]),
        ("unused", ["unused.grad is None"]),
        ("cut", ["cut.grad is None", "detach"]),
        ("net.weight", ["net.weight.grad is [1, 2]"]),
        ("cleared", ["cleared.grad is None, because it was cleared after backward"]),
    ],
)
def test_a_gradient_is_explained(program: str, name: str, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", program, name]) == 0
    said = capsys.readouterr()
    assert said.err == "running\n"
    for word in words:
        assert word in said.out


@pytest.mark.parametrize(
    ("name", "words"),
    [("v", "NameError"), ("net.wait", "wait"), ("1 +", "SyntaxError"), ("3", "int"), ("cleared.grad", "without .grad")],
)
def test_what_is_no_tensor_is_one_line_and_status_2(
    program: str, name: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", program, name]) == 2
    said = capsys.readouterr().err.removeprefix("running\n")
    assert words in said
    assert len(said.splitlines()) == 1


FAULTY = """
import LIBRARY as torch
from LIBRARY import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
x, y = torch.randn(16, 4), torch.randn(16, 1)
for _ in range(4):
    hidden = net[1](net[0](x)).detach()
    loss = nn.functional.mse_loss(net[2](hidden), y)
    loss.backward()
    optimizer.step()
    print(loss.item())
"""


LAYERS = """
import minigrad as mg
from minigrad import nn

class Layer:
    def __init__(self):
        self.gains = [mg.ones(2, requires_grad=True)]
    def __call__(self, x):
        for gain in self.gains:
            x = x * gain
        return x

layers = [Layer(), Layer()]
x = mg.ones(2)
for layer in layers:
    x = layer(x)
x.sum().backward()
net = nn.Sequential(nn.Linear(2, 1))
net(mg.ones(2)).sum().backward()
"""


@pytest.mark.parametrize("name", ["layers.1.gains[0]", "0.weight"])
def test_a_tensor_goes_by_the_name_that_the_explorer_gives_it(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "layers.py").write_text(LAYERS)
    assert main(["explain", str(tmp_path / "layers.py"), name]) == 0
    said = capsys.readouterr().out
    assert f"{name}.grad is [" in said
    assert "of norm 1.414: one contribution" in said


@pytest.mark.parametrize("library", ["minigrad", pytest.param("torch", marks=pytest.mark.parity)])
def test_without_a_name_it_says_what_is_wrong_with_the_program(minigrad: Command, tmp_path: Path, library: str) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed")
    script = tmp_path / "train.py"
    script.write_text(FAULTY.replace("LIBRARY", library))
    done = minigrad("explain", script)
    assert done.returncode == 0, done.stderr
    assert "0.weight, 0.bias never have a gradient: what is computed from them was detached" in done.stdout
    assert "train.py:10" in done.stdout
    assert "Gradients are not cleared" in done.stdout
    assert "train.py:12" in done.stdout

    script.write_text(
        FAULTY.replace("LIBRARY", library).replace(".detach()", "").replace("loss.b", "optimizer.zero_grad(); loss.b")
    )
    assert minigrad("explain", script).stdout == "Nothing wrong was found in 4 steps.\n"
