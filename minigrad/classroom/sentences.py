"""Sentences about why a cell was stopped, or why its Python ended."""

from __future__ import annotations

import signal

from .limits import Limits
from .process import Reply

AGAIN = "What the cells had defined is gone: run from the top."


def what_happened(reply: Reply, limits: Limits) -> str:
    """One sentence, and a second if the process has ended; empty if the cell ran to its end."""
    told = {
        "": "",
        "interrupted": "Stopped.",
        "timeout": f"Stopped after {limits.seconds:g} seconds, the longest a cell may run. Does a loop never end?",
        "flooded": f"Stopped because it printed more than {limits.output:,} characters. Does a loop never end?",
        "memory": f"Stopped because it used more than {limits.memory:,} MB of memory, all its processes together.",
        "died": how_it_died(reply.status, limits),
    }[reply.ending]
    return f"{told} {AGAIN}" if reply.answer is None else told


def how_it_died(status: int | None, limits: Limits) -> str:
    """A sentence for the exit status of a process."""
    if status is None:
        return "Its Python does not answer any more."
    if status >= 0:
        return f"The cell ended its Python, with status {status}; os._exit does that."
    if hasattr(signal, "SIGXCPU") and -status == signal.SIGXCPU:
        return f"Stopped after {limits.processor:,} seconds of processor time. Does a loop never end?"
    if hasattr(signal, "SIGKILL") and -status == signal.SIGKILL:
        return "The system ended the cell's Python, most likely because the computer ran out of memory."
    return f"The cell's Python crashed, by the signal {signal.Signals(-status).name}."
