"""Record what autograd does, watch it in a browser, draw it, and explain it.

    with mg.observe.record("run.jsonl.gz"):     record a program to a file
        train()
    mg.watch()                                  watch it live in the explorer
    mg.observe.draw(loss)                       a picture of a graph: SVG, PNG, PDF, Mermaid, text
    mg.explain(w)                               why ``w.grad`` is None, or how it came to be
    mg.observe.log("accuracy", 0.97)            a curve of your own beside the loss
    mg.observe.look()                           begin a step here and record it whole
    mg.observe.breakpoint("op=MatMul,backward") pause the program there and look at it

Everything here listens to `minigrad.events`; the core knows nothing of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .debug import Breakpoint, Debugger, breakpoint, unbreak
from .draw import Drawing, GraphvizMissingError, draw
from .explain import Explanation, explain
from .record.reader import Problem, Reading, read
from .record.recorder import Recorder
from .watch import Watching, log, look, record, watch

__all__ = [
    "record", "watch", "log", "look", "read", "draw", "explain", "breakpoint", "unbreak",
    "Recorder", "Watching", "Reading", "Problem", "Drawing", "GraphvizMissingError", "Explanation",
    "Breakpoint", "Debugger",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """`minigrad.observe.torch` needs PyTorch, so it is imported when it is first named."""
    if name == "torch":
        return import_module(".torch", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
