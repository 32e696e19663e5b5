"""The examples learn, and with ``import torch`` in place of minigrad they come to the same losses."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

import minigrad.examples

FOLDER = Path(minigrad.examples.__file__).parent
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")
# What a net that guesses would score: ln 10, ln 96 letters, 64 pixels at ln 2.
STEPS = 25
CHANCE = {"mlp": 2.30, "cnn": 2.30, "lstm": 4.5, "gpt": 4.5, "vae": 44.4}


def on_torch(name: str) -> ModuleType:
    """The example as it would be if its author had imported PyTorch."""
    source = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    assert source.count("import minigrad as torch\n") == 1
    module = ModuleType(name)
    exec(compile(source.replace("import minigrad as torch\n", "import torch\n"), name, "exec"), module.__dict__)
    return module


@pytest.mark.parametrize("name", NAMES)
def test_it_learns(name: str) -> None:
    example = importlib.import_module(f"minigrad.examples.{name}")
    minigrad.manual_seed(0)
    losses = example.train(example.make(), STEPS)
    assert sum(losses[-5:]) / 5 < 0.85 * CHANCE[name]


@pytest.mark.parity
@pytest.mark.parametrize("name", NAMES)
def test_on_pytorch_it_comes_to_the_same_losses_from_the_same_seed(name: str) -> None:
    torch = pytest.importorskip("torch")
    mine, theirs = importlib.import_module(f"minigrad.examples.{name}"), on_torch(name)
    minigrad.manual_seed(0)
    torch.manual_seed(0)
    assert mine.train(mine.make(), STEPS) == pytest.approx(theirs.train(theirs.make(), STEPS), rel=1e-4, abs=1e-4)
