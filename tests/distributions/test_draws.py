"""What is drawn has the moments it should have, and slopes that follow the parameters; without PyTorch."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

import minigrad as mg

from .families import FAMILIES

D = mg.distributions
WITHOUT_MOMENTS = {
    "cauchy", "half_cauchy", "categorical_probs", "categorical_logits", "fisher_snedecor", "student_t", "transformed",
    "squashed", "stick", "logistic_normal", "relaxed_bernoulli", "relaxed_one_hot", "pareto", "von_mises",
    "inverse_gamma", "lkj_cholesky",
}  # fmt: skip


def parameter(value: Any) -> Any:
    return mg.tensor(value, dtype=mg.float64, requires_grad=True)


@pytest.mark.parametrize("name", sorted(set(FAMILIES) - WITHOUT_MOMENTS))
def test_the_mean_and_variance_of_draws_are_those_promised(name: str) -> None:
    mg.manual_seed(0)
    family = FAMILIES[name](mg, parameter)
    drawn = family.sample((40_000,)).double()
    spread = family.stddev.detach().numpy() if "multivariate" not in name else family.variance.sqrt().detach().numpy()
    np.testing.assert_allclose(drawn.mean(0).numpy(), family.mean.detach().numpy(), atol=5 * spread.max() / 200)
    np.testing.assert_allclose(drawn.var(0).numpy(), (spread**2), rtol=0.1, atol=1e-3)


@pytest.mark.parametrize(
    "name", ["normal", "gamma", "beta", "student_t", "gumbel", "weibull", "kumaraswamy", "von_mises"]
)
def test_draws_follow_the_density(name: str) -> None:
    """The mean of -log_prob over draws is the entropy, here by summing the density over a grid where there is none."""
    mg.manual_seed(1)
    family = FAMILIES[name](mg, parameter)
    seen = -family.log_prob(family.sample((40_000,))).mean(0).detach().numpy()
    if name == "von_mises":
        grid = mg.linspace(-np.pi, np.pi, 20_001, dtype=mg.float64).unsqueeze(1)
        log = family.log_prob(grid)
        wanted = -(log.exp() * log).mean(0).detach().numpy() * 2 * np.pi
    else:
        wanted = family.entropy().detach().numpy()
    np.testing.assert_allclose(seen, wanted, atol=0.03)


@pytest.mark.parametrize(
    ("name", "function", "wanted"),
    [
        ("gamma", lambda x: x, lambda a, b: (1 / b, -a / b**2)),
        ("beta", lambda x: x, lambda a, b: (b / (a + b) ** 2, -a / (a + b) ** 2)),
        ("normal", lambda x: x * x, lambda m, s: (2 * m, 2 * s)),
    ],
)
def test_gradients_of_draws_are_those_of_the_mean(name: str, function: Any, wanted: Any) -> None:
    mg.manual_seed(2)
    leaves: list[Any] = []

    def leaf(value: Any) -> Any:
        leaves.append(parameter(value))
        return leaves[-1]

    family = FAMILIES[name](mg, leaf)
    function(family.rsample((60_000,))).mean(0).sum().backward()
    for got, right in zip(leaves, wanted(*(each.detach().numpy() for each in leaves)), strict=True):
        np.testing.assert_allclose(got.grad.numpy(), right, rtol=0.05, atol=0.05)


def test_large_counts_are_drawn_without_trying_one_by_one() -> None:
    mg.manual_seed(0)
    drawn = D.Binomial(10**9, mg.tensor([0.25, 1e-9], dtype=mg.float64)).sample((4000,))
    np.testing.assert_allclose(drawn.mean(0).numpy(), [2.5e8, 1.0], rtol=0.06)
    np.testing.assert_allclose(drawn.std(0).numpy(), [(10**9 * 0.25 * 0.75) ** 0.5, 1.0], rtol=0.06)
    assert bool((drawn == drawn.round()).all())


def test_classes_come_as_often_as_their_probabilities_say() -> None:
    mg.manual_seed(0)
    drawn = D.Categorical(mg.tensor([1.0, 2.0, 5.0])).sample((20_000,))
    counts = np.bincount(drawn.numpy(), minlength=3) / 20_000
    np.testing.assert_allclose(counts, [0.125, 0.25, 0.625], atol=0.015)


def test_the_same_seed_draws_the_same() -> None:
    for name, make in FAMILIES.items():
        family = make(mg, parameter)
        mg.manual_seed(7)
        first = family.sample((3,))
        mg.manual_seed(7)
        assert mg.equal(first, family.sample((3,))), name


def test_no_gradient_flows_through_a_sample() -> None:
    for name, make in FAMILIES.items():
        family = make(mg, parameter)
        assert not family.sample().requires_grad, name
        if family.has_rsample and name != "normal_numbers":
            assert family.rsample().requires_grad, name


def test_families_are_found_by_their_paths() -> None:
    for path, name in (
        ("normal", "Normal"),
        ("categorical", "Categorical"),
        ("multivariate_normal", "MultivariateNormal"),
        ("kl", "kl_divergence"),
        ("utils", "broadcast_all"),
        ("constraints", "positive"),
        ("transforms", "TanhTransform"),
        ("distribution", "Distribution"),
        ("transformed_distribution", "TransformedDistribution"),
        ("one_hot_categorical", "OneHotCategorical"),
    ):
        assert hasattr(importlib.import_module(f"minigrad.distributions.{path}"), name)


def test_a_uniform_number_has_no_distance_from_the_continuous_bernoulli_that_is_uniform_too() -> None:
    """PyTorch says that it is infinitely far."""
    uniform, bernoulli = D.Uniform(mg.tensor(0.0), mg.tensor(1.0)), D.ContinuousBernoulli(mg.tensor(0.5))
    assert D.kl_divergence(uniform, bernoulli).item() == pytest.approx(0.0, abs=1e-6)
    assert D.kl_divergence(bernoulli, uniform).item() == pytest.approx(0.0, abs=1e-6)


def test_a_distribution_of_ones_own_has_distances_and_checks() -> None:
    class Point(D.Distribution):
        arg_constraints = {"at": D.constraints.real}
        support = D.constraints.real

        def __init__(self, at: Any) -> None:
            self.at = at
            super().__init__(at.shape)

    @D.register_kl(Point, Point)
    def distance(p: Point, q: Point) -> Any:
        return (p.at - q.at).abs()

    one, other = Point(mg.tensor([1.0])), Point(mg.tensor([3.0]))
    assert D.kl_divergence(one, other).tolist() == [2.0]
    assert repr(one) == "Point(at: tensor([1.]))"
    assert one.expand((2, 1)).at.shape == (2, 1)
    with pytest.raises(ValueError, match="Expected parameter at"):
        Point(mg.tensor([float("nan")]))
    with pytest.raises(NotImplementedError, match="Point has no log_prob"):
        one.log_prob(mg.tensor([1.0]))


def test_a_policy_learns_which_arm_pays() -> None:
    mg.manual_seed(0)
    logits = mg.zeros(3, requires_grad=True)
    optimizer = mg.optim.Adam([logits], lr=0.1)
    for _ in range(60):
        policy = D.Categorical(logits=logits)
        actions = policy.sample((64,))
        loss = -(policy.log_prob(actions) * (actions == 1).float()).mean() - 0.01 * policy.entropy()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert policy.probs.argmax().item() == 1 and policy.probs.max().item() > 0.9


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_shares_are_rounded_to_neither_0_nor_1(dtype: str) -> None:
    mg.manual_seed(1)
    small = mg.tensor(0.01, dtype=getattr(mg, dtype))
    for family in (D.Beta(small, small), D.Dirichlet(small.expand(3))):
        drawn = family.sample((2000,))
        assert drawn.min() > 0 and drawn.max() < 1
        assert family.log_prob(drawn).isfinite().all()
