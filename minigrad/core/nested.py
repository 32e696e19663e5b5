"""Backward within backward: a hook or a Function may start another pass while one runs, to a depth of hundreds.

Each is a few calls deep for Python, and one starts inside the other; so from a certain depth on, a pass gets a thread
of its own, and with it a stack of its own. The thread that started it waits, and its modes go along.
"""

from __future__ import annotations

import threading

from .engine import Pass
from .state import STATE

_DEEP = 20
"""How many backwards may run inside one another before the next gets a thread, and so a stack, of its own."""


def execute(run: Pass) -> None:
    """Run a pass, on this thread's stack or, at every twentieth level, on a new one."""
    mode = STATE.mode
    if not mode.passes or len(mode.passes) % _DEEP:
        run.execute()
        return
    failure: list[BaseException] = []

    def in_a_thread() -> None:
        STATE.mode = mode
        try:
            run.execute()
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=in_a_thread, name="minigrad-backward")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
