"""Backward inside backward: a hook or a Function may start another pass, hundreds of levels deep.

Each nested pass needs a few more Python stack frames. So at a certain depth a pass gets its own thread, and with it a
new stack. The thread that started it waits, and its modes carry over.
"""

from __future__ import annotations

import threading
from _thread import start_new_thread
from collections.abc import Callable

from .engine import Pass
from .state import STATE

_DEEP = 20
"""The number of nested backward passes after which the next one runs in a new thread, with a new stack."""

_PATIENCE = 0.05
"""The seconds between checks for interrupts while a thread waits."""


def execute(run: Pass) -> None:
    """Run a pass on this thread's stack, or, at every twentieth level of nesting, on a new one."""
    mode = STATE.mode
    if not mode.passes or len(mode.passes) % _DEEP:
        run.execute()
        return

    def inside() -> None:
        STATE.mode = mode
        run.execute()

    on_a_new_stack(inside)


def on_a_new_stack(work: Callable[[], None]) -> None:
    """Run `work` in a new thread, and wait for its end. An exception of `work` is raised here.

    An interrupt during the wait is passed on to that thread, and raised here after the thread has ended, so that
    nothing continues in the background. There are several waits, because a second interrupt may end the first.
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
            # One call in C: no interrupt can come between starting the thread and storing its id.
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
    """Raise `kind` in another thread, at the next line of Python that it runs."""
    import ctypes  # not available everywhere, and rarely needed

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind))
