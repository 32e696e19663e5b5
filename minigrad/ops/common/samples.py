"""Sample inputs, on which every op is tested.

An op class defines ``samples = (sample((2, 3), (3, 4)), sample((5,), low=0.1, dim=0))``. One test over the registry
makes tensors of them, and checks forward, reverse mode, forward mode and second order of every op. The op reference
shows the first one. Each positional argument describes one input:

    (2, 3)                  random numbers of this shape, between `low` and `high`
    within((2, 3), 0.1, 1)  random numbers between other bounds
    whole((4,), 0, 5)       random integers, 0 to 4
    truth((4,))             random bools
    exactly([0.0, 1.0])     these numbers
    None, 2.5               passed unchanged

Further keywords are the op's settings.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...backend import CPU


class Given(NamedTuple):
    """One input, and how to draw it."""

    shape: tuple[int, ...]
    low: float
    high: float
    kind: str = "number"
    data: Any = None

    def draw(self, random: Any, dtype: Any) -> Any:
        """Return an array drawn from the NumPy generator `random`; floats have this NumPy `dtype`."""
        if self.kind == "data":
            values = CPU.asarray(self.data)
            return values.astype(dtype) if values.dtype.kind in "fc" else values
        if self.kind == "whole":
            return random.integers(int(self.low), int(self.high), self.shape)
        if self.kind == "truth":
            return random.random(self.shape) < 0.5
        if dtype.kind == "b":
            return random.random(self.shape) < 0.5
        if dtype.kind in "iu":
            low = int(max(self.low, 0 if dtype.kind == "u" else -9))
            return random.integers(low, max(int(self.high), low) + 2, self.shape).astype(dtype)
        numbers = random.uniform(self.low, self.high, self.shape)
        if dtype.kind == "c":
            numbers = numbers + 1j * random.uniform(self.low, self.high, self.shape)
        return CPU.asarray(numbers).astype(dtype)


def within(shape: tuple[int, ...], low: float, high: float) -> Given:
    """Describe an input of random numbers between `low` and `high`."""
    return Given(shape, low, high)


def whole(shape: tuple[int, ...], low: int, high: int) -> Given:
    """Describe an input of random integers in [low, high)."""
    return Given(shape, low, high, "whole")


def truth(shape: tuple[int, ...]) -> Given:
    """Describe an input of random bools."""
    return Given(shape, 0, 1, "truth")


def exactly(data: Any) -> Given:
    """Describe an input of these numbers: floats get the tested dtype, integers and bools keep theirs."""
    return Given((), 0, 1, "data", data)


class Sample(NamedTuple):
    """The inputs and settings for one call of an op."""

    inputs: tuple[Any, ...]
    settings: dict[str, Any]

    def draw(self, random: Any, dtype: Any) -> list[Any]:
        """Return the inputs as arrays (and numbers, and None)."""
        return [each.draw(random, dtype) if isinstance(each, Given) else each for each in self.inputs]


def sample(*inputs: Any, low: float = -2.0, high: float = 2.0, **settings: Any) -> Sample:
    """Describe a sample; a plain shape in `inputs` means random numbers between `low` and `high`."""
    return Sample(tuple(Given(each, low, high) if type(each) is tuple else each for each in inputs), settings)
