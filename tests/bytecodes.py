"""Stop a program anywhere: call a function before each of its bytecodes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def bytecodes(run: Callable[[], Any], visit: Callable[[FrameType], None], files: tuple[str, ...]) -> None:
    """Run, calling `visit` before every bytecode of this thread in files whose names begin so."""

    def enter(frame: FrameType, event: str, arg: Any) -> Any:
        if not frame.f_code.co_filename.startswith(files):
            return None
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        return step

    def step(frame: FrameType, event: str, arg: Any) -> Any:
        if event == "opcode":
            visit(frame)
        return step

    sys.settrace(enter)
    try:
        run()
    finally:
        sys.settrace(None)
