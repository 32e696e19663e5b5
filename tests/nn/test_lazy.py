"""Layers that wait for their first input: what they are before it, and after it."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import minigrad as mg

LAYERS = {
    "LazyLinear": (lambda nn: nn.LazyLinear(4), (2, 6)),
    **{
        f"LazyConv{d}d": (lambda nn, d=d: getattr(nn, f"LazyConv{d}d")(4, 3, groups=2), (2, 6, *[5] * d))
        for d in (1, 2, 3)
    },
    **{
        f"LazyConvTranspose{d}d": (lambda nn, d=d: getattr(nn, f"LazyConvTranspose{d}d")(4, 3), (2, 6, *[5] * d))
        for d in (1, 2, 3)
    },
    **{
        f"LazyBatchNorm{d}d": (lambda nn, d=d: getattr(nn, f"LazyBatchNorm{d}d")(), (2, 6, *[5] * d)) for d in (1, 2, 3)
    },
    **{
        f"LazyInstanceNorm{d}d": (lambda nn, d=d: getattr(nn, f"LazyInstanceNorm{d}d")(), (2, 6, *[5] * d))
        for d in (1, 2, 3)
    },
}


@pytest.mark.parametrize("name", LAYERS)
def test_a_lazy_layer_becomes_the_usual_one(name: str) -> None:
    make, shape = LAYERS[name]
    layer = make(mg.nn)
    assert layer.has_uninitialized_params() and type(layer).__name__ == name
    out = layer(mg.ones(shape))
    assert type(layer).__name__ == name.removeprefix("Lazy")
    out.sum().backward()
    assert all(each.grad is not None for each in layer.parameters())


@pytest.mark.parity
@pytest.mark.parametrize("name", LAYERS)
def test_it_prints_and_shapes_as_pytorchs_does(name: str) -> None:
    torch = pytest.importorskip("torch")
    make, shape = LAYERS[name]
    ours, theirs = make(mg.nn), make(torch.nn)
    for step in ("before", "after"):
        assert repr(ours) == repr(theirs), step
        assert list(ours.state_dict()) == list(theirs.state_dict()), step
        ours(mg.ones(shape)), theirs(torch.ones(shape))
    assert [tuple(v.shape) for v in ours.state_dict().values()] == [
        tuple(v.shape) for v in theirs.state_dict().values()
    ]


@pytest.mark.cpu("a GPU draws other numbers")
@pytest.mark.parity
@pytest.mark.parametrize("name", LAYERS)
def test_it_draws_the_weights_that_pytorch_draws_from_the_same_seed(name: str) -> None:
    torch = pytest.importorskip("torch")
    make, shape = LAYERS[name]
    drawn = []
    for lib in (mg, torch):
        lib.manual_seed(3)
        layer = make(lib.nn)
        layer(lib.ones(shape))
        drawn.append([each.tolist() for each in (*layer.state_dict().values(), lib.rand(2))])
    for ours, theirs in zip(*drawn, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


def test_a_lazy_transposed_convolution_takes_the_size_of_its_output(lib: Any) -> None:
    layer = lib.nn.LazyConvTranspose2d(4, 2, stride=2)
    assert tuple(layer(lib.ones(1, 3, 2, 2), output_size=(5, 5)).shape) == (1, 4, 5, 5)


@pytest.mark.parametrize("use", [lambda w: w + 1, lambda w: w.shape, lambda w: w.sum(), lambda w: w.numel()])
def test_a_parameter_without_a_shape_refuses_to_be_used(use: object) -> None:
    with pytest.raises(mg.errors.UninitializedError, match="Call the module once"):
        use(mg.nn.LazyLinear(3).weight)  # type: ignore[operator]


def test_it_can_be_moved_copied_and_given_to_an_optimiser_before_its_first_input() -> None:
    net = mg.nn.Sequential(mg.nn.LazyLinear(3), mg.nn.LazyBatchNorm1d()).double()
    other = copy.deepcopy(net)
    optimizer = mg.optim.SGD(net.parameters(), 0.1)
    out = net(mg.ones(2, 5, dtype=mg.float64))
    out[0].sum().backward()
    optimizer.step()
    assert out.dtype is mg.float64 and net[1].running_mean.dtype is mg.float64
    assert other[0].has_uninitialized_params()


def test_what_waits_is_loaded_from_what_waits_and_takes_one_number_as_its_shape(lib: Any) -> None:
    layer = lib.nn.LazyLinear(3)
    layer.load_state_dict(lib.nn.LazyLinear(3).state_dict())
    assert layer.has_uninitialized_params()
    parameter = lib.nn.UninitializedParameter()
    parameter.materialize(4)
    assert tuple(parameter.shape) == (4,)


def test_a_state_dict_gives_it_its_shapes() -> None:
    full, lazy = mg.nn.Linear(5, 3), mg.nn.LazyLinear(3)
    lazy.load_state_dict(full.state_dict())
    x = mg.ones(2, 5)
    assert mg.equal(lazy(x), full(x))
    assert repr(lazy) == repr(full)
