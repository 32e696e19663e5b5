"""The version of PyTorch whose names minigrad follows, for programs that ask which PyTorch they run on.

Where minigrad stands in as the module ``torch``, ``torch.__version__`` is this one: programs choose by it between
today's names and older ones. Everywhere else ``minigrad.__version__`` is minigrad's own.
"""

from __future__ import annotations

import re
import sys
from typing import Any

from . import version

__all__ = ["TorchVersion"]


class TorchVersion(str):
    """A version as text, which compares by its numbers, with text and with tuples.

    >>> TorchVersion("2.13.0+cpu") >= "2.9", TorchVersion("2.13.0") < (3, 0)
    (True, False)
    """

    def _compared(self, other: Any) -> tuple[Any, Any]:
        """Both as numbers; as text where `other` is no version."""
        given = ".".join(map(str, other)) if isinstance(other, (tuple, list)) else str(other)
        mine, theirs = _numbers(self), _numbers(given)
        if mine is None or theirs is None:
            return str(self), given
        longest = max(len(mine[0]), len(theirs[0]))
        padded = [(release + (0,) * (longest - len(release)), build) for release, build in (mine, theirs)]
        return padded[0], padded[1]

    def __eq__(self, other: object) -> bool:
        mine, theirs = self._compared(other)
        return bool(mine == theirs)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: Any) -> bool:
        mine, theirs = self._compared(other)
        return bool(mine < theirs)

    def __le__(self, other: Any) -> bool:
        mine, theirs = self._compared(other)
        return bool(mine <= theirs)

    def __gt__(self, other: Any) -> bool:
        return not self <= other

    def __ge__(self, other: Any) -> bool:
        return not self < other

    __hash__ = str.__hash__


def _numbers(text: str) -> tuple[tuple[int, ...], tuple[str, ...]] | None:
    """The numbers of a release and the words of its build; None for text that is no version."""
    found = re.fullmatch(r"v?(\d+(?:\.\d+)*)(?:\+(.*))?", text.strip())
    if found is None:
        return None
    return tuple(map(int, found[1].split("."))), tuple((found[2] or "").split(".")) if found[2] else ()


FOLLOWED = TorchVersion(f"2.13.0+minigrad.{version.__version__}")
"""Its names, and the numbers that come out."""


def stated() -> str:
    """What ``__version__`` is: PyTorch's where ``torch`` means minigrad, else minigrad's own."""
    return FOLLOWED if sys.modules.get("torch") is sys.modules["minigrad"] else version.__version__
