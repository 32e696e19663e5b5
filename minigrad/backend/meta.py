"""Tensors with a shape, a dtype and strides, but without elements: what a program is, without computing it.

NumPy's zeros stand in for the elements. The system gives them no memory until they are written to.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import NoElementsError
from .device import device
from .device_draws import DeviceDraws
from .numpy import NumpyBackend


class MetaBackend(NumpyBackend):
    """Shapes alone, on the device ``meta``."""

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
        """No answer: how many there are depends on elements."""
        raise NoElementsError("this op has a result whose shape depends on elements, and a meta tensor has none")

    argwhere = flatnonzero = unique = nonzero

    def new_generator(self, seed: int) -> Any:
        return DeviceDraws(np.random.default_rng(seed), self)
