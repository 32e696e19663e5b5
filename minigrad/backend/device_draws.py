"""Random numbers on a device whose array library has a generator like NumPy's, such as CuPy on a GPU.

The distributions are those of PyTorch; the numbers for a seed are not. `twister` has the same methods for the CPU.
"""

from __future__ import annotations

import math
from typing import Any

from .. import dtypes


class DeviceDraws:
    """A stream of random numbers from `generator`, which has the methods of NumPy's ``Generator``."""

    def __init__(self, generator: Any, backend: Any) -> None:
        self.generator = generator
        self.backend = backend

    def uniform(self, shape: tuple[int, ...], dtype: dtypes.dtype, low: float = 0.0, high: float = 1.0) -> Any:
        """Draw numbers in [low, high)."""
        if dtype.is_complex:
            part = dtypes.real_of(dtype)
            return (self.uniform(shape, part, low, high) + 1j * self.uniform(shape, part, low, high)).astype(
                dtype.numpy
            )
        if dtype.itemsize < 4:  # multiples of the smallest step, which never round up to 1
            steps = dtypes.largest_integer(dtype)
            drawn = (self.generator.integers(0, steps, shape) / steps).astype(dtype.numpy)
        else:
            drawn = self.generator.random(shape, dtype=dtype.numpy)
        return drawn if (low, high) == (0.0, 1.0) else (drawn * (high - low) + low).astype(dtype.numpy)

    def normal(
        self, shape: tuple[int, ...], dtype: dtypes.dtype, mean: float = 0.0, std: float = 1.0, serial: bool = False
    ) -> Any:
        """Draw normal numbers. `serial` has no effect."""
        if dtype.is_complex:
            part = dtypes.real_of(dtype)
            drawn = (self.normal(shape, part) + 1j * self.normal(shape, part)) * math.sqrt(0.5)
        else:
            drawn = self.generator.standard_normal(shape, dtype="float64" if dtype.itemsize == 8 else "float32")
        return (drawn * std + mean).astype(dtype.numpy)

    def exponential(self, shape: tuple[int, ...], dtype: dtypes.dtype, rate: float = 1.0) -> Any:
        """Draw numbers from the exponential distribution."""
        return (self.generator.standard_exponential(shape) / rate).astype(dtype.numpy)

    def cauchy(self, shape: tuple[int, ...], dtype: dtypes.dtype, median: float, sigma: float) -> Any:
        """Draw numbers from the Cauchy distribution."""
        drawn = self.backend.tan(math.pi * (self.generator.random(shape) - 0.5)) * sigma + median
        return drawn.astype(dtype.numpy)

    def log_normal(self, shape: tuple[int, ...], dtype: dtypes.dtype, mean: float, std: float) -> Any:
        """Draw numbers whose logarithms are normal."""
        return self.backend.exp(self.normal(shape, dtypes.float64, mean, std)).astype(dtype.numpy)

    def integers(self, low: int, high: int, shape: tuple[int, ...], dtype: dtypes.dtype) -> Any:
        """Draw integers in [low, high)."""
        return self.generator.integers(low, high, shape).astype(dtype.numpy)

    def any_integers(self, shape: tuple[int, ...], dtype: dtypes.dtype) -> Any:
        """Draw integers from 0 to the largest integer up to which the dtype represents all integers."""
        return self.integers(0, min(dtypes.largest_integer(dtype), 2**63 - 2) + 1, shape, dtype)

    def permutation(self, count: int) -> Any:
        """Return the integers below `count` in random order."""
        return self.backend.argsort(self.generator.random(count))

    def bernoulli(self, shape: tuple[int, ...], chance: float) -> Any:
        """Draw booleans that are True with probability `chance`."""
        return self.generator.random(shape) < chance

    def bernoulli_each(self, chances: Any) -> Any:
        """Draw booleans that are True with the probabilities in the array `chances`."""
        return self.generator.random(chances.shape) < chances

    def geometric(self, shape: tuple[int, ...], dtype: dtypes.dtype, chance: float) -> Any:
        """Draw the number of trials up to the first success."""
        return self.generator.geometric(chance, shape).astype(dtype.numpy)

    def poisson(self, rates: Any) -> Any:
        """Draw Poisson counts with the rates in the array `rates`."""
        return self.generator.poisson(rates)

    def gamma(self, alphas: Any) -> Any:
        """Draw gamma numbers of rate 1 with the shape parameters in the array `alphas`."""
        return self.generator.standard_gamma(alphas)

    def binomial(self, trials: Any, chances: Any) -> Any:
        """Draw binomial counts of successes. `trials` and `chances` have the same shape."""
        return self.generator.binomial(trials.astype("int64"), chances).astype("float64")
