"""Show a part of an array to a viewer: the requested elements, as they are in the program now.

A record holds only a thumbnail of a large array. A viewer that wants single elements asks for a tile: some rows and
columns of the last two axes, or every n-th of them. No memory is kept for that: if the program has freed the array, the
answer says so.
"""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any

import numpy as np

from ..framework import MINIGRAD, Framework

if TYPE_CHECKING:
    from .recorder import Recorder

MOST = 128
"""The most rows and columns of a tile."""

SEARCHED = 1 << 24
"""If a tile covers more elements than this, elements that it skips are not searched for NaN and infinities."""

GONE = "The program has let go of this tensor: what was recorded of it is all there is."
NO_GRAD = "It has no .grad in the program now."
NO_NUMBERS = "This is a text; it has no elements."


def answer(recorder: Recorder, look: dict[str, Any]) -> dict[str, Any]:
    """The protocol's `Tile` for a request `Look`. Never raises: if there is nothing to show, ``problem`` says why.

    Call it outside the program's own thread, which goes on meanwhile. An array that was written to while it was read is
    read again.
    """
    head = {"type": "tile", "number": look.get("number", 0)}
    try:
        with recorder.reading() as ledger:
            known, step, framework = ledger.tensors.numbered(int(look["tensor"])), ledger.step, ledger.framework
        tensor = None if known is None else known.ref()
        if tensor is not None and look.get("of") == "grad":
            tensor = framework.grad(tensor)
        if not framework.has_elements(tensor):
            return {**head, "problem": _why_not(known, tensor, look)}
        for _ in range(3):
            version = framework.version(tensor)
            found = tile(tensor, look, framework)
            if framework.version(tensor) == version:
                break
        return {**head, "version": version, "step": step, **found}
    except Exception as error:  # a bad request must not stop the program or its publisher
        return {**head, "problem": f"This cannot be shown: {error}"}


def _why_not(known: Any, tensor: Any, look: dict[str, Any]) -> str:
    if known is None or known.ref() is None:
        return GONE
    return NO_GRAD if tensor is None and look.get("of") == "grad" else NO_NUMBERS


def tile(tensor: Any, look: dict[str, Any], framework: Framework = MINIGRAD) -> dict[str, Any]:
    """Rows and columns of the last two axes of `tensor`, or every n-th of them, at most 128 by 128.

    ``look`` has ``row`` and ``col``, where to begin, ``rows`` and ``cols``, how many to show, ``every``, and ``lead``,
    the indices of the axes before the last two. Raises IndexError if the array is smaller than that.

    >>> from base64 import b64decode
    >>> import minigrad as mg
    >>> found = tile(mg.arange(12.0).reshape(3, 4), {"row": 1, "col": 0, "rows": 2, "cols": 2, "every": 2})
    >>> found["rows"], found["cols"], np.frombuffer(b64decode(found["data"]), "<f4")
    (1, 2, array([4., 6.], dtype=float32))
    """
    row, col, every = int(look.get("row", 0)), int(look.get("col", 0)), int(look.get("every", 1))
    rows, cols = (min(MOST, int(look.get(name, MOST))) for name in ("rows", "cols"))
    if min(row, col) < 0 or min(rows, cols, every) < 1:
        raise IndexError(f"a tile begins at 0 or later and has a size, but {row}, {col}, {rows}, {cols}, {every} came")
    plane = _Plane(tensor, look.get("lead") or (), framework)
    bottom, right = (min(length, at + count * every) for length, at, count in
                     zip(plane.shape, (row, col), (rows, cols), strict=True))  # fmt: skip
    if bottom <= row or right <= col:
        raise IndexError(f"there is no row {row} and column {col} in {list(plane.shape)}")
    sampled = _numbers(plane.part(slice(row, bottom, every), slice(col, right, every)))
    found = {
        "shape": list(framework.shape(tensor)), "row": row, "col": col,
        "rows": sampled.shape[0], "cols": sampled.shape[1], "every": every,
        "wide": sampled.dtype == np.float64, "data": b64encode(sampled.tobytes()).decode(),
    }  # fmt: skip
    if every > 1:
        found["broken"] = _broken(plane, (row, bottom), (col, right), every)
    return found


class _Plane:
    """The last two axes of a tensor, at the given indices of the axes before; a vector is one row."""

    def __init__(self, tensor: Any, lead: Any, framework: Framework) -> None:
        shape = framework.shape(tensor)
        if len(lead) != max(0, len(shape) - 2):
            raise IndexError(f"{len(shape)} axes need {max(0, len(shape) - 2)} leading indices, but {len(lead)} came")
        for axis, index in enumerate(lead):
            if not 0 <= index < shape[axis]:
                raise IndexError(f"there is no index {index} in axis {axis}, which has {shape[axis]}")
        self._tensor, self._lead, self._framework = tensor, tuple(lead), framework
        self.axes = min(2, len(shape))
        self.shape = tuple((1, 1, *shape[-2:])[-2:])

    def part(self, rows: slice, cols: slice) -> Any:
        """A block of rows and columns, copied to the host."""
        index = (*self._lead, rows, cols) if self.axes == 2 else (cols,) * self.axes
        return self._framework.part(self._tensor, index).reshape((-1, self._count(cols)))

    def _count(self, cols: slice) -> int:
        return len(range(self.shape[1])[cols])


def _numbers(host: Any) -> Any:
    """The elements as float32 if that holds every digit, else as float64; complex numbers become their magnitudes."""
    with np.errstate(all="ignore"):
        if host.dtype.kind == "c":
            host = np.abs(host)
        short = host.dtype.kind in "fV" and host.dtype.itemsize <= 4
        return np.ascontiguousarray(host.astype("<f4" if short else "<f8"))


def _broken(plane: _Plane, rows: tuple[int, int], cols: tuple[int, int], every: int) -> list[int] | None:
    """The numbers of the shown elements that stand for a NaN or an infinity; None if the search would take too long.

    The array is searched in strips, so that little memory is needed.
    """
    (top, bottom), (left, right) = rows, cols
    if (bottom - top) * (right - left) > SEARCHED:
        return None
    found: list[int] = []
    starts = np.arange(0, right - left, every)
    for number, first in enumerate(range(top, bottom, every)):
        strip = plane.part(slice(first, min(first + every, bottom)), slice(left, right))
        if strip.dtype.kind in "biu":
            return []
        bad = ~np.isfinite(strip.astype(np.float32) if strip.dtype.itemsize == 2 else strip).all(axis=0)
        if bad.any():
            found += (number * len(starts) + np.flatnonzero(np.logical_or.reduceat(bad, starts))).tolist()
    return found
