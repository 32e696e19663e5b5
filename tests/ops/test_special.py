"""The approximations that stand in where SciPy is missing keep to the error bounds that they state."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad.backend import special

NEAR = np.concatenate([np.linspace(-6, 6, 2001), 10.0 ** np.arange(-300, 0, 7.0), -(10.0 ** np.arange(-300, 0, 7.0))])
POSITIVE = np.concatenate([np.linspace(0.01, 40, 2001), 10.0 ** np.arange(-20, 15.0)])
NEGATIVE = -np.linspace(0.03, 30.03, 1501)


def exact(function: Any, values: Any) -> Any:
    return np.array([function(float(x)) for x in values])


def relative(found: Any, wanted: Any) -> float:
    size = np.where(wanted == 0, 1, np.abs(wanted))
    return float(np.max(np.abs(found - wanted) / size))


def test_erf_is_as_exact_as_it_says() -> None:
    assert relative(special.OWN["erf"](NEAR), exact(math.erf, NEAR)) < 5e-16


def test_erfc_is_as_exact_as_it_says_also_where_it_is_tiny() -> None:
    values = np.linspace(-6, 26, 3001)
    assert relative(special.OWN["erfc"](values), exact(math.erfc, values)) < 1e-13


def test_erfinv_is_the_inverse_of_erf() -> None:
    y = np.concatenate([np.linspace(-0.999, 0.999, 1001), 1 - 10.0 ** -np.arange(3, 15.0), [1e-300, 1e-12]])
    x = special.OWN["erfinv"](y)
    close_to_one = np.abs(y) > 0.5
    size = np.abs(y)
    error = np.where(close_to_one, (1 - size) - exact(math.erfc, np.abs(x)), size - exact(math.erf, np.abs(x)))
    scale = np.where(close_to_one, 1 - np.abs(y), np.abs(y)) * np.maximum(1, 2 * x * x)
    assert np.max(np.abs(error) / scale) < 1e-12
    np.testing.assert_array_equal(special.OWN["erfinv"](np.array([-1.0, 0.0, 1.0, 2.0])), [-np.inf, 0, np.inf, np.nan])


def test_gammaln_is_as_exact_as_it_says() -> None:
    wanted = exact(math.lgamma, POSITIVE)
    error = np.abs(special.OWN["gammaln"](POSITIVE) - wanted)
    assert np.max(error - 2e-14 * np.abs(wanted)) < 4e-14
    wanted = exact(math.lgamma, NEGATIVE)
    assert np.max(np.abs(special.OWN["gammaln"](NEGATIVE) - wanted) / (1 + np.abs(wanted))) < 1e-12
    np.testing.assert_array_equal(special.OWN["gammaln"](np.array([0.0, -3.0, np.inf])), np.inf)


def test_digamma_is_the_slope_of_gammaln() -> None:
    assert special.OWN["digamma"](np.array([1.0]))[0] == pytest.approx(-0.57721566490153286, abs=1e-15)
    for x in (0.3, 2.5, 17.0, -2.7):
        h = 1e-5
        slope = (math.lgamma(x + h) - math.lgamma(x - h)) / (2 * h)
        assert special.OWN["digamma"](np.array([x]))[0] == pytest.approx(slope, rel=1e-8)


def test_polygamma_has_its_known_values() -> None:
    assert special.OWN["polygamma"](1, np.array([1.0]))[0] == pytest.approx(math.pi**2 / 6, rel=1e-13)
    assert special.OWN["polygamma"](2, np.array([1.0]))[0] == pytest.approx(-2 * 1.2020569031595942, rel=1e-13)
    assert special.OWN["polygamma"](3, np.array([0.5]))[0] == pytest.approx(math.pi**4, rel=1e-13)


@pytest.mark.parametrize("name", ["erf", "erfc", "erfinv", "gammaln", "digamma"])
def test_special_numbers_come_out_as_they_should(name: str) -> None:
    scipy = pytest.importorskip("scipy.special")
    values = np.array([0.0, -0.0, 1.0, np.inf, np.nan])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(special.OWN[name](values), getattr(scipy, name)(values), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_type_is_kept(dtype: Any) -> None:
    for name, function in special.OWN.items():
        arguments = (1,) if name == "polygamma" else ()
        assert function(*arguments, np.array([0.5], dtype)).dtype == dtype
        assert function(*arguments, np.array(0.5, dtype)).shape == ()
        assert function(*arguments, np.zeros((0, 2), dtype)).shape == (0, 2)


def test_a_name_that_is_not_there_is_refused() -> None:
    pytest.importorskip("scipy.special")
    with pytest.raises(AttributeError, match="there is no special function 'bessel'"):
        special.bessel  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["bessel_j0", "bessel_y1", "modified_bessel_k0", "spherical_bessel_j0", "airy_ai"])
def test_a_function_without_a_slope_takes_what_needs_a_gradient(name: str) -> None:
    """As in PyTorch, the graph ends there."""
    x = mg.tensor([0.5, 2.0], requires_grad=True)
    found = getattr(mg.special, name)(x)
    assert not found.requires_grad and found.tolist() == getattr(mg.special, name)(x.detach()).tolist()
