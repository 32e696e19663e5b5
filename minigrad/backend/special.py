"""Functions that NumPy lacks, for NumPy arrays: SciPy's if it is installed, else the approximations here.

Each approximation states its method and its largest error, compared with values of 40 digits; a test checks that. All
compute in float64 and return the dtype of their input.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import MissingRuleError

Array = Any

# Chebyshev coefficients of erf(x) / x as a function of 2x² - 1, for |x| <= 1.
ERF_NEAR = (
    0.9754769393826541, -0.14226120510371365, 0.010035582187599796, -0.0005768764699767485, 2.741993125219606e-05,
    -1.1043175507344507e-06, 3.8488755420345036e-08, -1.1808582533875466e-09, 3.2334215826050907e-11,
    -7.991015947004483e-13,
    1.799072511348477e-14, -3.718635162421382e-16, 7.101507363020076e-18,
)  # fmt: skip

# Chebyshev coefficients of (x + 3) exp(x²) erfc(x), for x >= 1, as a function of (x - 3) / (x + 3), which is
# stretched over [-1, 1].
ERFC_FAR = (
    1.0079562350049418, -0.5490126768722887, 0.12580111227947868, -0.02371106682114769,
    0.0034938267093962277, -0.00035185619584724635, 1.1298923957331285e-05, 3.2408778922441323e-06,
    -5.385726065139512e-07, -8.461490822043964e-10, 9.90400760773998e-09, -7.036403525235503e-10,
    -1.6664490530532747e-10, 2.4118929080791737e-11, 3.0260917013936146e-12, -6.931601733003409e-13,
    -6.602568077359774e-14, 1.9752840859460275e-14, 1.8539921178603998e-15, -5.758903534766588e-16,
    -6.545410534355809e-17, 1.6917484038691077e-17, 2.764948906112598e-18,
)  # fmt: skip

# B(2k) / (2k)! for k = 1, 2, ...: Bernoulli numbers, as in the Euler-Maclaurin formula.
BERNOULLI = (
    1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600,
    -3617 / 10670622842880000,
)  # fmt: skip
FAR = 10
"""From here on the asymptotic series are exact to double precision; smaller arguments are shifted up to it."""


def in_double(function: Callable[..., Array]) -> Callable[..., Array]:
    """Wrap `function` to compute in float64 without warnings, and to return the dtype of its last argument."""

    @functools.wraps(function)
    def call(*args: Any) -> Array:
        x = np.asarray(args[-1])
        with np.errstate(all="ignore"):
            return np.asarray(function(*args[:-1], x.astype(np.float64))).astype(x.dtype)

    return call


def _chebyshev(coefficients: tuple[float, ...], x: Array) -> Array:
    """The sum of c_k T_k(x), by Clenshaw's recurrence."""
    last = before = np.zeros_like(x)
    for coefficient in coefficients[:0:-1]:
        last, before = coefficient + 2 * x * last - before, last
    return coefficients[0] + x * last - before


def _erf_near(x: Array) -> Array:
    return x * _chebyshev(ERF_NEAR, 2 * x * x - 1)


def _erfc_far(x: Array) -> Array:
    place = np.where(np.isinf(x), 1.0, (x - 3) / (x + 3))  # from -1/2 to 1
    return np.exp(-x * x) * _chebyshev(ERFC_FAR, (4 * place - 1) / 3) / (x + 3)


@in_double
def _erf(x: Array) -> Array:
    """The error function; relative error below 4e-16."""
    size = np.abs(x)
    near, far = np.minimum(size, 1), np.maximum(size, 1)
    return np.copysign(np.where(size < 1, _erf_near(near), 1 - _erfc_far(far)), x)


@in_double
def _erfc(x: Array) -> Array:
    """1 - erf(x), exact where that is tiny too; relative error below 1e-13, which is that of exp(-x²)."""
    size = np.abs(x)
    near, far = np.clip(x, -1, 1), np.maximum(size, 1)
    tail = _erfc_far(far)
    return np.where(size < 1, 1 - _erf_near(near), np.where(x < 0, 2 - tail, tail))


@in_double
def _erfinv(y: Array) -> Array:
    """The inverse of erf: a closed form with error 0.002, then Halley's steps; relative error below 1e-13."""
    size = np.abs(y)
    rest = np.where(size < 1, np.log1p(-size * size), -1.0)
    half = 2 / (math.pi * 0.147) + rest / 2
    x = np.sqrt(np.sqrt(half * half - rest / 0.147) - half)
    for _ in range(3):
        error = np.where(size < 0.5, _erf(x) - size, (1 - size) - _erfc(x))
        step = error / (2 / math.sqrt(math.pi) * np.exp(-x * x))
        x = x - step / (1 + x * step)
    x = np.where(size == 0, 0.0, np.where(size == 1, np.inf, np.where(size > 1, np.nan, x)))
    return np.copysign(x, y) + 0 * np.where(np.isnan(y), y, 0)


def _shifted(x: Array) -> tuple[Array, Array, Array]:
    """Return x + n >= `FAR`, the logarithm of x (x + 1) ... (x + n - 1), and these factors, for x > 0."""
    count = np.ceil(np.maximum(FAR - x, 0))
    product, factors = np.ones_like(x), []
    for i in range(FAR):
        factor = np.where(i < count, x + i, 1.0)
        product = product * factor
        factors.append(factor)
    return x + count, np.log(product), factors


@in_double
def _gammaln(x: Array) -> Array:
    """The logarithm of |Γ|: Stirling's series, shifted and reflected; absolute error below 4e-14 near its zeros, else
    relative error below 1e-14."""
    mirrored = x < 0.5
    y = np.where(mirrored, 1 - x, x)
    far, shift, _ = _shifted(np.where(np.isfinite(y), y, 1.0))
    series, power = 0.0, 1 / far
    for k, coefficient in enumerate(BERNOULLI, 1):
        series = series + coefficient * math.factorial(2 * k - 2) * power
        power = power / (far * far)
    result = (far - 0.5) * np.log(far) - far + 0.5 * math.log(2 * math.pi) + series - shift
    whole = mirrored & (x == np.floor(x))
    reflection = math.log(math.pi) - np.log(np.abs(np.sin(math.pi * (x - np.floor(x)))))
    result = np.where(mirrored, np.where(whole, np.inf, reflection - result), result)
    return np.where(np.isinf(x), np.inf, np.where(np.isnan(x), x, result))


@in_double
def _digamma(x: Array) -> Array:
    """The derivative of log Γ: the asymptotic series, shifted and reflected; error below 1e-13 (1 + |result|)."""
    mirrored = x < 0.5
    y = np.where(mirrored, 1 - x, x)
    far, _, factors = _shifted(np.where(np.isfinite(y), y, 1.0))
    counted = np.ceil(np.maximum(FAR - y, 0))
    lost = sum(np.where(i < counted, 1 / factor, 0.0) for i, factor in enumerate(factors))
    series, power = 0.0, 1 / (far * far)
    for k, coefficient in enumerate(BERNOULLI, 1):
        series = series + coefficient * math.factorial(2 * k - 1) * power
        power = power / (far * far)
    result = np.log(far) - 0.5 / far - series - lost
    result = np.where(mirrored, result - math.pi / np.tan(math.pi * (x - np.floor(x))), result)
    pole = np.where(x == 0, np.copysign(np.inf, -x), np.nan)
    result = np.where((x <= 0) & (x == np.floor(x)), pole, result)
    return np.where(np.isposinf(x), np.inf, np.where(np.isnan(x) | np.isneginf(x), np.nan, result))


def _zeta(order: float, x: Array) -> Array:
    """The sum of 1 / (x + k)^order over all k >= 0, by the Euler-Maclaurin formula; relative error below 1e-13."""
    count = int(np.ceil(np.clip(FAR - np.min(x, initial=FAR), 0, 10_000)))
    total = sum((np.power(x + k, -order) for k in range(count)), np.zeros_like(x))
    far = x + count
    total = total + np.power(far, 1 - order) / (order - 1) + np.power(far, -order) / 2
    factor, power = order, np.power(far, -order - 1)
    for k, coefficient in enumerate(BERNOULLI, 1):
        total = total + coefficient * factor * power
        factor *= (order + 2 * k - 1) * (order + 2 * k)
        power = power / (far * far)
    return total


@in_double
def _polygamma(n: int, x: Array) -> Array:
    """The n-th derivative of digamma; relative error below 1e-12."""
    if n == 0:
        return _digamma(x)
    return (-1) ** (n + 1) * math.factorial(n) * _zeta(n + 1, x)


def _cast_like(function: Callable[..., Array]) -> Callable[..., Array]:
    """Wrap SciPy's `function`; half-precision input is computed in float32."""

    def call(*args: Any) -> Any:
        kind = np.asarray(args[-1]).dtype
        given = [_at_least_single(each) for each in args]
        with np.errstate(all="ignore"):
            found = function(*given)
        return tuple([each.astype(kind) for each in found]) if isinstance(found, tuple) else found.astype(kind)

    return call


def _at_least_single(value: Any) -> Any:
    return value.astype(np.float32) if getattr(value, "itemsize", 4) < 4 else value


OWN: dict[str, Callable[..., Array]] = {
    "erf": _erf, "erfc": _erfc, "erfinv": _erfinv, "gammaln": _gammaln, "digamma": _digamma, "polygamma": _polygamma,
}  # fmt: skip


@functools.cache
def find(name: str) -> Callable[..., Array]:
    """Return the function called `name`: SciPy's, or the one in this file."""
    try:
        from scipy import special
    except ImportError:
        if name not in OWN:
            raise MissingRuleError(f"{name} is computed by SciPy, which is not installed: pip install scipy") from None
        return OWN[name]
    if not hasattr(special, name):
        raise AttributeError(f"there is no special function {name!r}")
    return _cast_like(getattr(special, name))


def __getattr__(name: str) -> Callable[..., Array]:
    if name.startswith("_"):
        raise AttributeError(name)
    return find(name)
