"""Every family beside PyTorch's: shapes, densities, entropies, distances, and their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minigrad as mg

from .families import BETWEEN, FAMILIES, PAIRS, Make

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.parity,
    pytest.mark.filterwarnings("ignore:Singular sample detected"),  # PyTorch's Wishart says so of valid ones
]


@pytest.fixture(autouse=True)
def pytorch_checks_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch's compiler turns the checks off for good when another test uses it."""
    monkeypatch.setattr(torch.distributions.Distribution, "_validate_args", True)


TOLERANCE = 1e-5
"""PyTorch's von Mises has Bessel functions of 1e-8, with slopes of 4e-6."""


def built(lib: Any, make: Make) -> tuple[Any, list[Any]]:
    """The distribution, in float64, and its parameters."""
    leaves: list[Any] = []

    def parameter(value: Any) -> Any:
        leaves.append(lib.tensor(value, dtype=lib.float64, requires_grad=True))
        return leaves[-1]

    return make(lib, parameter), leaves


def close(mine: Any, theirs: Any, what: str) -> None:
    assert tuple(mine.shape) == tuple(theirs.shape), what
    assert str(mine.dtype).split(".")[-1] == str(theirs.dtype).split(".")[-1], what
    np.testing.assert_allclose(mine.detach().numpy(), theirs.detach().numpy(), rtol=TOLERANCE, atol=1e-10, err_msg=what)


def compare(what: str, mine: Any, theirs: Any, leaves: tuple[list[Any], list[Any]]) -> None:
    """The values, and where they hang on parameters the gradients too."""
    close(mine, theirs, what)
    assert mine.requires_grad == theirs.requires_grad, what
    if not theirs.requires_grad or not bool(theirs.isfinite().all()):
        return
    others = outcome(lambda: torch.autograd.grad(theirs.sum(), leaves[1], retain_graph=True, allow_unused=True))
    if others is None:
        with pytest.raises(NotImplementedError, match="derivative"):
            mg.autograd.grad(mine.sum(), leaves[0], retain_graph=True, allow_unused=True)
        return
    ours = mg.autograd.grad(mine.sum(), leaves[0], retain_graph=True, allow_unused=True)
    for i, (a, b) in enumerate(zip(ours, others, strict=True)):
        if a is None or b is None:
            assert all(each is None or not bool(each.any()) for each in (a, b)), f"{what}, parameter {i}"
        else:
            close(a, b, f"gradient of {what}, parameter {i}")


def outcome(call: Any) -> Any:
    try:
        return call()
    except NotImplementedError:
        return None


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_is_pytorchs(name: str) -> None:
    (mine, my_leaves), (theirs, their_leaves) = built(mg, FAMILIES[name]), built(torch, FAMILIES[name])
    leaves = my_leaves, their_leaves
    assert tuple(mine.batch_shape) == tuple(theirs.batch_shape)
    assert tuple(mine.event_shape) == tuple(theirs.event_shape)
    assert mine.has_rsample == theirs.has_rsample and mine.has_enumerate_support == theirs.has_enumerate_support
    torch.manual_seed(0)
    drawn = theirs.sample((3,))
    value = mg.tensor(drawn.numpy())
    assert tuple(mine.sample((3,)).shape) == tuple(drawn.shape) and mine.sample().dtype == value.dtype
    compare("log_prob", mine.log_prob(value), theirs.log_prob(drawn), leaves)
    for what in ("mean", "mode", "variance", "stddev"):
        there = outcome(lambda what=what: getattr(theirs, what))
        if there is not None and (name, what) != ("kumaraswamy", "mode"):  # PyTorch's is NaN where there is one
            compare(what, getattr(mine, what), there, leaves)
    for what, arguments in (("entropy", ()), ("enumerate_support", ()), ("enumerate_support", (False,))):
        there = outcome(lambda what=what, arguments=arguments: getattr(theirs, what)(*arguments))
        if there is not None:
            compare(what, getattr(mine, what)(*arguments), there, leaves)
    there = outcome(lambda: theirs.cdf(drawn))
    if there is not None:
        compare("cdf", mine.cdf(value), there, leaves)
        chances = np.linspace(0.1, 0.9, there.numel()).reshape(there.shape)
        quantile = outcome(lambda: theirs.icdf(torch.tensor(chances)))
        if quantile is not None:
            compare("icdf", mine.icdf(mg.tensor(chances)), quantile, leaves)
    if repr(theirs) not in ("Beta()", "Chi2()", "InverseGamma()"):  # which PyTorch does not show
        assert repr(mine).replace("minigrad", "torch") == repr(theirs)


@pytest.mark.parametrize("name", sorted(set(FAMILIES) - {"multinomial"}))  # PyTorch's loses a part of itself
def test_an_expanded_family_is_pytorchs(name: str) -> None:
    (mine, _), (theirs, _) = built(mg, FAMILIES[name]), built(torch, FAMILIES[name])
    shape = (4, *theirs.batch_shape)
    wide, there = mine.expand(shape), theirs.expand(shape)
    assert type(wide) is type(mine) and tuple(wide.batch_shape) == shape
    torch.manual_seed(0)
    drawn = there.sample((2,))
    assert tuple(wide.sample((2,)).shape) == tuple(drawn.shape)
    close(wide.log_prob(mg.tensor(drawn.numpy())), there.log_prob(drawn), "log_prob")
    entropy = outcome(there.entropy)
    if entropy is not None:
        close(wide.entropy(), entropy, "entropy")


@pytest.mark.parametrize("q", BETWEEN)
@pytest.mark.parametrize("p", BETWEEN)
def test_a_distance_between_families_is_pytorchs(p: str, q: str) -> None:
    mine, theirs = ([built(lib, BETWEEN[name]) for name in (p, q)] for lib in (mg, torch))
    expected = outcome(lambda: torch.distributions.kl_divergence(theirs[0][0], theirs[1][0]))
    if expected is None:
        with pytest.raises(NotImplementedError, match="No KL"):
            mg.distributions.kl_divergence(mine[0][0], mine[1][0])
        return
    compare(
        "kl",
        mg.distributions.kl_divergence(mine[0][0], mine[1][0]),
        expected,
        ([leaf for _, leaves in mine for leaf in leaves], [leaf for _, leaves in theirs for leaf in leaves]),
    )


@pytest.mark.parametrize("name", PAIRS)
def test_a_distance_is_pytorchs(name: str) -> None:
    mine, theirs = ([built(lib, make) for make in PAIRS[name]] for lib in (mg, torch))
    compare(
        "kl",
        mg.distributions.kl_divergence(mine[0][0], mine[1][0]),
        torch.distributions.kl_divergence(theirs[0][0], theirs[1][0]),
        ([leaf for _, leaves in mine for leaf in leaves], [leaf for _, leaves in theirs for leaf in leaves]),
    )


def test_the_slope_of_a_gamma_number_is_pytorchs() -> None:
    from minigrad.distributions.draws import gamma_slope

    rng = np.random.default_rng(0)
    alpha = np.exp(rng.uniform(np.log(0.01), np.log(1e5), 4000))
    drawn = np.maximum(rng.gamma(alpha), 1e-250)
    there = torch._standard_gamma_grad(torch.tensor(alpha), torch.tensor(drawn)).numpy()
    np.testing.assert_allclose(gamma_slope(mg.tensor(alpha), mg.tensor(drawn)).numpy(), there, rtol=2e-3)


MISTAKES = {
    "scale": lambda D, t: D.Normal(0.0, t([-1.0, 1.0])),
    "nan": lambda D, t: D.Normal(t([float("nan")]), 1.0),
    "probs": lambda D, t: D.Bernoulli(t([1.5])),
    "both": lambda D, t: D.Bernoulli(t([0.5]), t([0.5])),
    "neither": lambda D, t: D.Categorical(),
    "scalar": lambda D, t: D.Categorical(t(0.5)),
    "outside": lambda D, t: D.Uniform(0.0, 1.0).log_prob(t([2.0])),
    "turned": lambda D, t: D.Uniform(1.0, 0.0),
    "class": lambda D, t: D.Categorical(t([0.5, 0.5])).log_prob(t([2.0])),
    "event": lambda D, t: D.Dirichlet(t([0.5, 0.5])).log_prob(t([0.2, 0.3, 0.5])),
    "batch": lambda D, t: D.Normal(t([0.0, 1.0]), 1.0).log_prob(t([0.0, 1.0, 2.0])),
    "no tensor": lambda D, t: D.Normal(0.0, 1.0).log_prob(0.5),
    "matrix": lambda D, t: D.MultivariateNormal(t([0.0, 1.0]), t([[1.0, 2.0], [2.0, 1.0]])),
    "matrices": lambda D, t: D.MultivariateNormal(t([0.0, 1.0])),
    "kl": lambda D, t: D.kl_divergence(D.Normal(0.0, 1.0), D.Categorical(t([0.5, 0.5]))),
    "no rsample": lambda D, t: D.Poisson(1.0).rsample(),
    "no entropy": lambda D, t: D.VonMises(0.0, 1.0).entropy(),
    "dims": lambda D, t: D.Independent(D.Normal(0.0, 1.0), 1),
    "mixture": lambda D, t: D.MixtureSameFamily(D.Categorical(t([0.5, 0.5])), D.Normal(t([0.0, 1.0, 2.0]), 1.0)),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_the_error_that_pytorch_raises(name: str) -> None:
    with pytest.raises(Exception) as theirs:
        MISTAKES[name](torch.distributions, torch.tensor)
    with pytest.raises(type(theirs.value)) as mine:
        MISTAKES[name](mg.distributions, mg.tensor)
    head = str(theirs.value).split("(")[0].split(":")[0]
    if head.startswith(("Expected parameter", "Expected value", "Value is not", "Either", "The right-most")):
        assert str(mine.value).startswith(head[:40])


def test_checks_can_be_turned_off() -> None:
    for lib in (mg, torch):
        D = lib.distributions
        assert bool(D.Normal(0.0, -1.0, validate_args=False).scale < 0)
        D.Distribution.set_default_validate_args(False)
        try:
            D.Normal(0.0, -1.0)
        finally:
            D.Distribution.set_default_validate_args(True)


@pytest.mark.parametrize(
    "constraint", ["real", "positive", "unit_interval", "simplex", "lower_cholesky", "real_vector"]
)
def test_transforms_to_constraints_are_pytorchs(constraint: str) -> None:
    x = np.random.default_rng(0).normal(size=(3, 3))
    for registry in ("transform_to",) if constraint == "lower_cholesky" else ("transform_to", "biject_to"):
        results = []
        for lib in (mg, torch):
            D = lib.distributions
            change = getattr(D, registry)(getattr(D.constraints, constraint))
            y = change(lib.tensor(x))
            assert bool(getattr(D.constraints, constraint).check(y).all())
            results.append((y.numpy(), change.inv(y).numpy()))
        for mine, theirs in zip(*results, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", [name for name in FAMILIES if "wishart" not in name])
def test_a_seed_draws_what_it_draws_in_pytorch(name: str) -> None:
    drawn = []
    for lib in (mg, torch):
        lib.manual_seed(5)
        family, _ = built(lib, FAMILIES[name])
        drawn.append([family.sample(), family.sample((30,)), lib.rand(2)])
    for mine, theirs in zip(*drawn, strict=True):
        np.testing.assert_allclose(mine.numpy(), theirs.numpy(), rtol=1e-5, atol=1e-6)


def test_a_seed_draws_large_counts_and_extreme_shapes_as_pytorch() -> None:
    places = np.random.default_rng(0)
    trials, chances = places.integers(0, 400, 300).astype(float), places.random(300)
    shapes = 10 ** places.uniform(-3, 3, 300)
    found = []
    for lib in (mg, torch):
        lib.manual_seed(3)
        counts = lib.binomial(lib.tensor(trials), lib.tensor(chances))
        gammas = lib.distributions.Gamma(lib.tensor(shapes), lib.ones(300).double()).sample()
        found.append([counts, gammas, lib.rand(1)])
    for mine, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(mine.numpy(), theirs.numpy(), rtol=1e-5)


TRANSFORMS = """
CorrCholeskyTransform() 6
CatTransform([ExpTransform(),TanhTransform()],0,[2,3]) 5
CatTransform([ExpTransform(),AffineTransform(1.0,2.0)],-1,[2,3]) 5
CumulativeDistributionTransform(Normal(0.5,2.0)) 5
PositiveDefiniteTransform() 2 3 3
""".strip().splitlines()


@pytest.mark.parametrize("line", TRANSFORMS)
def test_a_transform_to_matrices_is_pytorchs(line: str) -> None:
    code, *sizes = line.split()
    start = np.random.default_rng(1).normal(size=[int(each) for each in sizes])
    found = []
    for lib in (mg, torch):
        transform = eval(code, vars(lib.distributions).copy())
        x = lib.tensor(start, requires_grad=True)
        y = transform(x)
        (slope,) = lib.autograd.grad((y * y).sum(), x, retain_graph=True)
        found.append([y, slope, transform.inv(y), transform.codomain.check(y)])
        if "Positive" not in code:
            found[-1] += [transform.log_abs_det_jacobian(x, y)]
            assert tuple(transform.inverse_shape(y.shape)) == tuple(x.shape)
            assert tuple(transform.forward_shape(x.shape)) == tuple(y.shape)
    for mine, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(mine.detach().numpy(), theirs.detach().numpy(), rtol=1e-6, atol=1e-9)


def test_constraints_of_matrices_lead_to_their_transforms() -> None:
    for lib in (mg, torch):
        constraints = lib.distributions.constraints
        for constraint, wanted in (
            (constraints.corr_cholesky, "CorrCholeskyTransform"),
            (constraints.positive_definite, "PositiveDefiniteTransform"),
            (constraints.positive_semidefinite, "PositiveDefiniteTransform"),
        ):
            assert type(lib.distributions.transform_to(constraint)).__name__ == wanted
        half = constraints.cat([constraints.positive, constraints.real], 0, [1, 2])
        assert half.check(lib.tensor([-1.0, -1.0, 2.0])).tolist() == [False, True, True]
        both = constraints.stack([constraints.positive, constraints.boolean], -1)
        assert both.check(lib.tensor([[1.0, 1.0], [-1.0, 2.0]])).tolist() == [[True, True], [False, False]]
        assert not constraints.corr_cholesky.check(lib.eye(2) * 2.0).item()
        assert constraints.positive_semidefinite.check(lib.tensor([[1.0, 1.0], [1.0, 1.0]])).item()


@pytest.mark.parametrize(("scale", "shape"), [([1.0, 2.0, 0.5], [0.3, 0.0, -0.4]), ([1.0, 1.0, 2.0], [0.6, 1.2, -1.5])])
def test_the_generalised_pareto_is_pytorchs(scale: list[float], shape: list[float]) -> None:
    def values(lib: Any) -> list[Any]:
        lib.manual_seed(0)
        given = [lib.tensor(each, requires_grad=True) for each in ([0.5, -1.0, 2.0], scale, shape)]
        family = lib.distributions.GeneralizedPareto(*given)
        draws = family.rsample((4,))
        x = draws.detach()
        found = [draws, family.mean, family.variance, family.mode, family.entropy(), family.log_prob(x), family.cdf(x)]
        found += [family.log_cdf(x), family.log_survival_function(x), family.icdf(lib.tensor([0.1, 0.5, 0.9]))]
        slopes = lib.autograd.grad(sum(each.nan_to_num().sum() for each in found), given)
        wide = family.expand((2, 3))
        ends = [family.support.lower_bound, family.support.upper_bound]
        return [each.detach().numpy() for each in (*found, *slopes, *ends, wide.concentration)]

    for ours, theirs in zip(values(mg), values(torch), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=2e-4, atol=2e-5)
    with pytest.raises(ValueError, match="to be within the support"):
        mg.distributions.GeneralizedPareto(0.0, 1.0, -0.5).log_prob(mg.tensor(2.5))


@pytest.mark.parametrize("vectors", [False, True])
def test_a_mixture_allows_what_every_component_allows(vectors: bool) -> None:
    def said(lib: Any) -> list[Any]:
        D = lib.distributions
        parts = D.Uniform(lib.tensor([[0.0, 0.5], [1.0, 0.0]]), lib.tensor([[2.0, 3.0], [3.0, 1.0]]))
        parts = D.Independent(parts, 1) if vectors else parts
        shares = [0.5, 0.5] if vectors else [[0.5, 0.5], [0.3, 0.7]]
        mixture = D.MixtureSameFamily(D.Categorical(lib.tensor(shares)), parts)
        support, x = mixture.support, lib.tensor([[0.6, 0.7], [1.5, 0.9], [0.1, 4.0]])
        with pytest.raises(ValueError, match="to be within the support"):
            mixture.log_prob(x)
        name = type(support).__name__.lstrip("_")
        return [name, support.event_dim, support.is_discrete, support.check(x).tolist()]

    assert said(mg) == said(torch)


def test_the_gamma_density_of_a_number_is_pytorchs() -> None:
    for value in (0, 1.5):
        mine, theirs = (lib.distributions.Gamma(2.0, 2.0).log_prob(value) for lib in (mg, torch))
        close(mine, theirs, str(value))
