"""Random numbers without an op of their own: gamma numbers with a gradient, and binomial counts."""

from __future__ import annotations

from typing import Any

from .. import dtypes
from ..core.batch import Batch
from ..core.grad_mode import no_grad
from ..core.interpreter import drawing
from ..core.size import Size
from ..core.tensor import Tensor, wrap
from ..errors import ArgumentError
from ..ops.create.factories import zeros
from ..ops.elementwise.where import where
from ..ops.random.distributions import rand, randn, source
from ..ops.shape.splitting import broadcast_shapes

LARGE = 1000.0
"""Above this shape parameter, the derivative of a gamma number uses a normal approximation."""

FEW = 32
"""Up to this many trials, binomial counts are sums of single trials."""


def standard_gamma(alpha: Tensor) -> Tensor:
    """Draw from the gamma distributions of rate 1 with shape parameters `alpha`; gradients flow to `alpha`.

    The draw follows Marsaglia and Tsang, "A simple method for generating gamma variables" (2000). The derivative is
    that of the implicit function: at a fixed probability F(z; alpha), dz/dalpha = -(dF/dalpha) / (dF/dz).
    """
    with no_grad():
        wide = alpha.detach().double()
        drawn = _marsaglia_tsang(wide)
        slope = gamma_slope(wide, drawn).to(alpha.dtype) if alpha.requires_grad else None
        drawn = drawn.to(alpha.dtype).clamp(min=dtypes.finfo(alpha.dtype).tiny)
    return drawn if slope is None else drawn + slope * (alpha - alpha.detach())


@drawing
def _marsaglia_tsang(alpha: Tensor) -> Tensor:
    """Draw gamma numbers: on the CPU PyTorch's numbers; under vmap for all examples at once."""
    draw = _source(alpha)
    return _all_at_once(alpha) if draw is None else wrap(draw.gamma(alpha._array), alpha._backend)


def _source(like: Tensor) -> Any:
    """Return the device's source of random numbers, or None under vmap."""
    return None if type(like._array) is Batch else source(None, like._backend)


def _all_at_once(alpha: Tensor) -> Tensor:
    """Accept or reject cubes of normal numbers; for alpha below 1, draw for alpha + 1 and scale down."""
    shape, small = alpha.shape, alpha < 1
    d = (where(small, alpha + 1, alpha) - 1 / 3).reshape(-1)
    c = 1 / (3 * d.sqrt())
    result = d.clone()
    left = (d == d).nonzero().reshape(-1)
    while left.numel():
        x = randn(left.numel(), dtype=dtypes.float64, device=alpha.device)
        u = rand(left.numel(), dtype=dtypes.float64, device=alpha.device)
        cube = (1 + c[left] * x) ** 3
        bound = 0.5 * x * x + d[left] * (1 - cube + cube.clamp(min=1e-300).log())
        accepted = (cube > 0) & (u.log() < bound)
        result[left[accepted]] = (d[left] * cube)[accepted]
        left = left[~accepted]
    drawn = result.reshape(shape)
    boost = 1 - rand(shape, dtype=dtypes.float64, device=alpha.device)
    return where(small, drawn * boost ** (1 / alpha), drawn)


def gamma_slope(alpha: Tensor, drawn: Tensor) -> Tensor:
    """dz/dalpha of gamma numbers `drawn` at a fixed probability.

    With the series of the lower incomplete gamma function, F = sum_n z^(alpha+n) e^-z / Gamma(alpha+n+1), it is
    sum_n c_n (psi(alpha+n+1) - log z), where c_n = z^(n+1) Gamma(alpha) / Gamma(alpha+n+1). For large alpha it comes
    from Wilson and Hilferty's cube of a normal number.
    """
    cubed = (drawn / alpha) ** (1 / 3)
    normal = 3 * alpha.sqrt() * (cubed - 1 + 1 / (9 * alpha))
    slope = cubed**3 + 3 * alpha * cubed**2 * (1 / (9 * alpha**2) - normal / (6 * alpha**1.5))
    near = (alpha <= LARGE) & (drawn > 0)
    a, z = alpha[near], drawn[near]
    if not a.numel():
        return slope
    term, psi, log = z / a, (a + 1).digamma(), z.log()
    total = term * (psi - log)
    n = 1
    while bool((term.abs() * (psi - log).abs() > 1e-17 * total.abs()).any()) or bool((z > a + n).any()):
        term = term * z / (a + n)
        psi = psi + 1 / (a + n)
        total = total + term * (psi - log)
        n += 1
    slope[near] = total
    slope[(alpha <= LARGE) & (drawn <= 0)] = 0.0
    return slope


def dirichlet(concentration: Tensor) -> Tensor:
    """Draw rows that sum to 1: gamma numbers divided by their sum, rounded to neither 0 nor 1."""
    drawn, limits = standard_gamma(concentration.double()), dtypes.finfo(concentration.dtype)
    shares = (drawn / drawn.sum(-1, keepdim=True)).to(concentration.dtype)
    return shares.clamp(limits.tiny, 1 - limits.eps / 2)


@drawing
def binomial(count: Tensor, prob: Tensor, *, generator: Any = None) -> Tensor:
    """Draw the number of successes in `count` trials with success probability `prob`.

    A large number of trials is halved repeatedly, by the median of as many uniform numbers, which has a beta
    distribution (Relles, "A simple algorithm for generating binomial random variables when N is large", 1972); few
    trials are summed.
    """
    for name, each in (("count", count), ("prob", prob)):
        if not each.dtype.is_floating_point:
            raise ArgumentError(f"binomial only supports floating-point dtypes for {name}, got: {each.dtype.type_name}")
    shape, dtype = broadcast_shapes(count.shape, prob.shape), prob.dtype
    probs, draw = prob.broadcast_to(shape), _source(prob)
    if draw is not None and type(count._array) is not Batch:
        draw = draw if generator is None else source(generator, prob._backend)
        trials = count.double().broadcast_to(shape)._array
        return wrap(draw.binomial(trials, probs.double()._array), probs._backend).to(dtype)
    n, p = count.double().broadcast_to(shape).clone(), probs.double().clone()
    total = zeros(shape, dtype=dtypes.float64, device=probs.device)
    while bool((n > FEW).any()):
        many = n > FEW
        below = where(many, (n / 2).floor() + 1, 1.0)
        above = where(many, n + 1 - below, 1.0)
        x, y = standard_gamma(below), standard_gamma(above)
        middle = x / (x + y)
        low = middle <= p
        total = total + where(many & low, below, 0.0)
        rest = where(low, n - below, below - 1)
        chance = where(low, (p - middle) / (1 - middle), p / middle).clamp(0.0, 1.0)
        n, p = where(many, rest, n), where(many, chance, p)
    for trial in range(int(n.max().item()) if n.numel() else 0):
        total = total + ((rand(shape, dtype=dtypes.float64, device=probs.device) < p) & (trial < n)).double()
    return total.to(dtype)


def uniform(shape: Size, like: Tensor) -> Tensor:
    """Draw uniform numbers from [0, 1) in the dtype of `like`."""
    return rand(shape, dtype=like.dtype, device=like.device)


def open_uniform(shape: Size, like: Tensor) -> Tensor:
    """Draw uniform numbers from (0, 1), without either end."""
    info = dtypes.finfo(like.dtype)
    return uniform(shape, like).clamp(min=info.tiny, max=1 - info.eps)


def standard_normal(shape: Size, like: Tensor) -> Tensor:
    """Draw standard normal numbers in the dtype of `like`."""
    return randn(shape, dtype=like.dtype, device=like.device)
