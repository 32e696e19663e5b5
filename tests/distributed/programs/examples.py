"""The five examples on several ranks, run with ``--distributed``; on PyTorch with ``import torch`` instead."""

from __future__ import annotations

import importlib
import pathlib
import sys
from types import ModuleType

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from checking import ON_MINIGRAD, dist, main, torch

FOLDER = pathlib.Path(__file__).parents[3] / "minigrad" / "examples"
STEPS = 8


def example(name):
    if ON_MINIGRAD:
        return importlib.import_module(f"minigrad.examples.{name}")
    source = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    module = ModuleType(name)
    exec(compile(source.replace("import minigrad as torch\n", "import torch\n"), name, "exec"), module.__dict__)
    return module


def trained(name, within):
    """The losses of all ranks together equal those of one process; the parameters are equal bit by bit."""
    module = example(name)
    torch.manual_seed(0)
    net = module.make()
    losses = torch.tensor(module.train(net, STEPS))
    dist.all_reduce(losses)
    losses /= dist.get_world_size()
    for parameter in net.parameters():
        first = parameter.detach().clone()
        dist.broadcast(first, 0)
        assert torch.equal(first, parameter)
    module.dist = type("alone", (), {"is_initialized": staticmethod(lambda: False)})
    torch.manual_seed(0)
    alone = torch.tensor(module.train(module.make(), STEPS))
    assert torch.allclose(losses, alone, rtol=within, atol=within), (losses, alone)


def check_mlp():
    trained("mlp", 1e-4)


def check_cnn():
    trained("cnn", 0.2)  # each rank's batch norm uses its own part


def check_lstm():
    trained("lstm", 0.01)  # each rank's gradients are clipped together, after they were averaged


def check_gpt():
    trained("gpt", 1e-3)


def check_vae():
    trained("vae", 1e-3)


if __name__ == "__main__":
    main(dict(globals()))
