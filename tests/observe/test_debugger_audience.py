"""Who may continue a program that is held, and what becomes of one that nobody can."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.observe import Debugger, Recorder
from minigrad.observe.debug.terminal import Terminal

from .debugging import Stop, two_layers


class Explorer:
    """As much of a publisher as the debugger knows."""

    audience = 1
    control: Callable[[dict[str, Any]], None] | None = None


def held(
    explorer: Explorer, program: Callable[[], None], grace: float
) -> tuple[threading.Thread, Debugger, io.StringIO]:
    """A program in a thread of its own, under a debugger that only the explorer can continue."""
    said = io.StringIO()
    recorder = Recorder(lambda record: None).start()
    debugger = Debugger(recorder, ["op=Tanh"], terminal=Terminal(lambda: said), grace=grace)
    debugger.connect(explorer)

    def run() -> None:
        program()
        debugger.close()
        recorder.stop()

    thread = threading.Thread(target=run)
    thread.start()
    return thread, debugger, said


def until_held(debugger: Debugger) -> Stop:
    with debugger._changed:
        assert debugger._changed.wait_for(lambda: debugger.stop is not None, 20)
    assert debugger.stop is not None
    return debugger.stop


def test_a_viewer_continues_it_and_an_answer_to_an_older_stop_does_not() -> None:
    explorer = Explorer()
    thread, debugger, _ = held(explorer, two_layers, grace=60)
    first = until_held(debugger)
    assert explorer.control is not None
    explorer.control({"action": "continue", "number": first["number"] + 7})
    assert debugger._command is None
    explorer.control({"action": "stop" if first["op"] != "Tanh" else "continue", "number": first["number"]})
    with debugger._changed:
        assert debugger._changed.wait_for(lambda: (debugger.stop or first)["number"] != first["number"], 20)
    explorer.control({"action": "continue"})
    thread.join(20)
    assert not thread.is_alive()


def test_a_program_that_nobody_is_left_to_continue_goes_on_and_says_so() -> None:
    explorer = Explorer()
    thread, debugger, said = held(explorer, two_layers, grace=0.05)
    until_held(debugger)
    explorer.audience = 0
    thread.join(20)
    assert not thread.is_alive()
    assert "goes on by itself" in said.getvalue()
    assert said.getvalue().count("Paused") == 1, "it does not stop again while nobody is there"


def test_where_nobody_can_ever_come_it_does_not_stop_at_all() -> None:
    said = io.StringIO()
    with Recorder() as recorder:
        debugger = Debugger(recorder, ["op=Tanh"], terminal=Terminal(lambda: said))
        two_layers()
        debugger.close()
    assert said.getvalue().count("does not stop here") == 1


def test_the_other_threads_wait_at_their_next_op_while_one_is_held() -> None:
    explorer = Explorer()
    thread, debugger, _ = held(explorer, two_layers, grace=60)
    until_held(debugger)
    done = threading.Event()
    other = threading.Thread(target=lambda: (mg.ones(2) * 2, done.set()))
    other.start()
    assert not done.wait(0.05)
    debugger.close()
    thread.join(20)
    other.join(20)
    assert done.is_set()
