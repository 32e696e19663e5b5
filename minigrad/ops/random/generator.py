"""Sources of random numbers: one of its own for each device, and as many more as a program makes.

The CPU's gives the numbers that PyTorch's gives from the same seed (`twister`), and takes its states.
"""

from __future__ import annotations

import os
from numbers import Integral
from typing import Any

from ...backend import CPU, device, lookup
from ...backend.twister import Twister
from ...core.tensor import wrap
from ...dtypes import int64
from ...errors import ArgumentError, ArgumentTypeError, DomainError, StateError

FIRST_SEED = 67280421310721
"""The seed of a new `Generator`, as in PyTorch."""


def checked_seed(seed: Any) -> int:
    """`seed` as a number of 64 bits. ArgumentError for one that has more."""
    number = int(seed)
    if not -(1 << 63) <= number < 1 << 64:
        raise ArgumentError(f"Overflow when unpacking long long: a seed has 64 bits, and {number} needs more")
    return number % (1 << 64)


def drawn_seed() -> int:
    """A seed from the system's random source."""
    return int.from_bytes(os.urandom(8), "little")


class Generator:
    """A stream of random numbers on one device, which `manual_seed` starts anew.

    >>> import minigrad as mg
    >>> g = mg.Generator().manual_seed(0)
    >>> a = mg.rand(2, generator=g)
    >>> bool((a == mg.rand(2, generator=g.manual_seed(0))).all())
    True
    """

    def __init__(self, device: Any = "cpu") -> None:
        self.backend = lookup(device)
        self.manual_seed(FIRST_SEED)

    @property
    def device(self) -> device:
        """The device of its numbers."""
        return self.backend.device

    def manual_seed(self, seed: int) -> Generator:
        """Start anew from `seed`; returns the generator.

        Args:
            seed: A whole number of 64 bits; negative ones count back from 2**64, as in PyTorch.
        """
        if isinstance(seed, bool) or not isinstance(seed, Integral):
            raise DomainError(f"manual_seed expected a long, but got {type(seed).__name__}")
        self._start(checked_seed(seed))
        return self

    def _start(self, seed: int) -> None:
        self._seed = seed
        self.source: Any = self.backend.new_generator(seed)
        """The source of its numbers: the CPU's `Twister`, or `DeviceDraws`."""

    def seed(self) -> int:
        """Seed the generator from the system's random source; returns the seed."""
        self._start(drawn_seed())
        return self._seed

    def initial_seed(self) -> int:
        """The seed it was started from."""
        return self._seed

    def get_state(self) -> Any:
        """Its state, as a tensor of bytes: on the CPU, those that PyTorch's generator would give."""
        return wrap(CPU.frombuffer(self.state_bytes(), "uint8").copy(), CPU)

    def set_state(self, new_state: Any) -> Generator:
        """Go to where `get_state` was called, here or on PyTorch's CPU generator; returns the generator."""
        array = getattr(new_state, "_array", None)
        if array is None:
            raise ArgumentTypeError(f"expected a minigrad.ByteTensor, but got {type(new_state).__name__}")
        if array.dtype != "uint8":
            raise ArgumentTypeError(f"RNG state must be a minigrad.ByteTensor, this one has dtype {array.dtype}")
        self.set_state_bytes(array.tobytes())
        return self

    def state_bytes(self) -> bytes:
        """The state as bytes."""
        if isinstance(self.source, Twister):
            return self.source.state_bytes()
        # A GPU's state cannot be read. Starting anew from a drawn seed makes that seed the state.
        seed = int(self.source.integers(0, 2**62, (1,), int64)[0])
        self.source = self.backend.new_generator(seed)
        return self._seed.to_bytes(8, "little") + seed.to_bytes(8, "little")

    def set_state_bytes(self, state: bytes) -> None:
        """Go to the state that `state_bytes` returned."""
        if isinstance(self.source, Twister):
            self.source.set_state_bytes(state)
            self._seed = self.source.seed
            return
        if len(state) != 16:
            raise StateError(
                f"RNG state is wrong size: {len(state)} bytes are no state of {self.device}'s generator, which has 16"
            )
        self._seed = int.from_bytes(state[:8], "little")
        self.source = self.backend.new_generator(int.from_bytes(state[8:], "little"))

    def __reduce__(self) -> Any:
        return _restored, (str(self.device), self.state_bytes())

    def clone_state(self) -> Generator:
        """Another generator that will draw the same numbers."""
        other = Generator(self.device)
        other.set_state_bytes(self.state_bytes())
        return other

    def __repr__(self) -> str:
        return f"<minigrad.Generator on {self.device}, started from {self._seed}>"


def _restored(where: str, state: bytes) -> Generator:
    """The generator that was pickled or copied."""
    generator = Generator(where)
    generator.set_state_bytes(state)
    return generator


_defaults: dict[device, Generator] = {}


def generator_for(where: Any = "cpu") -> Generator:
    """The generator that is used on a device where none is named."""
    wanted = lookup(where).device
    if wanted not in _defaults:
        _defaults[wanted] = Generator(wanted).manual_seed(_seeded)
    return _defaults[wanted]


_seeded = drawn_seed()
"""The seed of a device's generator when it is first used."""


def seed_all(seed: int) -> Generator:
    """Start every device's generator from `seed`, those still to come included; returns the CPU's."""
    global _seeded
    _seeded = checked_seed(seed)
    for generator in _defaults.values():
        generator.manual_seed(_seeded)
    return generator_for().manual_seed(_seeded)


def keep_states() -> dict[device, bytes]:
    """The states of the default generators of all devices, for `put_back`."""
    return {where: generator.state_bytes() for where, generator in _defaults.items()}


def put_back(states: dict[device, bytes]) -> None:
    """Go to where `keep_states` was called; a generator that was first asked since then begins again."""
    for where in [each for each in _defaults if each not in states]:
        del _defaults[where]
    for where, state in states.items():
        generator_for(where).set_state_bytes(state)


default_generator = generator_for()
"""The CPU's generator, of which everything is drawn where no other is named."""
