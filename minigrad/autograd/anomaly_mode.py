"""Anomaly mode: find the op that produced a NaN, or whose backward failed.

While it is on, every recorded node stores the traceback of the call that made it. A backward that produces a NaN, or
fails, names the node and shows that traceback. The mode is an ordinary event listener; the core does not know it.

>>> import warnings, minigrad as mg
>>> x = mg.tensor(0.0, requires_grad=True)
>>> with warnings.catch_warnings():
...     warnings.simplefilter("ignore")
...     with mg.autograd.detect_anomaly():
...         try:
...             (x.sqrt() * 0).backward()
...         except RuntimeError as error:
...             print(str(error).partition(".")[0])
Function 'SqrtBackward0' returned nan values in its 0th output
"""

from __future__ import annotations

import sys
import threading
import traceback
import warnings
from collections.abc import Sequence
from typing import Any

from ..core.graph_extra import extra_of
from ..errors import GradError
from ..events import (
    AnomalyFound,
    BackwardFinished,
    BackwardStarted,
    GradComputed,
    NodeEntered,
    NodeRecorded,
    emit,
    listen,
)
from .checksums import Checksums

TRACEBACK, PARENT = "traceback_", "parent_"
"""Keys of ``node.metadata``: the traceback of the call that made the node, and the node whose backward made it."""


class _Watcher(threading.local):
    """The listener. It keeps, for each thread, the nodes whose backward is running, innermost last."""

    def __init__(self) -> None:
        self.running: list[Any] = []

    def __call__(self, event: Any) -> None:
        if isinstance(event, NodeRecorded):
            self.recorded(event)
        elif isinstance(event, BackwardStarted):
            self.running.append(None)
        elif isinstance(event, NodeEntered):
            self.running[-1] = event.node
        elif isinstance(event, GradComputed):
            self.computed(event)
        elif isinstance(event, BackwardFinished):
            node = self.running.pop()
            if event.error is not None and node is not None:
                _tell(node)

    def recorded(self, event: NodeRecorded) -> None:
        """Store the traceback of the call that made this node, and the node whose backward made it, if any."""
        if event.recorded:
            notes = extra_of(event.node).metadata
            notes[TRACEBACK] = traceback.format_list(_users_frames())
            notes[PARENT] = self.running[-1] if self.running else None

    def computed(self, event: GradComputed) -> None:
        """Raise if a gradient holds a NaN."""
        array, xp = event.grad._array, event.grad._backend
        if not _state.check_nan or not event.grad.dtype.is_differentiable or not bool(xp.isnan(array).any()):
            return
        message = f"Function '{event.node.name()}' returned nan values in its {event.index}th output."
        emit(AnomalyFound("nan", event.node, message))
        raise GradError(message + _place_of(event.node))


class _State:
    enabled = False
    check_nan = True
    stop: Sequence[Any] = ()


_state = _State()
_watcher = _Watcher()


def _set(enabled: bool, check_nan: bool) -> None:
    if enabled and not _state.enabled:
        _state.stop = [listen(_watcher), listen(Checksums())]
    elif not enabled and _state.enabled:
        for stop in _state.stop:
            stop()
    _state.enabled, _state.check_nan = enabled, check_nan


PACKAGE = __file__.rpartition("autograd")[0]
COMMAND_LINE, DEMOS = PACKAGE + "cli", PACKAGE + "demos"


def _users_frames() -> list[traceback.FrameSummary]:
    """Return the stack without minigrad's own frames: neither the library's nor those of its command line."""
    frames = list(traceback.extract_stack())
    while len(frames) > 1 and frames[-1].filename.startswith(PACKAGE) and not frames[-1].filename.startswith(DEMOS):
        frames.pop()
    started = [i for i, frame in enumerate(frames) if frame.filename.startswith(COMMAND_LINE)]
    return frames[started[-1] + 1 :] if started else frames


def _place_of(node: Any) -> str:
    lines = extra_of(node).metadata.get(TRACEBACK)
    return f" It was made here:\n{lines[-1]}" if lines else ""


def _tell(node: Any) -> None:
    """Warn with the traceback of `node`, and with those of the nodes whose backward made it."""
    lines = extra_of(node).metadata.get(TRACEBACK)
    if lines is None:
        _warn(
            f"Error detected in {node.name()}. No forward pass information available. "
            "Enable detect anomaly during forward pass for more information."
        )
        return
    _warn(f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n" + "".join(lines))
    parent = extra_of(node).metadata.get(PARENT)
    while parent is not None:
        lines = extra_of(parent).metadata.get(TRACEBACK, ["  (made while anomaly detection was off)\n"])
        _warn(
            f"\n\nPrevious calculation was induced by {parent.name()}. Traceback of forward call that induced the "
            "previous calculation:\n" + "".join(lines)
        )
        parent = extra_of(parent).metadata.get(PARENT)


def _warn(text: str) -> None:
    """Warn. If warnings are errors, print instead, so as not to hide the exception that is being raised."""
    try:
        warnings.warn(text, stacklevel=5)
    except UserWarning:
        print(text, file=sys.stderr)


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on."""
    return _state.enabled


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode checks gradients for NaN."""
    return _state.check_nan


class set_detect_anomaly:
    """Turn anomaly mode on or off when called. As a context, restore the old setting at the end."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.before = (_state.enabled, _state.check_nan)
        _set(mode, check_nan)

    def __enter__(self) -> None:
        """Do nothing: the constructor has set the mode, as in PyTorch."""

    def __exit__(self, *exception: Any) -> None:
        _set(*self.before)


class detect_anomaly:
    """A context in which a backward that produces a NaN, or fails, shows which line of the forward pass is the cause.

    It slows the program down; use it to debug. With ``check_nan=False`` only failures are explained.
    """

    def __init__(self, check_nan: bool = True) -> None:
        self.check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            UserWarning,
            stacklevel=2,
        )

    def __enter__(self) -> None:
        self.before = (_state.enabled, _state.check_nan)
        _set(True, self.check_nan)

    def __exit__(self, *exception: Any) -> None:
        _set(*self.before)
