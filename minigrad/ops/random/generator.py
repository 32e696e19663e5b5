"""Random number generators: a default one for each device, and those that a program creates.

On the CPU they give PyTorch's numbers for the same seed (`twister`), and accept its states.
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
    """Return `seed` as a number of 64 bits. ArgumentError if it is larger."""
    number = int(seed)
    if not -(1 << 63) <= number < 1 << 64:
        raise ArgumentError(f"Overflow when unpacking long long: a seed has 64 bits, and {number} needs more")
    return number % (1 << 64)


def drawn_seed() -> int:
    """Return a seed from the system's random source."""
    return int.from_bytes(os.urandom(8), "little")


class Generator:
    """A random number generator on one device; `manual_seed` restarts it.

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
        """The device of the numbers."""
        return self.backend.device

    def manual_seed(self, seed: int) -> Generator:
        """Restart with `seed`. Return the generator.

        Args:
            seed: An integer of 64 bits; negative ones wrap around modulo 2**64, as in PyTorch.
        """
        if isinstance(seed, bool) or not isinstance(seed, Integral):
            raise DomainError(f"manual_seed expected a long, but got {type(seed).__name__}")
        self._start(checked_seed(seed))
        return self

    def _start(self, seed: int) -> None:
        self._seed = seed
        self.source: Any = self.backend.new_generator(seed)
        """The source of the numbers: on the CPU a `Twister`, else a `DeviceDraws`."""

    def seed(self) -> int:
        """Seed the generator from the system's random source. Return the seed."""
        self._start(drawn_seed())
        return self._seed

    def initial_seed(self) -> int:
        """Return the seed that was set last."""
        return self._seed

    def get_state(self) -> Any:
        """Return the state as a tensor of bytes; on the CPU in PyTorch's format."""
        return wrap(CPU.frombuffer(self.state_bytes(), "uint8").copy(), CPU)

    def set_state(self, new_state: Any) -> Generator:
        """Restore a state from `get_state`, here or of PyTorch's CPU generator. Return the generator."""
        array = getattr(new_state, "_array", None)
        if array is None:
            raise ArgumentTypeError(f"expected a minigrad.ByteTensor, but got {type(new_state).__name__}")
        if array.dtype != "uint8":
            raise ArgumentTypeError(f"RNG state must be a minigrad.ByteTensor, this one has dtype {array.dtype}")
        self.set_state_bytes(array.tobytes())
        return self

    def state_bytes(self) -> bytes:
        """Return the state as bytes."""
        if isinstance(self.source, Twister):
            return self.source.state_bytes()
        # A GPU's state cannot be read. So the generator restarts with a drawn seed, which then is the state.
        seed = int(self.source.integers(0, 2**62, (1,), int64)[0])
        self.source = self.backend.new_generator(seed)
        return self._seed.to_bytes(8, "little") + seed.to_bytes(8, "little")

    def set_state_bytes(self, state: bytes) -> None:
        """Restore a state from `state_bytes`."""
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
        """Return another generator that will draw the same numbers."""
        other = Generator(self.device)
        other.set_state_bytes(self.state_bytes())
        return other

    def __repr__(self) -> str:
        return f"<minigrad.Generator on {self.device}, started from {self._seed}>"


def _restored(where: str, state: bytes) -> Generator:
    """Return the unpickled or copied generator."""
    generator = Generator(where)
    generator.set_state_bytes(state)
    return generator


_defaults: dict[device, Generator] = {}


def generator_for(where: Any = "cpu") -> Generator:
    """Return the default generator of a device."""
    wanted = lookup(where).device
    if wanted not in _defaults:
        _defaults[wanted] = Generator(wanted).manual_seed(_seeded)
    return _defaults[wanted]


_seeded = drawn_seed()
"""The seed for default generators that are created later."""


def seed_all(seed: int) -> Generator:
    """Seed the default generator of every device, also of those used later. Return the CPU's."""
    global _seeded
    _seeded = checked_seed(seed)
    for generator in _defaults.values():
        generator.manual_seed(_seeded)
    return generator_for().manual_seed(_seeded)


def keep_states() -> dict[device, bytes]:
    """Return the states of the default generators of all devices, for `put_back`."""
    return {where: generator.state_bytes() for where, generator in _defaults.items()}


def put_back(states: dict[device, bytes]) -> None:
    """Restore states from `keep_states`. A generator that was created since then restarts."""
    for where in [each for each in _defaults if each not in states]:
        del _defaults[where]
    for where, state in states.items():
        generator_for(where).set_state_bytes(state)


default_generator = generator_for()
"""The CPU's default generator."""
