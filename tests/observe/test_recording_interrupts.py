"""An interrupt may come anywhere in the recorder: Ctrl-C in a notebook that is watched. It goes on recording."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import minigrad as mg
from minigrad.observe import Recorder
from tests.bytecodes import bytecodes

PACKAGE = Path(mg.__file__).parent
RECORDER = tuple(str(PACKAGE / name) for name in ("observe", "autograd/profiler_memory"))
LOCKING = "recorder.py"
"""No real interrupt comes between taking a lock and its block, as a tracer's would: this file is left out."""
MOST = 150
"""How many places to interrupt a program at, among some ten thousand."""


def trained() -> None:
    """Three steps of a net, with a step by two optimisers among them."""
    net = mg.nn.Sequential(mg.nn.Linear(2, 3), mg.nn.Tanh(), mg.nn.Linear(3, 1))
    one, other = mg.optim.SGD(net[0].parameters(), lr=0.1), mg.optim.Adam(net[2].parameters())
    for _ in range(3):
        loss = (net(mg.ones(4, 2)) ** 2).mean()
        loss.backward()
        one.step()
        other.step()


def by_hand() -> None:
    """Two steps without an optimiser, a gradient of a gradient among them."""
    w = mg.ones(3, requires_grad=True)
    for _ in range(2):
        y = (w.exp() * w).sum()
        (slope,) = mg.autograd.grad(y, w, create_graph=True)
        (slope**2).sum().backward()
        with mg.no_grad():
            w -= 0.01 * w.grad
            w.grad = None


@pytest.mark.parametrize("values", ["all", "auto"])
@pytest.mark.parametrize("program", [trained, by_hand], ids=lambda program: program.__name__)
def test_it_goes_on_after_an_interrupt_at_any_bytecode(program: Callable[[], None], values: Any) -> None:
    count = 0

    def counted(frame: FrameType) -> None:
        nonlocal count
        count += not frame.f_code.co_filename.endswith(LOCKING)

    with Recorder(list[Any]().append, values=values):
        bytecodes(program, counted, RECORDER)
    wrong = [interrupted(program, values, at) for at in sorted(random.Random(1).sample(range(count), MOST))]
    assert not any(wrong), "\n".join(sorted(filter(None, wrong)))


def interrupted(program: Callable[[], None], values: Any, number: int) -> str:
    """Interrupt a recorded program before bytecode `number` and run another; what is wrong then, "" for nothing."""
    where, left = "", number

    def visit(frame: FrameType) -> None:
        nonlocal left, where
        left -= not frame.f_code.co_filename.endswith(LOCKING)
        if left < 0:
            where = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} {frame.f_code.co_name}"
            sys.settrace(None)
            raise KeyboardInterrupt

    records: list[dict[str, Any]] = []
    recorder = Recorder(records.append, values=values).start()
    with suppress(KeyboardInterrupt):
        bytecodes(program, visit, RECORDER)
    before = recorder.trace.ledger.step
    trained()
    try:
        recorder.stop()
    except Exception as error:
        return f"{where}: stop raises {error!r}"
    if recorder.failure is not None:
        return f"{where}: {recorder.failure!r}"
    taken = [each for each in records if each["type"] == "step_taken" and each["step"] >= before]
    found = [each["optimizer"] for each in taken[-3:]]
    return "" if found == ["SGD + Adam"] * 3 else f"{where}: the steps after it are {found}"
