"""The numbers that a seed gives on the CPU, recorded from PyTorch 2.13: they must never change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad.backend.device_draws import DeviceDraws
from minigrad.backend.twister import Twister

F = mg.nn.functional

RECORDED: list[tuple[Any, list[float]]] = [
    (lambda: mg.rand(3), [0.496257, 0.768222, 0.088477]),
    (lambda: mg.randn(3), [0.364338, 0.134396, 0.164216]),
    (lambda: mg.randn(20)[:3], [-0.204102, -0.088531, 0.523883]),
    (lambda: mg.randint(10, (5,)), [5, 2, 1, 0, 9]),
    (lambda: mg.randint(2**40, (2,)), [40962706105, 548719075872]),
    (lambda: mg.randperm(6), [5, 2, 1, 0, 3, 4]),
    (lambda: mg.empty(8).bernoulli_(0.3), [0, 1, 0, 0, 0, 0, 0, 0]),
    (lambda: mg.empty(2).exponential_(), [0.737454, 0.688316]),
    (lambda: mg.multinomial(mg.tensor([1.0, 2, 3, 4]), 2), [1, 3]),
    (lambda: mg.multinomial(mg.tensor([1.0, 2, 3, 4]), 6, True), [3, 0, 2, 2, 3, 3]),
    (lambda: mg.rand(2, dtype=mg.float64), [0.6952717011458938, 0.9932613317364845]),
    (lambda: mg.rand(2, dtype=mg.float16), [0.490966796875, 0.12347412109375]),
    (lambda: mg.empty(2).uniform_(-1, 2), [-0.6570350527763367, 0.4173505902290344]),
    (lambda: mg.poisson(mg.tensor([1.0, 20, 300])), [1, 22, 286]),
    (lambda: F.dropout(mg.ones(6), 0.5), [0, 2, 0, 0, 0, 0]),
]
"""Draws one after another from seed 0."""

pytestmark = pytest.mark.skipif("config.getoption('--device') not in (None, 'cpu')", reason="the numbers of the CPU")


def test_a_seed_gives_the_numbers_that_it_gives_in_pytorch() -> None:
    mg.manual_seed(0)
    for number, (draw, expected) in enumerate(RECORDED):
        assert draw().tolist() == pytest.approx(expected, abs=1e-6), f"draw {number}"


def test_the_first_normal_numbers_of_seed_0_are_the_well_known_ones() -> None:
    mg.manual_seed(0)
    assert [f"{x:.4f}" for x in mg.randn(3).tolist()] == ["1.5410", "-0.2934", "-2.1788"]


def test_a_linear_layer_starts_from_the_weights_of_pytorch() -> None:
    mg.manual_seed(0)
    layer = mg.nn.Linear(2, 1)
    assert layer.weight.tolist()[0] == pytest.approx([-0.005294, 0.379323], abs=1e-6)
    assert layer.bias.tolist() == pytest.approx([-0.581981], abs=1e-6)


def test_one_draw_of_many_and_many_draws_of_one_differ_as_in_pytorch() -> None:
    one, block = (mg.randn(n, generator=mg.Generator().manual_seed(0))[0].item() for n in (15, 16))
    assert (one, block) == pytest.approx((1.540996, -1.125840), abs=1e-6)


@pytest.mark.parametrize("size", [15, 16, 17, 1023, 1024, 40_000])
def test_a_block_boundary_changes_no_uniform_number(size: int) -> None:
    whole = mg.rand(100_000, generator=mg.Generator().manual_seed(1))
    generator = mg.Generator().manual_seed(1)
    assert mg.equal(
        mg.cat([mg.rand(size, generator=generator), mg.rand(60_000, generator=generator)]), whole[: size + 60_000]
    )


def test_the_state_has_pytorchs_size_and_layout() -> None:
    state = mg.Generator().manual_seed(7).get_state().numpy()
    assert state.shape == (5056,)
    assert state[:8].view(np.uint64)[0] == 7  # the seed
    assert state[8:12].view(np.int32)[0] == 1  # words left, plus 1
    assert state[24:32].view(np.uint64)[0] == 7  # the first word of a new twister is its seed


def test_the_state_holds_the_second_normal_of_a_pair() -> None:
    generator = mg.Generator().manual_seed(0)
    mg.randn(1, generator=generator)
    other = mg.Generator().set_state(generator.get_state())
    assert other.initial_seed() == 0
    assert mg.equal(mg.randn(3, generator=generator), mg.randn(3, generator=other))


def test_a_state_of_another_size_or_kind_is_refused_and_nothing_changes() -> None:
    generator = mg.Generator().manual_seed(0)
    for state, said in (
        (mg.zeros(10, dtype=mg.uint8), "of size 5056 but found the input RNG state size to be 10"),
        (mg.zeros(5056, dtype=mg.uint8), "Invalid mt19937 state"),
        (mg.zeros(5056), "must be a minigrad.ByteTensor"),
    ):
        with pytest.raises((RuntimeError, TypeError), match=said):
            generator.set_state(state)
    assert mg.rand(1, generator=generator).item() == pytest.approx(0.496257, abs=1e-6)


def test_negative_seeds_count_from_the_end_and_too_large_ones_are_refused() -> None:
    assert mg.manual_seed(-1).initial_seed() == 2**64 - 1
    with pytest.raises(ValueError, match="Overflow when unpacking long long"):
        mg.manual_seed(2**64)
    with pytest.raises(RuntimeError, match="manual_seed expected a long, but got float"):
        mg.Generator().manual_seed(1.5)  # type: ignore[arg-type]


def test_what_lies_transposed_is_filled_in_the_order_of_its_memory() -> None:
    rows = mg.zeros(3, 5).uniform_(generator=mg.Generator().manual_seed(0))
    columns = mg.zeros(5, 3).t().uniform_(generator=mg.Generator().manual_seed(0))
    assert columns.t().flatten().tolist() == rows.flatten().tolist()


def test_both_sources_of_random_numbers_have_the_same_methods() -> None:
    def methods(kind: type) -> set[str]:
        return {name for name in vars(kind) if not name.startswith("_")} - {"state_bytes", "set_state_bytes"}

    assert methods(Twister) == methods(DeviceDraws)


def test_a_large_shuffle_holds_every_number_once() -> None:
    order = mg.randperm(50_000, generator=mg.Generator().manual_seed(0)).numpy()
    assert np.array_equal(np.sort(order), np.arange(50_000))
    assert order[:5].tolist() == [36044, 49165, 37807, 11341, 6091]
