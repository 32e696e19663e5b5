"""Tensors on the device ``meta`` have a shape and no elements."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

import minigrad as mg
from minigrad import nn
from minigrad.errors import DeviceError, NoElementsError


def test_ops_and_gradients_have_shapes() -> None:
    x = mg.randn(4, 3, device="meta", requires_grad=True)
    loss = nn.functional.conv1d(x[None].relu(), mg.empty(2, 4, 2, device="meta")).mean()
    loss.backward()
    assert x.is_meta
    assert x.grad is not None
    assert x.grad.shape == (4, 3)
    assert (loss.shape, mg.autograd.grad(x.sum(), x)[0].device.type) == ((), "meta")
    assert not mg.ones(2).is_meta


def test_it_is_printed_by_its_shape() -> None:
    assert repr(mg.ones(2, 3, device="meta")) == "tensor(..., device='meta', size=(2, 3))"
    assert (
        repr(mg.zeros(2, device="meta", dtype=mg.int64))
        == "tensor(..., device='meta', size=(2,), dtype=minigrad.int64)"
    )
    assert repr(mg.zeros((), device="meta")) == "tensor(..., device='meta', size=())"


@pytest.mark.parametrize(
    "ask",
    [
        lambda x: x.sum().item(),
        lambda x: x.tolist(),
        lambda x: bool(x[0, 0]),
        lambda x: x.cpu(),
        lambda x: nn.Linear(2, 2, device="meta").to("cpu"),
        lambda x: x.nonzero(),
        lambda x: x.nonzero(as_tuple=True),
        lambda x: x[x > 0],
        lambda x: x.unique(),
    ],
)
def test_elements_that_are_asked_for_are_not_made_up(ask: Callable[[Any], Any]) -> None:
    with pytest.raises(NoElementsError, match="meta tensor"):
        ask(mg.ones(2, 3, device="meta"))


def test_it_does_not_mix_with_elements() -> None:
    with pytest.raises(DeviceError, match="meta and cpu"):
        mg.ones(2, device="meta") + mg.ones(2)


def test_a_module_is_made_without_elements_and_filled_later() -> None:
    state = nn.Linear(3, 2).state_dict()
    with mg.device("meta"):
        net = nn.Linear(3, 2)
    assert net.weight.is_meta
    x = mg.randn(1, 3)
    net.load_state_dict(state, assign=True)
    assert net(x).tolist() == (x @ state["weight"].T + state["bias"]).tolist()
    assert not nn.Linear(3, 2, device="meta").to_empty(device="cpu").weight.is_meta


@pytest.mark.parametrize("values", ["all", "auto"])
def test_it_is_recorded_by_its_shape(values: Any) -> None:
    records: list[dict[str, Any]] = []
    with mg.observe.Recorder(records.append, values=values) as recorder:
        net = nn.Linear(3, 2, device="meta")
        sgd = mg.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            net(mg.ones(4, 3, device="meta")).mean().backward()
            sgd.step()
    assert recorder.failure is None
    shapes = [each["outputs"][0]["shape"] for each in records if each["type"] == "node" and each["step"] == 0]
    assert shapes[0] == [4, 2]


def test_it_is_explained_and_shown_by_its_shape() -> None:
    weight = mg.ones(2, 3, device="meta", requires_grad=True)
    weight.sum().backward()
    assert str(mg.explain(weight)).startswith("weight.grad is [2, 3]: ")
    assert "device=&#x27;meta&#x27;" in weight._repr_html_()


def test_initialisation_is_skipped() -> None:
    before = mg.get_rng_state()
    layer = nn.utils.skip_init(nn.Linear, 3, 2, bias=False)
    assert layer.weight.shape == (2, 3)
    assert not layer.weight.is_meta
    assert mg.equal(mg.get_rng_state(), before)
    with pytest.raises(TypeError, match="must support a 'device' arg"):
        nn.utils.skip_init(nn.ReLU)


def test_an_ensemble_runs_on_one_module_without_elements() -> None:
    nets = [nn.Linear(3, 2) for _ in range(4)]
    params, buffers = mg.func.stack_module_state(nets)
    base = copy.deepcopy(nets[0]).to("meta")
    x = mg.randn(5, 3)
    found = mg.func.vmap(lambda p, b: mg.func.functional_call(base, (p, b), (x,)))(params, buffers)
    assert mg.allclose(found, mg.stack([net(x) for net in nets]))
