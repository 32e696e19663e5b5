"""Run a program as Python itself would: as ``__main__``, with its own arguments, path, errors and exit status."""

from __future__ import annotations

import contextlib
import os
import runpy
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, Literal

from .console import Problem

NOT_PROGRAMS = {
    ".ipynb": "a notebook. Write mg.watch() into its first cell: the explorer then appears in it.",
    ".jsonl": "a trace file. Open it with: minigrad replay",
    ".gz": "a packed file. If it is a trace, open it with: minigrad replay",
}
"""Files that users may try to run although they are no scripts, each with advice."""

INTERRUPTED = 130
"""The exit status of a program that was ended with Ctrl-C: 128 and the signal's number."""


@dataclass(frozen=True)
class Program:
    """The program to run: a file, or a module with ``-m``."""

    target: str
    arguments: Sequence[str] = ()
    module: bool = False

    @property
    def name(self) -> str:
        """The name of the program's run."""
        return self.target if self.module else Path(self.target).name

    def check(self) -> None:
        """Raise Problem if there is nothing to run."""
        path = Path(self.target)
        if self.module:
            self._check_module()
            return
        if path.suffix in NOT_PROGRAMS:
            raise Problem(f"{self.target} is {NOT_PROGRAMS[path.suffix]}")
        if path.is_file():
            return
        if path.is_dir():
            raise Problem(f"{self.target} is a folder. Name the script in it, or run a package with -m.")
        near = [each.name for each in sorted(path.parent.glob("*.py"))] if path.parent.is_dir() else []
        seen = f" The scripts there: {', '.join(near[:8])}." if near else ""
        raise Problem(f"There is no file {self.target!r} in {path.parent.resolve()}.{seen}")

    def _check_module(self) -> None:
        from importlib.machinery import PathFinder

        top = self.target.partition(".")[0]
        if top not in sys.builtin_module_names and PathFinder.find_spec(top, [os.getcwd(), *sys.path]) is None:
            raise Problem(f"There is no module {top!r}, neither here nor installed. For a file, leave out -m.")


@dataclass
class Outcome:
    """How the program ended. `names` are its global variables at that moment."""

    status: int
    ended: Literal["finished", "failed", "interrupted"]
    error: BaseException | None = None
    names: dict[str, Any] = field(default_factory=dict)


def execute(program: Program) -> Outcome:
    """Run the program to its end. An error is shown as Python shows it, without the frames of the command line."""
    names: dict[str, Any] = {}
    before = set(threading.enumerate())
    with _as_python(program):
        try:
            if program.module:
                names.update(runpy.run_module(program.target, run_name="__main__", alter_sys=True))
            else:
                _run_file(program.target, names)
            _join_threads(before)
            outcome = Outcome(0, "finished")
        except SystemExit as leaving:
            outcome = _left(leaving)
        except KeyboardInterrupt as error:
            outcome = Outcome(INTERRUPTED, "interrupted", error)
        except BaseException as error:
            _show(error)
            outcome = Outcome(1, "failed", error)
    outcome.names = names
    _flush()
    return outcome


def _run_file(path: str, names: dict[str, Any]) -> None:
    """Run the file in a module called `__main__`."""
    main = ModuleType("__main__")
    main.__dict__.update(__file__=path, __spec__=None, __builtins__=__builtins__)
    code = compile(Path(path).read_bytes(), path, "exec", dont_inherit=True)
    sys.modules["__main__"] = main
    try:
        exec(code, main.__dict__)
    finally:
        names.update(main.__dict__)


@contextlib.contextmanager
def _as_python(program: Program) -> Iterator[None]:
    """Set `sys.argv` and the first entry of `sys.path` as Python would, and restore them afterwards."""
    argv, path, main = sys.argv, sys.path[:], sys.modules["__main__"]
    sys.argv = [program.target, *program.arguments]
    sys.path.insert(0, os.getcwd() if program.module else str(Path(program.target).resolve().parent))
    try:
        yield
    finally:
        sys.argv, sys.path[:], sys.modules["__main__"] = argv, path, main


def _left(leaving: SystemExit) -> Outcome:
    """The exit status that `sys.exit(code)` means."""
    code = leaving.code
    if code is None or isinstance(code, int):
        status = code or 0
    else:
        print(code, file=sys.stderr)
        status = 1
    return Outcome(status, "failed" if status else "finished", leaving if status else None)


def _show(error: BaseException) -> None:
    """Show an error through `sys.excepthook`, which the program may have replaced."""
    error.__traceback__ = own_part(error.__traceback__)
    sys.excepthook(type(error), error, error.__traceback__)


def own_part(trace: TracebackType | None) -> TracebackType | None:
    """The traceback from the program's first frame; None if the program did not run."""
    here = Path(__file__).parent
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith(("<frozen ", str(here))) and Path(file).name != "runpy.py":
            return trace
        trace = trace.tb_next
    return None


def _join_threads(before: set[threading.Thread]) -> None:
    """Wait for the threads the program started, as Python does at its end."""
    for thread in threading.enumerate():
        if thread not in before and not thread.daemon:
            thread.join()


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # a program may have replaced it by None
            stream.flush()
