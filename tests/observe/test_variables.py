"""Looking at a program's variables changes nothing in it, and keeps nothing alive."""

from __future__ import annotations

import sys
import threading
import weakref
from types import FrameType
from typing import Any

from minigrad.observe.source.variables import local_variables


class Thing:
    """Something that can be waited for to be gone."""


def look(depth: int = 1) -> dict[str, Any]:
    return dict(local_variables(sys._getframe(depth)))


def test_what_is_deleted_after_a_look_is_gone() -> None:
    thing = Thing()
    gone = weakref.ref(thing)
    assert look()["thing"] is thing
    del thing
    assert gone() is None


def test_a_function_has_its_variables_after_a_look_and_those_of_a_closure_too() -> None:
    outer = [1]

    def inner() -> list[int]:
        own = 2
        found = look()
        assert found["own"] == 2 and found["outer"] is outer
        own += 1
        outer.append(own)
        return outer

    assert inner() == [1, 3]
    assert look()["outer"] == [1, 3]


def test_what_locals_gave_the_program_stays_as_it_was() -> None:
    kept = 7
    mine = locals()
    look()
    assert mine["kept"] == kept == 7


def test_a_debugger_finds_all_variables_where_it_left_them() -> None:
    seen = []

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code is program.__code__:
            seen.append(dict(local_variables(frame)))
            return trace
        return None

    def program() -> int:
        a = 3
        b = a + 1
        return a * b

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        found = program()
    finally:
        sys.settrace(before)
    assert found == 12
    assert seen[-1] == {"a": 3, "b": 4}


def test_a_look_from_another_thread_takes_nothing_from_a_debugger() -> None:
    found = []

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code is not program.__code__:
            return None
        looking = threading.Thread(target=lambda: found.append(dict(local_variables(frame))))
        sys.settrace(None)  # the thread's own start is of no interest
        looking.start()
        looking.join()
        sys.settrace(trace)
        return trace

    def program() -> int:
        a = 3
        b = a + 1
        return a * b

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        assert program() == 12
    finally:
        sys.settrace(before)
    assert {"a": 3, "b": 4} in found


def test_the_variables_of_a_module_are_its_globals() -> None:
    names: dict[str, Any] = {"look": look, "sys": sys, "local_variables": local_variables}
    exec("here = local_variables(sys._getframe()) is globals()", names)
    assert names["here"]
