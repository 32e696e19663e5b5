"""What programs copy and pickle besides tensors: generators, optimisers, names of layouts, lazy layers."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import minigrad


def pickled(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


every_way = pytest.mark.parametrize("again", [pickled, copy.copy, copy.deepcopy])


@every_way
@pytest.mark.parametrize("name", ["strided", "contiguous_format", "preserve_format", "channels_last"])
def test_the_name_of_a_layout_stays_the_same_object(lib: Any, again: Callable[[Any], Any], name: str) -> None:
    assert again(getattr(lib, name)) is getattr(lib, name)


@pytest.mark.parametrize("again", [pickled, copy.deepcopy])
def test_a_copied_generator_goes_on_where_the_first_one_is(lib: Any, again: Callable[[Any], Any]) -> None:
    generator = lib.Generator().manual_seed(5)
    lib.rand(3, generator=generator)
    other = again(generator)
    assert other.initial_seed() == 5
    assert lib.randn(4, generator=other).tolist() == lib.randn(4, generator=generator).tolist()


@pytest.mark.parametrize("again", [pickled, copy.deepcopy])
def test_lbfgs_is_copied_in_the_middle_of_its_work(again: Callable[[Any], Any]) -> None:
    """PyTorch's copy cannot step."""
    lib = minigrad
    x = lib.tensor([3.0, 4.0], requires_grad=True)
    optimizer = lib.optim.LBFGS([x], lr=0.1, max_iter=2)

    def closure_of(leaf: Any) -> Callable[[], Any]:
        def closure() -> Any:
            leaf.grad = None
            loss = ((leaf - 1) ** 2).sum()
            loss.backward()
            return loss

        return closure

    optimizer.step(closure_of(x))
    other = again(optimizer)
    y = other.param_groups[0]["params"][0]
    optimizer.step(closure_of(x))
    other.step(closure_of(y))
    assert y is not x and y.tolist() == pytest.approx(x.tolist())


@pytest.mark.filterwarnings("ignore:Lazy modules are a new feature")
def test_a_lazy_layer_is_pickled_before_its_first_input(lib: Any) -> None:
    layer = pickled(lib.nn.LazyLinear(2))
    assert layer(lib.ones(1, 3)).shape == (1, 2) and layer.in_features == 3
