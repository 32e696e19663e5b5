"""Detect writes that raise no version: through ``.data``, or through a NumPy array that shares the memory.

In anomaly mode every saved tensor gets a checksum, which is compared just before its node runs backward.

>>> import warnings, minigrad as mg
>>> x = mg.ones(2, requires_grad=True)
>>> with warnings.catch_warnings():
...     warnings.simplefilter("ignore")
...     with mg.autograd.detect_anomaly():
...         y = x.exp()
...         y.data.zero_()
...         try:
...             y.sum().backward()
...         except RuntimeError as error:
...             print(str(error).partition(",")[0])
tensor([0., 0.])
ExpBackward0 saved a tensor of shape [2] as 'out'
"""

from __future__ import annotations

import weakref
import zlib
from typing import Any

from ..core.batch import Batch
from ..core.tensor import Tensor
from ..errors import StaleTensorError
from ..events import AnomalyFound, NodeEntered, SavedReleased, TensorSaved, emit

Sums = dict[str, tuple[Tensor, int, int]]


class Checksums:
    """A listener that stores checksums of saved tensors, and raises if a tensor has changed."""

    def __init__(self) -> None:
        self.known: weakref.WeakKeyDictionary[Any, Sums] = weakref.WeakKeyDictionary()

    def __call__(self, event: Any) -> None:
        if isinstance(event, TensorSaved) and type(event.tensor._array) is not Batch:
            held = (event.tensor, event.version, checksum(event.tensor))
            self.known.setdefault(event.node, {})[event.name] = held
        elif isinstance(event, NodeEntered):
            self.check(event.node)
        elif isinstance(event, SavedReleased):
            self.known.pop(event.node, None)

    def check(self, node: Any) -> None:
        """Raise if a tensor that `node` saved has changed without a new version. Other changes are found elsewhere."""
        for name, (tensor, version, before) in self.known.get(node, {}).items():
            if tensor._storage.version == version and checksum(tensor) != before:
                message = (
                    f"{node.name()} saved a tensor of shape {list(tensor.shape)} as '{name}', and its elements were "
                    "overwritten behind autograd's back: through .data, or through a NumPy array that shares its "
                    "memory. The gradient would be silently wrong. Write through the tensor itself, under no_grad() if "
                    "it should not be recorded, or clone() before handing the memory out."
                )
                emit(AnomalyFound("written", node, message))
                raise StaleTensorError(message)


def checksum(tensor: Tensor) -> int:
    """A number that changes when any element does."""
    return zlib.crc32(tensor._backend.to_host(tensor._array).tobytes())
