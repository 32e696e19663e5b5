"""A tensor's device: ``device("cpu")``, ``device("cuda:0")``, or a plug-in's own name."""

from __future__ import annotations

import threading
from typing import Any

from ..errors import ArgumentTypeError, DeviceError


class device:
    """A device for tensors: a `type` and, if there may be several, an `index`.

    >>> device("cuda:1").type, device("cuda:1").index, device("cpu") == device("cpu")
    ('cuda', 1, True)

    Inside ``with device("cuda:1"):``, new tensors are created there unless another device is named.
    """

    __slots__ = ("type", "index")

    type: str
    index: int | None

    def __init__(self, type: str | device, index: int | None = None) -> None:
        if isinstance(type, device):
            self.type, self.index = type.type, type.index
            return
        if (isinstance(type, int) and type < 0) or (index is not None and isinstance(index, int) and index < 0):
            raise DeviceError("Device index must not be negative. Name a device by a string such as 'cpu' or 'cuda:0'.")
        if not isinstance(type, str):
            raise ArgumentTypeError(f"a device is named by a string such as 'cpu' or 'cuda:0', got {type!r}")
        if not type:
            raise DeviceError("Device string must not be empty. Write 'cpu', 'cuda' or 'cuda:0'.")
        name, colon, number = type.partition(":")
        if colon:
            if not number.isdigit():
                raise DeviceError(f"Invalid device string: {type!r}. Write 'cpu', 'cuda' or 'cuda:0'.")
            index = int(number)
        self.type = name
        self.index = index

    def __eq__(self, other: Any) -> bool:
        if isinstance(other, str):
            other = device(other)
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type={self.type!r}{index})"

    def __enter__(self) -> device:
        CHOICE.before.append(CHOICE.device)
        CHOICE.device = self
        return self

    def __exit__(self, *error: Any) -> None:
        CHOICE.device = CHOICE.before.pop()


class _Choice(threading.local):
    """The default device of each thread, as in PyTorch; None is the CPU."""

    def __init__(self) -> None:
        self.device: device | None = None
        self.before: list[device | None] = []
        """The devices to restore, one for each open ``with device(...):``."""


CHOICE = _Choice()
