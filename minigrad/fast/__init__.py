"""A plug-in of the NumPy backend: a few ops compiled by Numba (``pip install minigrad-live[fast]``).

Each routine does in one pass over memory what NumPy does in many. Adam gives the same bits; the others differ by a few
units in the last place of an array's largest value, for they add in another order. A routine is compiled when it is
first called, which takes a second or two, and then kept on disk. Nothing in the library imports this package:
`minigrad.backend.compiled` finds it by its entry point.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def routines() -> dict[str, Callable[..., Any]]:
    """The routines by name; ImportError where Numba is not installed."""
    from . import elementwise, recurrent, rows

    return {
        "gelu": elementwise.gelu,
        "gelu_backward": elementwise.gelu_backward,
        "adam": elementwise.adam,
        "layer_norm": rows.layer_norm,
        "layer_norm_backward": rows.layer_norm_backward,
        "lstm": recurrent.lstm,
        "lstm_backward": recurrent.lstm_backward,
    }
