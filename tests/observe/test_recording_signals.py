"""A signal handler of the program's may raise while a record is made: the program gets its exception."""

from __future__ import annotations

import signal
from typing import Any

import pytest

import minigrad as mg
from minigrad.observe import Recorder


class Stopped(Exception):
    """What a program's handler raises, as one for a time limit does."""


def stop(number: int, frame: Any) -> None:
    raise Stopped


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="this system has no such signal")
def test_what_a_signal_handler_raises_reaches_the_program() -> None:
    before = signal.signal(signal.SIGUSR1, stop)
    recorder = Recorder(list[Any]().append)
    taken = recorder.trace.handlers[mg.events.TensorCreated]
    try:
        with recorder:
            recorder.trace.handlers[mg.events.TensorCreated] = lambda event: signal.raise_signal(signal.SIGUSR1)
            with pytest.raises(Stopped):
                mg.tensor(1.0)
            recorder.trace.handlers[mg.events.TensorCreated] = taken
            (mg.tensor(2.0, requires_grad=True) * 3).backward()
        assert recorder.failure is None, "it goes on recording"
    finally:
        signal.signal(signal.SIGUSR1, before)
