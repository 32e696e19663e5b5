"""Seeds make numbers come again; generators, states and devices keep out of each other's way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minigrad as mg

DRAWS: dict[str, Any] = {
    "rand": lambda g: mg.rand(50, generator=g),
    "randn": lambda g: mg.randn(50, generator=g),
    "randint": lambda g: mg.randint(0, 100, (50,), generator=g),
    "randperm": lambda g: mg.randperm(50, generator=g),
    "normal": lambda g: mg.normal(mg.zeros(50), 2.0, generator=g),
    "bernoulli": lambda g: mg.bernoulli(mg.full((50,), 0.5), generator=g),
    "multinomial": lambda g: mg.multinomial(mg.ones(50), 40, generator=g),
    "with replacement": lambda g: mg.multinomial(mg.ones(2, 50), 60, replacement=True, generator=g),
    "poisson": lambda g: mg.poisson(mg.full((50,), 3.0), g),
    "uniform_": lambda g: mg.empty(50).uniform_(-1, 1, generator=g),
    "normal_": lambda g: mg.empty(50).normal_(generator=g),
    "bernoulli_": lambda g: mg.empty(50).bernoulli_(0.3, generator=g),
    "exponential_": lambda g: mg.empty(50).exponential_(generator=g),
    "random_": lambda g: mg.empty(50).random_(10, generator=g),
    "complex": lambda g: mg.randn(50, dtype=mg.complex64, generator=g),
    "half": lambda g: mg.rand(50, dtype=mg.float16, generator=g),
}


@pytest.mark.parametrize("name", DRAWS)
def test_a_seed_brings_the_same_numbers(name: str) -> None:
    draw = DRAWS[name]
    first = draw(mg.Generator(mg.get_default_device()).manual_seed(3))
    again = draw(mg.Generator(mg.get_default_device()).manual_seed(3))
    other = draw(mg.Generator(mg.get_default_device()).manual_seed(4))
    assert mg.equal(first, again)
    assert not mg.equal(first, other)


def test_the_default_generator_is_seeded_by_manual_seed() -> None:
    mg.manual_seed(5)
    first = mg.rand(3)
    assert mg.initial_seed() == 5
    mg.manual_seed(5)
    assert mg.equal(mg.rand(3), first)


@pytest.mark.cpu("the default generator is the CPU's")
def test_a_state_can_be_kept_and_put_back() -> None:
    mg.manual_seed(0)
    generator = mg.default_generator
    mg.rand(7)
    state = generator.get_state()
    assert state.dtype is mg.uint8
    first = mg.randn(4)
    generator.set_state(state)
    assert mg.equal(mg.randn(4), first)


def test_the_state_of_the_cpu_can_be_kept_and_put_back() -> None:
    state = mg.get_rng_state()
    first = mg.randn(4, device="cpu")
    mg.set_rng_state(state)
    assert mg.equal(mg.randn(4, device="cpu"), first)
    with pytest.raises(RuntimeError, match="input RNG state size to be 3"):
        mg.set_rng_state(mg.zeros(3, dtype=mg.uint8, device="cpu"))


def test_what_is_drawn_in_a_fork_leaves_no_trace() -> None:
    with mg.random.fork_rng():
        first = mg.rand(2)
        mg.rand(100)
    assert mg.equal(mg.rand(2), first)


def test_a_generator_of_its_own_does_not_touch_the_default_one() -> None:
    mg.manual_seed(2)
    first = mg.rand(2)
    mg.manual_seed(2)
    mg.rand(10, generator=mg.Generator(mg.get_default_device()))
    assert mg.equal(mg.rand(2), first)


@pytest.mark.parametrize("dtype", [mg.float16, mg.bfloat16, mg.float32, mg.float64])
def test_uniform_numbers_stay_below_one(dtype: Any) -> None:
    drawn = mg.rand(20_000, dtype=dtype, generator=mg.Generator(mg.get_default_device()).manual_seed(0))
    assert drawn.dtype is dtype
    values = drawn.double().cpu().numpy()
    assert values.min() >= 0
    assert values.max() < 1
    assert abs(values.mean() - 0.5) < 0.01


def test_the_distributions_are_those_that_were_asked_for() -> None:
    g = mg.Generator(mg.get_default_device()).manual_seed(0)
    normal = mg.normal(3.0, 2.0, (20_000,), generator=g).cpu().numpy()
    assert abs(normal.mean() - 3) < 0.05
    assert abs(normal.std() - 2) < 0.05
    whole = mg.randint(2, 5, (20_000,), generator=g).cpu().numpy()
    assert set(whole) == {2, 3, 4}
    chosen = mg.multinomial(mg.tensor([1.0, 0.0, 3.0]), 20_000, replacement=True, generator=g).cpu().numpy()
    np.testing.assert_allclose(np.bincount(chosen, minlength=3) / 20_000, [0.25, 0, 0.75], atol=0.02)
    both = mg.randn(20_000, dtype=mg.complex128, generator=g).cpu().numpy()
    assert abs((abs(both) ** 2).mean() - 1) < 0.05
    assert abs(mg.empty(20_000).exponential_(2.0, generator=g).cpu().numpy().mean() - 0.5) < 0.02


def test_without_replacement_no_place_is_drawn_twice_and_none_of_chance_zero() -> None:
    g = mg.Generator(mg.get_default_device()).manual_seed(0)
    weights = mg.tensor([[1.0, 2.0, 0.0, 3.0], [1.0, 0.0, 5.0, 1.0]])
    for _ in range(20):
        drawn = mg.multinomial(weights, 3, generator=g).cpu().numpy()
        assert all(len(set(row)) == 3 for row in drawn)
        assert 2 not in drawn[0]
        assert 1 not in drawn[1]


def test_randperm_holds_every_number_once() -> None:
    assert sorted(mg.randperm(9).tolist()) == list(range(9))


def test_random_tensors_can_require_grad_and_have_likes() -> None:
    x = mg.rand(2, 3, dtype=mg.float64, requires_grad=True)
    assert x.requires_grad
    for like in (mg.rand_like(x), mg.randn_like(x), mg.randint_like(x, 5)):
        assert (like.shape, like.dtype, like.requires_grad) == (x.shape, mg.float64, False)
    assert mg.rand_like(mg.tensor(1.0)).shape == ()


def test_filling_a_leaf_needs_no_grad() -> None:
    x = mg.zeros(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        x.normal_()
    with mg.no_grad():
        x.normal_()
    assert x.is_leaf
