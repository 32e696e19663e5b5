"""The version of PyTorch whose interface minigrad follows, for programs that check PyTorch's version.

If minigrad is imported as ``torch``, ``torch.__version__`` is this version, since programs choose by it between new and
old names. Otherwise ``minigrad.__version__`` is minigrad's own version.
"""

from __future__ import annotations

import re
import sys
from typing import Any

from . import version

__all__ = ["TorchVersion"]


class TorchVersion(str):
    """A version string that compares by its numbers, with strings and with tuples.

    >>> TorchVersion("2.13.0+cpu") >= "2.9", TorchVersion("2.13.0") < (3, 0)
    (True, True)
    """

    def _compared(self, other: Any) -> tuple[Any, Any]:
        """Return both versions as numbers, or as strings if `other` is not a version."""
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
    """Return the release numbers and the parts of the build label; None if `text` is not a version."""
    found = re.fullmatch(r"v?(\d+(?:\.\d+)*)(?:\+(.*))?", text.strip())
    if found is None:
        return None
    return tuple(map(int, found[1].split("."))), tuple((found[2] or "").split(".")) if found[2] else ()


FOLLOWED = TorchVersion(f"2.13.0+minigrad.{version.__version__}")
"""The version of PyTorch whose names and results minigrad follows."""


def stated() -> str:
    """Return ``__version__``: PyTorch's if ``torch`` is minigrad, else minigrad's own."""
    return FOLLOWED if sys.modules.get("torch") is sys.modules["minigrad"] else version.__version__
