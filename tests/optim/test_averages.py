"""Averages of parameters, batch norms brought up to date with them, and the learning rates that go with them."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

Lib = Any


def utils(lib: Lib) -> Any:
    return importlib.import_module(f"{lib.__name__}.optim.swa_utils")


def net(lib: Lib) -> Any:
    model = lib.nn.Sequential(lib.nn.Linear(2, 3), lib.nn.BatchNorm1d(3), lib.nn.Linear(3, 1))
    with lib.no_grad():
        for number, parameter in enumerate(model.parameters()):
            parameter.copy_(lib.arange(float(parameter.numel())).reshape(parameter.shape) * 0.1 - 0.1 * number)
    return model


KINDS: dict[str, Any] = {
    "the mean": lambda swa: {},
    "a moving average": lambda swa: {"multi_avg_fn": swa.get_ema_multi_avg_fn(0.9)},
    "a moving average, one by one": lambda swa: {"avg_fn": swa.get_ema_avg_fn(0.5)},
    "a moving average of buffers too": lambda swa: {"multi_avg_fn": swa.get_ema_multi_avg_fn(0.5), "use_buffers": True},
}


def averaged(lib: Lib, kind: str) -> list[Any]:
    swa, model = utils(lib), net(lib)
    average = swa.AveragedModel(model, **KINDS[kind](swa))
    optimizer = lib.optim.SGD(model.parameters(), lr=0.1)
    x = lib.arange(10.0).reshape(5, 2).cos()
    for _ in range(4):
        optimizer.zero_grad()
        model(x).pow(2).sum().backward()
        optimizer.step()
        average.update_parameters(model)
    assert average.n_averaged.item() == 4
    swa.update_bn([(x, 0), (x * 2, 1)], average)
    average.eval()
    state = average.state_dict()
    assert list(state)[:2] == ["n_averaged", "module.0.weight"]
    return [average(x).tolist(), *(each.tolist() for each in state.values())]


@pytest.mark.parity
@pytest.mark.parametrize("kind", KINDS)
def test_averages_are_pytorchs(kind: str) -> None:
    torch = pytest.importorskip("torch")
    import minigrad as mg

    for ours, theirs in zip(averaged(mg, kind), averaged(torch, kind), strict=True):
        assert mg.allclose(mg.tensor(ours).double(), mg.tensor(theirs).double(), atol=1e-5), kind


@pytest.mark.parity
@pytest.mark.parametrize("strategy", ["cos", "linear"])
@pytest.mark.parametrize("epochs", [0, 1, 4])
def test_learning_rates_are_pytorchs(strategy: str, epochs: int) -> None:
    torch = pytest.importorskip("torch")
    import minigrad as mg

    def rates(lib: Lib) -> list[float]:
        optimizer = lib.optim.SGD([lib.nn.Parameter(lib.ones(1))], lr=1.0)
        schedule = utils(lib).SWALR(optimizer, 0.1, epochs, strategy)
        seen = []
        for _ in range(6):
            optimizer.step()
            schedule.step()
            seen.append(schedule.get_last_lr()[0])
        return seen

    assert rates(mg) == pytest.approx(rates(torch))


def test_what_cannot_be_averaged_is_refused() -> None:
    import minigrad as mg

    swa = utils(mg)
    with pytest.raises(ValueError, match="Invalid decay value 2"):
        swa.get_ema_avg_fn(2)
    optimizer = mg.optim.SGD([mg.nn.Parameter(mg.ones(1))], lr=1.0)
    with pytest.raises(ValueError, match="anneal_strategy must be one of"):
        swa.SWALR(optimizer, 0.1, anneal_strategy="log")
    with pytest.raises(ValueError, match="anneal_epochs must be equal or greater than 0"):
        swa.SWALR(optimizer, 0.1, -1)
    with pytest.raises(ValueError, match="2 values, for 1 parameter groups"):
        swa.SWALR(optimizer, [0.1, 0.2])
