"""A debugger that collects its stops, and a small program for it to stop."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.observe import Debugger, Recorder
from minigrad.observe.debug.terminal import Terminal

Stop = dict[str, Any]
Record = dict[str, Any]


class DebuggedProgram:
    """A debugger that collects its stops and answers them from a list, and then with `then`."""

    def __init__(self, *breakpoints: str, answers: list[str] | None = None, then: str = "continue") -> None:
        self.breakpoints = breakpoints
        self.answers = list(answers or [])
        self.then = then
        self.stops: list[Stop] = []
        self.records: list[Record] = []
        self.said = io.StringIO()
        self.during: Callable[[Stop], None] = lambda stop: None
        self.debugger: Debugger | None = None

    def answer(self, stop: Stop) -> str:
        self.stops.append(stop)
        self.during(stop)
        return self.answers.pop(0) if self.answers else self.then

    def run(self, program: Callable[[], Any]) -> DebuggedProgram:
        recorder = Recorder(self.records.append, values="all").start()
        self.debugger = Debugger(recorder, self.breakpoints, terminal=Terminal(lambda: self.said))
        self.debugger.asked = self.answer
        try:
            program()
        finally:
            self.debugger.close()
            recorder.stop()
        assert recorder.failure is None, repr(recorder.failure)
        return self

    @property
    def places(self) -> list[tuple[str, str]]:
        return [(stop["op"], stop["phase"]) for stop in self.stops]


W1, W2 = [[0.5, -0.3], [0.2, 0.8]], [[1.0], [-1.5]]


def two_layers(steps: int = 1) -> None:
    w1, w2 = mg.tensor(W1, requires_grad=True), mg.tensor(W2, requires_grad=True)
    x = mg.tensor([[1.0, 2.0], [3.0, -1.0]])
    for _ in range(steps):
        hidden = mg.tanh(x @ w1)
        loss = (hidden @ w2).sum()
        loss.backward()
        with mg.no_grad():
            for w in (w1, w2):
                w -= 0.1 * w.grad
                w.grad = None
