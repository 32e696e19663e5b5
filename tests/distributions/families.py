"""One or more distributions of every family, built from plain lists on whichever library is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Make = Callable[[Any, Callable[..., Any]], Any]
"""A function that takes a library and its way to make a parameter that requires a gradient, and returns a distribution.
"""


def _of(name: str, *parameters: Any, **named: Any) -> Make:
    def make(lib: Any, p: Callable[..., Any]) -> Any:
        kind = getattr(lib.distributions, name)
        read = {key: p(value) if isinstance(value, list) else value for key, value in named.items()}
        return kind(*(p(each) if isinstance(each, list) else each for each in parameters), **read)

    return make


def _mixture(lib: Any, p: Any) -> Any:
    D = lib.distributions
    parts = D.Normal(p([[-1.0, 0.5, 2.0], [0.0, 1.0, 3.0]]), p([[0.5, 1.0, 2.0], [1.0, 1.5, 0.3]]))
    return D.MixtureSameFamily(D.Categorical(logits=p([[0.2, 0.5, -0.3], [0.0, 1.0, 2.0]])), parts)


def _mixture_of_vectors(lib: Any, p: Any) -> Any:
    D = lib.distributions
    parts = D.Independent(D.Normal(p([[-1.0, 0.5], [0.0, 1.0]]), p([[0.5, 1.0], [1.0, 1.5]])), 1)
    return D.MixtureSameFamily(D.Categorical(p([0.3, 0.7])), parts)


def _transformed(lib: Any, p: Any) -> Any:
    D = lib.distributions
    steps = [D.AffineTransform(p([0.5, -1.0]), p([2.0, -0.5])), D.TanhTransform()]
    return D.TransformedDistribution(D.Normal(p([0.1, 0.2]), p([0.5, 0.7])), steps)


def _simplex(lib: Any, p: Any) -> Any:
    D = lib.distributions
    return D.TransformedDistribution(D.Normal(p([0.1, 0.2]), p([0.5, 0.7])), D.StickBreakingTransform())


def _squashed(lib: Any, p: Any) -> Any:
    D = lib.distributions
    both = D.Independent(D.Normal(p([[0.1, 0.2], [0.0, -1.0]]), p([[0.5, 0.7], [1.0, 2.0]])), 1)
    return D.TransformedDistribution(both, [D.SigmoidTransform(), D.ExpTransform()])


FAMILIES: dict[str, Make] = {
    "continuous_bernoulli_probs": _of("ContinuousBernoulli", [0.2, 0.7, 0.5001]),
    "continuous_bernoulli_logits": _of("ContinuousBernoulli", logits=[-1.0, 2.0, 0.001]),
    "low_rank_normal": _of(
        "LowRankMultivariateNormal",
        [[0.1, 0.2, 0.3], [1.0, -1.0, 0.0]],
        [[1.0, 0.3], [0.5, -0.2], [0.1, 0.9]],
        [0.5, 1.0, 2.0],
    ),
    "lkj_cholesky": _of("LKJCholesky", 3, [0.5, 2.0]),
    "wishart_precision": _of("Wishart", [3.0, 4.5], precision_matrix=[[1.0, 0.2], [0.2, 2.0]]),
    "wishart_covariance": _of("Wishart", [5.0], covariance_matrix=[[2.0, 0.3, 0.1], [0.3, 1.0, 0.2], [0.1, 0.2, 1.5]]),
    "bernoulli_probs": _of("Bernoulli", [0.2, 0.7]),
    "bernoulli_logits": _of("Bernoulli", logits=[-1.0, 30.0, 0.0]),
    "beta": _of("Beta", [0.5, 2.0], [3.0, 1.5]),
    "binomial_probs": _of("Binomial", 5, [0.2, 0.7]),
    "binomial_logits": _of("Binomial", [5.0, 5.0], logits=[-1.0, 2.0]),
    "categorical_probs": _of("Categorical", [[0.2, 0.7, 0.6], [0.1, 0.1, 0.1]]),
    "categorical_logits": _of("Categorical", logits=[0.2, -0.7, 3.0]),
    "cauchy": _of("Cauchy", [0.0, 1.0], [1.0, 2.0]),
    "chi2": _of("Chi2", [1.0, 4.0]),
    "dirichlet": _of("Dirichlet", [[0.5, 1.0, 2.0], [3.0, 0.2, 1.0]]),
    "exponential": _of("Exponential", [0.5, 2.0]),
    "fisher_snedecor": _of("FisherSnedecor", [1.0, 5.0], [3.0, 6.0]),
    "gamma": _of("Gamma", [0.5, 1.0, 7.0], [1.0, 2.0, 0.5]),
    "geometric_probs": _of("Geometric", [0.2, 0.9]),
    "geometric_logits": _of("Geometric", logits=[0.2, -0.9]),
    "gumbel": _of("Gumbel", [0.0, 1.0], [1.0, 2.0]),
    "half_cauchy": _of("HalfCauchy", [1.0, 2.0]),
    "half_normal": _of("HalfNormal", [1.0, 2.0]),
    "independent": lambda lib, p: lib.distributions.Independent(
        lib.distributions.Normal(p([[0.0, 1.0], [2.0, 3.0]]), p([[1.0, 2.0], [1.0, 1.0]])), 1
    ),
    "inverse_gamma": _of("InverseGamma", [2.5, 3.0], [1.0, 2.0]),
    "kumaraswamy": _of("Kumaraswamy", [1.5, 2.0], [3.0, 1.5]),
    "laplace": _of("Laplace", [0.0, 1.0], [1.0, 2.0]),
    "log_normal": _of("LogNormal", [0.0, 1.0], [1.0, 0.5]),
    "logistic_normal": _of("LogisticNormal", [0.0, 1.0], [1.0, 0.5]),
    "mixture": _mixture,
    "mixture_of_vectors": _mixture_of_vectors,
    "multinomial": _of("Multinomial", 4, [[0.2, 0.7, 0.6], [0.1, 0.1, 0.1]]),
    "multivariate_normal": _of("MultivariateNormal", [0.0, 1.0], [[2.0, 0.5], [0.5, 1.0]]),
    "multivariate_normal_precision": _of("MultivariateNormal", [0.0, 1.0], precision_matrix=[[2.0, 0.5], [0.5, 1.0]]),
    "multivariate_normal_factor": _of(
        "MultivariateNormal", [[0.0, 1.0], [2.0, 3.0]], scale_tril=[[2.0, 0.0], [0.5, 1.0]]
    ),
    "negative_binomial": _of("NegativeBinomial", [3.0, 1.5], [0.2, 0.7]),
    "normal": _of("Normal", [0.0, 1.0], [1.0, 2.0]),
    "normal_numbers": _of("Normal", 0.0, 2.0),
    "one_hot": _of("OneHotCategorical", [[0.2, 0.7, 0.6], [0.1, 0.1, 0.1]]),
    "one_hot_straight_through": _of("OneHotCategoricalStraightThrough", logits=[0.2, -0.7, 3.0]),
    "pareto": _of("Pareto", [1.0, 2.0], [3.0, 2.5]),
    "poisson": _of("Poisson", [0.5, 4.0]),
    "relaxed_bernoulli": _of("RelaxedBernoulli", [0.7], [0.2, 0.7]),
    "relaxed_one_hot": _of("RelaxedOneHotCategorical", [0.7], logits=[0.2, -0.7, 0.5]),
    "squashed": _squashed,
    "stick": _simplex,
    "student_t": _of("StudentT", [1.5, 3.0], [0.0, 1.0], [1.0, 2.0]),
    "transformed": _transformed,
    "uniform": _of("Uniform", [0.0, 1.0], [1.0, 3.0]),
    "von_mises": _of("VonMises", [0.0, 1.0], [1.0, 5.0]),
    "weibull": _of("Weibull", [1.0, 2.0], [1.5, 0.8]),
}

PAIRS: dict[str, tuple[Make, Make]] = {
    "bernoulli": (_of("Bernoulli", [0.2, 0.7, 0.0]), _of("Bernoulli", logits=[0.1, 2.0, 0.3])),
    "beta": (_of("Beta", [0.5, 2.0], [3.0, 1.5]), _of("Beta", [1.5, 2.5], [0.3, 1.0])),
    "binomial": (_of("Binomial", 5, [0.2, 0.7]), _of("Binomial", 5, [0.3, 0.1])),
    "categorical": (_of("Categorical", [0.2, 0.7, 0.0]), _of("Categorical", logits=[0.2, 0.3, 0.1])),
    "cauchy": (_of("Cauchy", [0.0], [1.0]), _of("Cauchy", [1.0], [2.0])),
    "dirichlet": (_of("Dirichlet", [0.5, 1.0, 2.0]), _of("Dirichlet", [1.5, 0.3, 1.0])),
    "exponential": (_of("Exponential", [0.5]), _of("Exponential", [2.0])),
    "gamma": (_of("Gamma", [0.5, 7.0], [1.0, 2.0]), _of("Gamma", [2.0, 1.0], [3.0, 0.5])),
    "geometric": (_of("Geometric", [0.2]), _of("Geometric", [0.6])),
    "gumbel": (_of("Gumbel", [0.0], [1.0]), _of("Gumbel", [1.0], [2.0])),
    "half_normal": (_of("HalfNormal", [1.0]), _of("HalfNormal", [2.0])),
    "independent": (FAMILIES["independent"], FAMILIES["independent"]),
    "inverse_gamma": (_of("InverseGamma", [0.5, 7.0], [1.0, 2.0]), _of("InverseGamma", [2.0, 1.0], [3.0, 0.5])),
    "laplace": (_of("Laplace", [0.0], [1.0]), _of("Laplace", [1.0], [2.0])),
    "log_normal": (_of("LogNormal", [0.0], [1.0]), _of("LogNormal", [1.0], [2.0])),
    "multivariate_normal": (
        FAMILIES["multivariate_normal_factor"],
        _of("MultivariateNormal", [1.0, 1.0], [[1.0, 0.2], [0.2, 3.0]]),
    ),
    "normal": (_of("Normal", [0.0, 1.0], [1.0, 2.0]), _of("Normal", 1.0, 0.5)),
    "one_hot": (_of("OneHotCategorical", [0.2, 0.7, 0.1]), _of("OneHotCategorical", [0.3, 0.3, 0.4])),
    "pareto": (_of("Pareto", [2.0, 1.0], [3.0, 1.0]), _of("Pareto", [1.0, 2.0], [2.5, 1.0])),
    "poisson": (_of("Poisson", [0.5]), _of("Poisson", [4.0])),
    "uniform": (_of("Uniform", [0.0, 0.0], [1.0, 4.0]), _of("Uniform", [-1.0, 0.0], [3.0, 3.0])),
}

BETWEEN: dict[str, Make] = {
    "bernoulli": _of("Bernoulli", [0.2, 0.7]),
    "beta": _of("Beta", [0.5, 2.0], [3.0, 1.5]),
    "binomial": _of("Binomial", 3, [0.2, 0.7]),
    "chi2": _of("Chi2", [1.5, 4.0]),
    "continuous_bernoulli": _of("ContinuousBernoulli", [0.2, 0.5]),
    "exponential": _of("Exponential", [0.5, 2.0]),
    "gamma": _of("Gamma", [0.5, 7.0], [1.0, 2.0]),
    "gumbel": _of("Gumbel", [0.0, 1.0], [1.0, 0.5]),
    "laplace": _of("Laplace", [0.0, -1.0], [1.0, 0.5]),
    "multivariate_normal": _of("MultivariateNormal", [1.0, 1.0], [[1.0, 0.2], [0.2, 3.0]]),
    "multivariate_normal_of_low_rank": _of("LowRankMultivariateNormal", [0.5, 1.0], [[1.0], [0.5]], [0.3, 2.0]),
    "normal": _of("Normal", [0.0, 1.0], [1.0, 0.5]),
    "pareto": _of("Pareto", [0.5, 0.2], [1.5, 3.0]),
    "poisson": _of("Poisson", [0.5, 4.0]),
    "uniform": _of("Uniform", [0.05, 0.3], [0.95, 0.9]),
    "uniform_around": _of("Uniform", [-0.5, -1.0], [1.5, 1.1]),
    "uniform_partly_outside": _of("Uniform", [-0.5, 0.3], [0.5, 1.5]),
}
"""Distributions whose distances from one another are computed, two of each family."""
