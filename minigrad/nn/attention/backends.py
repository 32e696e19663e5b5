"""PyTorch's choice between attention kernels, for code that makes one. minigrad has a single, exact implementation."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from ...errors import ArgumentTypeError


class SDPBackend(enum.Enum):
    """The kernels that PyTorch has for `functional.scaled_dot_product_attention`."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextmanager
def sdpa_kernel(backends: SDPBackend | Iterable[SDPBackend], set_priority: bool = False) -> Iterator[None]:
    """A context that selects attention kernels, accepted for compatibility: the results are the same.

    ArgumentTypeError for anything but an `SDPBackend`.

    >>> import minigrad as mg
    >>> q = mg.ones(1, 2, 4)
    >>> with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]):
    ...     mg.nn.functional.scaled_dot_product_attention(q, q, q).shape
    minigrad.Size([1, 2, 4])
    """
    chosen = [backends] if isinstance(backends, SDPBackend) else list(backends)
    for each in chosen:
        if not isinstance(each, SDPBackend):
            raise ArgumentTypeError(f"sdpa_kernel() takes SDPBackend or several of them, found {type(each).__name__}")
    yield
