"""KL(p || q) of two families of distributions: the mean of -log q(x) under p, minus the entropy of p."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import singledispatch
from typing import Any

from ..core.tensor import Tensor
from ..ops.elementwise.where import where
from ..ops.shape.splitting import broadcast_shapes
from ..ops.special.error_and_gamma import xlogy
from .bernoulli import Bernoulli
from .beta import Beta
from .binomial import Binomial
from .continuous_bernoulli import ContinuousBernoulli
from .exponential import Exponential
from .gamma import Gamma
from .gumbel import EULER, Gumbel
from .kl import register_kl
from .laplace import Laplace
from .normal import Normal
from .pareto import Pareto
from .poisson import Poisson
from .uniform import Uniform

INFINITE: dict[type, tuple[type, ...]] = {
    Beta: (Pareto,),
    ContinuousBernoulli: (Pareto,),
    Exponential: (Beta, ContinuousBernoulli, Pareto, Uniform),
    Gamma: (Beta, ContinuousBernoulli, Pareto, Uniform),
    Gumbel: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Laplace: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Normal: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Pareto: (Beta, ContinuousBernoulli, Uniform),
    Poisson: (Bernoulli, Binomial),
}
"""For each p the q that give 0 to something that p draws."""


def _infinite(p: Any, q: Any) -> Tensor:
    mean: Tensor = p.mean
    return mean.new_full(broadcast_shapes(p.batch_shape, q.batch_shape), math.inf)


for _p, _others in INFINITE.items():
    for _q in _others:
        register_kl(_p, _q)(_infinite)


def _mean_of_log(q: type, *families: type) -> Callable[[Any], Any]:
    """Register E log q(x), under each of these families of p, as the part of KL(p || q) that depends on q."""

    def register(mean: Callable[[Any, Any], Tensor]) -> Any:
        for p in families:
            register_kl(p, q)(lambda p, q: -p.entropy() - mean(p, q))
        return mean

    return register


@_mean_of_log(Normal, Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Laplace, Pareto, Uniform)
def _normal(p: Any, q: Normal) -> Tensor:
    spread = (p.variance + (p.mean - q.loc) ** 2) / (2 * q.scale**2)
    return -0.5 * math.log(2 * math.pi) - q.scale.log() - spread


@_mean_of_log(Exponential, Beta, ContinuousBernoulli, Gamma, Pareto, Uniform)
def _exponential(p: Any, q: Exponential) -> Tensor:
    return _unless_negative(p, q.rate.log() - q.rate * p.mean)


@_mean_of_log(Gamma, Beta, Exponential, Pareto, Uniform)
def _gamma(p: Any, q: Gamma) -> Tensor:
    a, b = q.concentration, q.rate
    return _unless_negative(p, a * b.log() - a.lgamma() + (a - 1) * mean_log(p) - b * p.mean)


@_mean_of_log(Gumbel, Exponential, Gamma, Normal, Uniform)
def _gumbel(p: Any, q: Gumbel) -> Tensor:
    falls = (q.loc / q.scale).exp() * mean_decay(p, 1 / q.scale)
    return -q.scale.log() - (p.mean - q.loc) / q.scale - falls


@_mean_of_log(Laplace, Normal)
def _laplace(p: Normal, q: Laplace) -> Tensor:
    shift = p.loc - q.loc
    far = (-0.5 * (shift / p.scale) ** 2).exp() * p.scale * math.sqrt(2 / math.pi)
    distance = far + shift * (shift / (p.scale * math.sqrt(2))).erf()
    return -(2 * q.scale).log() - distance / q.scale


@_mean_of_log(ContinuousBernoulli, Beta, ContinuousBernoulli, Uniform)
def _continuous_bernoulli(p: Any, q: ContinuousBernoulli) -> Tensor:
    return _unless_outside(p, p.mean * q.logits + (-q.probs).log1p() + q._log_norm)


@_mean_of_log(Uniform, Beta, ContinuousBernoulli)
def _uniform(p: Any, q: Uniform) -> Tensor:
    return where((q.low > 0) | (q.high < 1), -math.inf, -(q.high - q.low).log())


@_mean_of_log(Beta, Uniform)
def _beta(p: Uniform, q: Beta) -> Tensor:
    a, b = q.concentration1, q.concentration0
    below, above = _mean_log_between(p.low, p.high), _mean_log_between(1 - p.high, 1 - p.low)
    return _unless_outside(p, (a + b).lgamma() - a.lgamma() - b.lgamma() + (a - 1) * below + (b - 1) * above)


@_mean_of_log(Pareto, Uniform)
def _pareto(p: Uniform, q: Pareto) -> Tensor:
    inside = q.alpha.log() + q.alpha * q.scale.log() - (q.alpha + 1) * mean_log(p)
    return where(p.low < q.scale, -math.inf, inside)


@_mean_of_log(Poisson, Bernoulli)
def _poisson(p: Bernoulli, q: Poisson) -> Tensor:
    return p.probs * q.rate.log() - q.rate


def _unless_negative(p: Any, mean: Tensor) -> Tensor:
    return where(p.low < 0, -math.inf, mean) if isinstance(p, Uniform) else mean


def _unless_outside(p: Any, mean: Tensor) -> Tensor:
    return where((p.low < 0) | (p.high > 1), -math.inf, mean) if isinstance(p, Uniform) else mean


@singledispatch
def mean_log(p: Any) -> Tensor:
    """E log x of positive numbers."""
    raise TypeError(f"E log x is not known for {type(p).__name__}")


@mean_log.register
def _(p: Beta) -> Tensor:
    return p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()


@mean_log.register
def _(p: Exponential) -> Tensor:
    return -EULER - p.rate.log()


@mean_log.register
def _(p: Pareto) -> Tensor:
    return p.scale.log() + 1 / p.alpha


@mean_log.register
def _(p: Uniform) -> Tensor:
    return _mean_log_between(p.low, p.high)


def _mean_log_between(low: Tensor, high: Tensor) -> Tensor:
    return (xlogy(high, high) - xlogy(low, low)) / (high - low) - 1


@singledispatch
def mean_decay(p: Any, rate: Tensor) -> Tensor:
    """E exp(-rate * x)."""
    raise TypeError(f"E exp(-rate * x) is not known for {type(p).__name__}")


@mean_decay.register
def _(p: Exponential, rate: Tensor) -> Tensor:
    return p.rate / (p.rate + rate)


@mean_decay.register
def _(p: Gamma, rate: Tensor) -> Tensor:
    return (p.rate / (p.rate + rate)) ** p.concentration


@mean_decay.register
def _(p: Normal, rate: Tensor) -> Tensor:
    return (0.5 * (p.scale * rate) ** 2 - p.loc * rate).exp()


@mean_decay.register
def _(p: Uniform, rate: Tensor) -> Tensor:
    return ((-p.low * rate).exp() - (-p.high * rate).exp()) / (rate * (p.high - p.low))
