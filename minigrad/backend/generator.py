"""Sources of random numbers: one of its own for each device, and as many more as a program makes."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..errors import ArgumentTypeError
from .device import device
from .registry import lookup

MASK = (1 << 64) - 1


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
        self.manual_seed(int.from_bytes(os.urandom(8), "little") >> 1)

    @property
    def device(self) -> device:
        """Where its numbers are made."""
        return self.backend.device

    def manual_seed(self, seed: int) -> Generator:
        """Start anew from `seed`; returns the generator."""
        if not isinstance(seed, (int, np.integer)):
            raise ArgumentTypeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        self._seed = int(seed)
        self.source: Any = self.backend.new_generator(self._seed & MASK)
        """What draws the numbers: NumPy's ``Generator``, or the like of another array library."""
        return self

    def seed(self) -> int:
        """Start anew from a number that nobody chose; returns it."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little") >> 1)
        return self._seed

    def initial_seed(self) -> int:
        """The seed it was started from."""
        return self._seed

    def get_state(self) -> Any:
        """Where in its stream it is, as a tensor of bytes."""
        from ..core.tensor import wrap

        return wrap(np.frombuffer(self.state_bytes(), np.uint8).copy(), lookup("cpu"))

    def set_state(self, new_state: Any) -> Generator:
        """Go to where `get_state` was called; returns the generator."""
        self.set_state_bytes(new_state._array.tobytes())
        return self

    def state_bytes(self) -> bytes:
        """The state as bytes: the seed, and then PCG64's state where the source has one."""
        head = (self._seed & MASK).to_bytes(8, "little")
        if isinstance(self.source, np.random.Generator):
            state: Any = self.source.bit_generator.state
            inner = state["state"]
            parts = ((inner["state"], 16), (inner["inc"], 16), (state["has_uint32"], 4), (state["uinteger"], 4))
            return head + b"".join(int(number).to_bytes(size, "little") for number, size in parts)
        # A GPU's state cannot be read. Starting anew from a drawn seed makes that seed the state.
        seed = int(self.source.integers(0, 2**62, 1)[0])
        self.source = self.backend.new_generator(seed)
        return head + seed.to_bytes(8, "little")

    def set_state_bytes(self, state: bytes) -> None:
        """Go to the state that `state_bytes` returned."""
        seed, rest = int.from_bytes(state[:8], "little"), state[8:]
        if len(rest) not in (8, 40) or (len(rest) == 40) != isinstance(self.source, np.random.Generator):
            raise ArgumentTypeError(
                f"RNG state is wrong size: {len(state)} bytes are no state of {self.device}'s generator"
            )
        self._seed = seed
        if len(rest) == 8:
            self.source = self.backend.new_generator(int.from_bytes(rest, "little"))
            return
        cut = [int.from_bytes(rest[a:b], "little") for a, b in ((0, 16), (16, 32), (32, 36), (36, 40))]
        self.source.bit_generator.state = {
            "bit_generator": "PCG64", "state": {"state": cut[0], "inc": cut[1]}, "has_uint32": cut[2],
            "uinteger": cut[3],
        }  # fmt: skip

    def clone_state(self) -> Generator:
        """Another generator that will draw the same numbers."""
        other = Generator(self.device)
        other.set_state_bytes(self.state_bytes())
        return other

    def __repr__(self) -> str:
        return f"<minigrad.Generator on {self.device}, started from {self._seed}>"


_defaults: dict[device, Generator] = {}


def default_generator(where: Any = "cpu") -> Generator:
    """The generator that is used on a device where none is named."""
    wanted = lookup(where).device
    if wanted not in _defaults:
        _defaults[wanted] = Generator(wanted).manual_seed(_seeded)
    return _defaults[wanted]


_seeded = int.from_bytes(os.urandom(8), "little") >> 1
"""What a device's generator is started from when it is first asked."""


def seed_all(seed: int) -> Generator:
    """Start every device's generator from `seed`, those still to come included; returns the CPU's."""
    global _seeded
    _seeded = int(seed)
    for generator in _defaults.values():
        generator.manual_seed(seed)
    return default_generator().manual_seed(seed)


def keep_states() -> dict[device, bytes]:
    """Where the default generators of all devices are, for `put_back`."""
    return {where: generator.state_bytes() for where, generator in _defaults.items()}


def put_back(states: dict[device, bytes]) -> None:
    """Go to where `keep_states` was called; a generator that was first asked since then begins again."""
    for where in [each for each in _defaults if each not in states]:
        del _defaults[where]
    for where, state in states.items():
        default_generator(where).set_state_bytes(state)
