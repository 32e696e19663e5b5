"""Backward within backward: a hook or a Function may start another pass while one runs, to a depth of hundreds.

Each pass takes a few of Python's calls, and one starts inside the other. So from a certain depth on, a pass gets a
thread of its own, and with it a stack of its own. The thread that started it waits, and its modes go along.
"""

from __future__ import annotations

import threading
from _thread import start_new_thread
from collections.abc import Callable

from .engine import Pass
from .state import STATE

_DEEP = 20
"""The number of nested backward passes before the next gets a thread, and so a stack, of its own."""

_PATIENCE = 0.05
"""The seconds a thread waits before it looks for interrupts that another thread has passed on."""


def execute(run: Pass) -> None:
    """Run a pass, on this thread's stack or, at every twentieth level, on a new one."""
    mode = STATE.mode
    if not mode.passes or len(mode.passes) % _DEEP:
        run.execute()
        return

    def inside() -> None:
        STATE.mode = mode
        run.execute()

    on_a_new_stack(inside)


def on_a_new_stack(work: Callable[[], None]) -> None:
    """Call `work` in a thread of its own, and wait until it ends; what it raises is raised here.

    An interrupt that comes meanwhile is handed on to that thread, and raised here when the thread has ended: nothing
    goes on in the background. The wait stands twice, because a second interrupt may come in the first.
    """
    ended = threading.Event()
    failure: list[BaseException] = []
    threads: list[int] = []

    def in_a_thread() -> None:
        try:
            work()
        except BaseException as error:
            failure.append(error)
        finally:
            ended.set()

    def wait() -> None:
        while threads and not ended.wait(_PATIENCE):
            pass

    try:
        try:
            # In one call from C, so that no interrupt comes between the start of the thread and the note of it.
            threads.extend(map(start_new_thread, (in_a_thread,), ((),)))
            wait()
        except BaseException as error:
            if threads:
                interrupt(threads[0], type(error))
            raise
        finally:
            wait()
    finally:
        wait()
    if failure:
        raise failure[0]


def interrupt(thread: int, kind: type[BaseException]) -> None:
    """Raise `kind` in another thread, at its next line of Python."""
    import ctypes  # not everywhere is there one, and few programs come here

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind))
