"""Backward within backward: a hook or a Function may start another pass while one runs, to a depth of hundreds.

Each is a few calls deep for Python, and one starts inside the other; so from a certain depth on, a pass gets a thread
of its own, and with it a stack of its own. The thread that started it waits, and its modes go along.
"""

from __future__ import annotations

import threading

from .engine import Pass
from .grad_mode import STATE

_DEEP = 20
"""How many backwards may run inside one another before the next gets a thread, and so a stack, of its own."""


class _Depth(threading.local):
    now = 0


_depth = _Depth()


def execute(run: Pass) -> None:
    """Run a pass, on this thread's stack or, deep down, on a new one."""
    if _depth.now < _DEEP:
        _depth.now += 1
        try:
            run.execute()
        finally:
            _depth.now -= 1
        return
    failure: list[BaseException] = []
    state = dict(STATE.__dict__)

    def in_a_thread() -> None:
        STATE.__dict__.update(state)
        try:
            run.execute()
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=in_a_thread, name="minigrad-backward")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
