"""The CPU's random numbers: those that PyTorch's CPU generator draws from the same seed.

The source is the Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998), seeded with the low 32 bits of the seed like
NumPy's ``RandomState``. It yields words of 32 bits. How PyTorch uses them was found by observing its draws:

    float32, float16, bfloat16    the low 24 bits of one word, as a fraction of 2**24
    float64                       the low 53 bits of two words, the high one first, as a fraction of 2**53
    integers below n              one word modulo n; two words from n = 2**28 on
    normal, 16 elements and more  Box and Muller (1958) on blocks of 16: eight radii, then eight angles. A last block
                                  that is short draws the last 16 elements anew.
    normal, fewer, or strided     Box and Muller one pair at a time, in float64; the second of a pair waits in `spare`
    bernoulli(p)                  1 where a float64 is below p; with a tensor of chances, where a number of its dtype is
    exponential, cauchy, ...      the inverse of the distribution function at a float64

Uniforms and integers are PyTorch's bit for bit; normals differ in the last digits, by less than 1e-6.
"""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dtypes
from ..errors import StateError
from .binomial import binomial
from .gamma import gamma
from .poisson import few, many

BLOCK = 1 << 16
"""The number of elements made at once, few enough for the cache. A multiple of 16."""

SMALL = 1 << 10
"""Below this count ``random_raw`` is faster than ``Generator.integers``."""

HALF = np.uint64(32)
LOW24, LOW53 = np.uint32(2**24 - 1), np.uint64(2**53 - 1)
STEP32, STEP64 = np.float32(2.0**-24), 2.0**-53

STATE = struct.Struct("<Q i i Q 624Q d d d i 4x f ? 3x")
"""PyTorch's layout of a CPU generator's state, 5056 bytes: the seed; how many words are left until the next twist, plus
1; whether it is seeded; the place of the next word; the words, 8 bytes each; of the second normal only y is used."""


class Twister:
    """A stream of random numbers on the CPU, with PyTorch's numbers for a seed."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.spare: float | None = None
        """The second normal number of a pair whose first has been drawn."""
        self._bits = np.random.MT19937(0)
        np.random.RandomState(self._bits).seed(seed & 0xFFFFFFFF)
        self._raw = self._bits.random_raw
        self._numpy = np.random.Generator(self._bits)

    # 32-bit words

    def _words(self, count: int) -> Any:
        """Return `count` words, as uint32."""
        if count < SMALL or count % 2 or sys.byteorder == "big":
            return self._raw(count).astype(np.uint32)
        pairs = self._pairs(count // 2)  # NumPy draws two words together faster, but with the first in the high half
        second = pairs >> HALF
        pairs <<= HALF
        pairs |= second
        return pairs.view(np.uint32)

    def _pairs(self, count: int) -> Any:
        """Return `count` pairs of words, each as the two halves of a uint64."""
        if count < SMALL:
            words = self._raw(2 * count)
            return words[::2] << HALF | words[1::2]
        return self._numpy.integers(0, 0xFFFFFFFFFFFFFFFF, count, np.uint64, True)

    def _singles(self, count: int, out: Any = None, scale: Any = STEP32) -> Any:
        """Return float32 numbers in [0, 1), times `scale` * 2**24."""
        words = self._words(count)
        words &= LOW24
        return np.multiply(words.view(np.int32).astype(np.float32), scale, out, casting="unsafe")

    def _doubles(self, count: int, out: Any = None) -> Any:
        """Return float64 numbers in [0, 1)."""
        words = self._pairs(count)
        words &= LOW53
        return np.multiply(words.view(np.int64).astype(np.float64), STEP64, out)

    # Continuous distributions

    def uniform(self, shape: tuple[int, ...], dtype: dtypes.dtype, low: float = 0.0, high: float = 1.0) -> Any:
        """Draw numbers in [low, high)."""
        if dtype.is_complex:
            return self.uniform((*shape, 2), dtypes.real_of(dtype), low, high).view(dtype.numpy)[..., 0]
        if dtype is dtypes.float64:
            if (low, high) == (0.0, 1.0):
                return _in_blocks(shape, dtype, lambda out: self._doubles(out.size, out))
            return _in_blocks(shape, dtype, lambda out: _put(out, _between(self._doubles(out.size), low, high)))
        start, end = np.float32(low), np.float32(high)
        scale = (end - start) * STEP32
        if start == 0:
            drawn = _in_blocks(shape, dtype, lambda out: self._singles(out.size, out, scale))
        else:
            drawn = _in_blocks(shape, dtype, lambda out: self._between(out, float(scale), float(start)))
        if (dtype.itemsize < 4 or start != 0) and start != end:
            drawn[drawn == dtype.numpy.type(end)] = start  # rounded up to `high`, which is excluded
        return drawn

    def _between(self, out: Any, scale: float, low: float) -> None:
        """Do what `_singles` does, plus `low`, rounded once as by a fused multiply-add: float64 holds the product."""
        words = self._words(out.size)
        words &= LOW24
        drawn = words.view(np.int32) * scale
        drawn += low
        _put(out, drawn.astype(np.float32))

    def normal(
        self, shape: tuple[int, ...], dtype: dtypes.dtype, mean: float = 0.0, std: float = 1.0, serial: bool = False
    ) -> Any:
        """Draw normal numbers; `serial` draws one by one, as PyTorch does for tensors that are not contiguous."""
        if dtype.is_complex:
            parts = self.normal((*shape, 2), dtypes.real_of(dtype), mean, std * math.sqrt(0.5), serial)
            return parts.view(dtype.numpy)[..., 0]  # PyTorch adds the mean to the real and the imaginary part
        count = math.prod(shape)
        if serial or count < 16:
            drawn = self._one_by_one(count)
            return (drawn * std + mean).astype(dtype.numpy).reshape(shape)
        out = np.empty(count, dtype.numpy)
        fractions = self._doubles if dtype is dtypes.float64 else self._singles
        short = count % 16
        for start in range(0, count - short, BLOCK):
            size = min(BLOCK, count - short - start)
            if short and start + size + short == count:  # the last 16 are drawn again
                first = fractions(size if dtype.itemsize < 4 else size + short)[:size]
                drawn = _turned(np.concatenate((first, fractions(16))), mean, std)
                out[start : start + size] = drawn[:size]
                out[-16:] = drawn[size:]
            else:
                out[start : start + size] = _turned(fractions(size), mean, std)
        return out.reshape(shape)

    def _one_by_one(self, count: int) -> Any:
        """Draw standard normal numbers, as float64."""
        first: list[float] = [] if self.spare is None or not count else [self.spare]
        pairs = (count - len(first) + 1) // 2
        drawn: Any
        if pairs < 8:
            drawn = self._few(pairs)
        else:
            angles, radii = self._doubles(2 * pairs).reshape(pairs, 2).T
            radii, angles = np.sqrt(-2.0 * np.log1p(-radii)), angles * (2 * math.pi)
            drawn = np.stack((radii * np.cos(angles), radii * np.sin(angles)), axis=1).reshape(-1)
        if count:
            self.spare = float(drawn[-1]) if len(first) + 2 * pairs > count else None
        return np.concatenate((first, drawn))[:count]

    def _few(self, pairs: int) -> list[float]:
        drawn: list[float] = []
        words = self._pairs(2 * pairs).tolist()
        for a, b in zip(words[::2], words[1::2], strict=True):
            angle = (a & 0x1FFFFFFFFFFFFF) * STEP64 * 2 * math.pi
            radius = math.sqrt(-2.0 * math.log1p(-(b & 0x1FFFFFFFFFFFFF) * STEP64))
            drawn += (radius * math.cos(angle), radius * math.sin(angle))
        return drawn

    def exponential(self, shape: tuple[int, ...], dtype: dtypes.dtype, rate: float = 1.0) -> Any:
        """Draw numbers from the exponential distribution."""
        return _in_blocks(shape, dtype, lambda out: _put(out, np.log(1 - self._doubles(out.size)) / -rate))

    def cauchy(self, shape: tuple[int, ...], dtype: dtypes.dtype, median: float, sigma: float) -> Any:
        """Draw numbers from the Cauchy distribution."""
        return _in_blocks(
            shape, dtype, lambda out: _put(out, np.tan(math.pi * (self._doubles(out.size) - 0.5)) * sigma + median)
        )

    def log_normal(self, shape: tuple[int, ...], dtype: dtypes.dtype, mean: float, std: float) -> Any:
        """Draw numbers whose logarithms are normal."""
        return np.exp(self.normal(shape, dtypes.float64, mean, std, serial=True)).astype(dtype.numpy)

    # Integers and discrete distributions

    def integers(self, low: int, high: int, shape: tuple[int, ...], dtype: dtypes.dtype) -> Any:
        """Draw integers in [low, high)."""
        span = high - low
        if span < 1 << 28:
            return _in_blocks(
                shape, dtype, lambda out: _put(out, (self._words(out.size) % np.uint32(span)).astype(np.int64) + low)
            )
        return self._wide(low, span, shape, dtype)

    def any_integers(self, shape: tuple[int, ...], dtype: dtypes.dtype) -> Any:
        """Draw integers from 0 to the largest integer up to which the dtype represents all integers."""
        largest = dtypes.largest_integer(dtype)
        if dtype.itemsize < 8:
            return _in_blocks(shape, dtype, lambda out: _put(out, self._words(out.size) % np.uint32(largest + 1)))
        return self._wide(0, largest + 1, shape, dtype)

    def _wide(self, low: int, span: int, shape: tuple[int, ...], dtype: dtypes.dtype) -> Any:
        def make(out: Any) -> None:
            words = self._pairs(out.size)
            if span < 1 << 64:
                words %= np.uint64(span)
            words += np.uint64(low & 0xFFFFFFFFFFFFFFFF)  # wraps around for a negative `low`
            _put(out, words.view(np.int64))

        return _in_blocks(shape, dtype, make)

    def permutation(self, count: int) -> Any:
        """Return the integers below `count` in random order, as int64: Fisher and Yates' shuffle from the front."""
        order = list(range(count))
        if count > 1:
            steps = np.arange(count - 1)
            places = (steps + self._words(count - 1) % (count - steps).astype(np.uint32)).tolist()
            for i, j in enumerate(places):
                order[i], order[j] = order[j], order[i]
        return np.array(order, np.int64)

    def bernoulli(self, shape: tuple[int, ...], chance: float) -> Any:
        """Draw booleans that are True with probability `chance`."""
        limit = np.uint64(math.ceil(float(chance) * 2**53))  # u * 2**53 < p * 2**53, in integers
        return _in_blocks(shape, dtypes.bool_, lambda out: np.less(self._pairs(out.size) & LOW53, limit, out))

    def bernoulli_each(self, chances: Any) -> Any:
        """Draw booleans that are True with the probabilities in the array `chances`."""
        dtype = dtypes.float64 if chances.dtype == np.float64 else dtypes.float32
        return self.uniform(chances.shape, dtype) < chances.astype(dtype.numpy)

    def geometric(self, shape: tuple[int, ...], dtype: dtypes.dtype, chance: float) -> Any:
        """Draw the number of trials up to the first success."""

        def make(out: Any) -> None:
            with np.errstate(divide="ignore"):
                trials = np.ceil(np.log(self._doubles(out.size)) / math.log(1 - chance))
            _put(out, trials if dtype.is_floating_point else np.minimum(trials, 2.0**62).astype(np.int64))

        return _in_blocks(shape, dtype, make)

    def poisson(self, rates: Any) -> Any:
        """Draw Poisson counts for an array of rates, one by one, since each takes a varying number of words."""
        next_ = self._double
        drawn = [many(next_, rate) if rate >= 10 else few(next_, rate) for rate in rates.ravel().tolist()]
        return np.array(drawn, np.float64).reshape(rates.shape)

    def gamma(self, alphas: Any) -> Any:
        """Draw gamma numbers of rate 1 for an array of shape parameters, one by one."""
        uniform, normal = self._double, self._normal
        return np.array([gamma(uniform, normal, alpha) for alpha in alphas.ravel().tolist()]).reshape(alphas.shape)

    def binomial(self, trials: Any, chances: Any) -> Any:
        """Draw binomial counts, one by one. `trials` and `chances` have the same shape."""
        pairs = zip(trials.ravel().tolist(), chances.ravel().tolist(), strict=True)
        return np.array([binomial(self._double, n, p) for n, p in pairs], np.float64).reshape(trials.shape)

    def _normal(self) -> float:
        if self.spare is None:
            drawn, self.spare = self._few(1)
        else:
            drawn, self.spare = self.spare, None
        return drawn

    def _double(self) -> float:
        high, low = self._raw(), self._raw()
        return ((high & 0x1FFFFF) << 32 | low) * STEP64

    # The generator's state

    def state_bytes(self) -> bytes:
        """Return the state in PyTorch's layout."""
        inner = self._bits.state["state"]
        place = inner["pos"]
        fresh = place == 624 and inner["key"][0] == self.seed & 0xFFFFFFFF  # seeded, and no word drawn yet
        spare = 0.0 if self.spare is None else self.spare
        places = (625 - place, 1, 0 if fresh else place)
        return STATE.pack(
            self.seed, *places, *inner["key"].tolist(), 0.0, spare, 0.0, self.spare is not None, 0.0, False
        )

    def set_state_bytes(self, state: bytes) -> None:
        """Restore a state from `state_bytes` or from PyTorch's ``get_state``."""
        if len(state) != STATE.size:
            raise StateError(
                f"Expected a CPUGeneratorImplState of size {STATE.size} but found the input RNG state size to be "
                f"{len(state)}"
            )
        seed, left, seeded, following, *words = STATE.unpack(state)
        if not seeded or not 1 <= left <= 624 or (left > 1 and following + left != 625):
            raise StateError("Invalid mt19937 state: these bytes did not come from get_state()")
        key = np.array(words[:624], np.uint64).astype(np.uint32)
        self._bits.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": 625 - left}}
        self.seed, self.spare = seed, words[625] if words[627] else None


def _in_blocks(shape: tuple[int, ...], dtype: dtypes.dtype, write: Callable[[Any], Any]) -> Any:
    """Return an array of `shape`, filled by `write(block)` one block at a time."""
    out = np.empty(shape, dtype.numpy)
    flat = out.reshape(-1)
    for start in range(0, flat.size, BLOCK):
        write(flat[start : start + BLOCK])
    return out


def _put(out: Any, values: Any) -> None:
    np.copyto(out, values, casting="unsafe")


def _between(fractions: Any, low: float, high: float) -> Any:
    """Return ``low + (high - low) * fractions``, rounded once as by a fused multiply-add (Dekker, 1971)."""
    scale = high - low
    product = fractions * scale
    if low == 0:
        return product
    total = product + low
    if 2.0**-900 < abs(scale) < 2.0**900:
        split = fractions * 134217729.0
        head = split - (split - fractions)
        tail = fractions - head
        up = scale * 134217729.0 - (scale * 134217729.0 - scale)
        error = head * up - product + head * (scale - up) + tail * up + tail * (scale - up)
        back = total - product
        total += error + ((product - (total - back)) + (low - back))
    if scale:
        total[total == high] = low
    return total


def _turned(fractions: Any, mean: float, std: float) -> Any:
    """Turn blocks of 16 uniform numbers into normal ones, in place (Box and Muller)."""
    number = fractions.dtype.type
    eight = f"V{8 * fractions.itemsize}"
    halves = fractions.view(eight).reshape(-1, 2)  # copied as units of eight elements: radii, angles
    radii = halves[:, 0].copy().view(number)
    np.subtract(1, radii, out=radii)
    np.log(radii, out=radii)
    radii *= number(-2)
    np.sqrt(radii, out=radii)
    angles = halves[:, 1].copy().view(number)
    for half, drawn in enumerate(_cos_sin(angles)):
        drawn *= radii
        if std != 1:
            drawn *= number(std)
        if mean:
            drawn += number(mean)
        halves[:, half] = drawn.view(eight)
    return fractions


def _cos_sin(turns: Any) -> tuple[Any, Any]:
    """Return the cosine and sine of 2 pi `turns`."""
    if turns.dtype == np.float32:
        angles = turns * np.float32(2 * math.pi)
        return np.cos(angles), np.sin(angles)
    tangent = np.tan(turns * math.pi)  # in float64 one tangent of half the angle costs less than a cosine and a sine
    square = tangent * tangent
    factor = 1 / (1 + square)
    return (1 - square) * factor, 2 * tangent * factor
