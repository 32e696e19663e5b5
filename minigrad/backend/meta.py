"""Tensors with a shape, a dtype and strides, but without elements: they run a program without computing it.

The arrays are NumPy zeros that are never written to, so the system allocates no memory for them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import NoElementsError
from .device import device
from .device_draws import DeviceDraws
from .numpy import NumpyBackend


class MetaBackend(NumpyBackend):
    """The backend of the device ``meta``: shapes without elements."""

    has_elements = False

    def __init__(self, index: int | None = None) -> None:
        super().__init__(index)
        self.device = device("meta")

    def from_host(self, host: Any) -> Any:
        return np.zeros(host.shape, host.dtype)

    def to_host(self, array: Any) -> Any:
        raise NoElementsError(
            "Cannot copy out of meta tensor; no data! It has only a shape. A module moves by to_empty(device=...)"
        )

    def nonzero(self, *_: Any, **__: Any) -> Any:
        """Raise: the number of nonzero elements depends on elements."""
        raise NoElementsError("this op has a result whose shape depends on elements, and a meta tensor has none")

    argwhere = flatnonzero = unique = nonzero

    def new_generator(self, seed: int) -> Any:
        return DeviceDraws(np.random.default_rng(seed), self)
