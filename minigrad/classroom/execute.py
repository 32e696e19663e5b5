"""Run the cells of a lesson one after another, as a notebook does, and describe errors for a learner."""

from __future__ import annotations

import ast
import errno
import linecache
import threading
import traceback
from collections.abc import Iterable
from pathlib import Path
from types import CodeType, TracebackType
from typing import Any

from .check import CheckFailedError
from .limits import Limits

PARSING = threading.Lock()
"""In Python 3.11 all threads share one count of the depth of syntax trees: two that parse at once can fail."""

PACKAGE = str(Path(__file__).parents[1])

LONGEST = 20_000
"""The most characters of a traceback to keep."""


class Cells:
    """The names that cells share, and the sources of the cells."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names
        self._versions: dict[str, list[str]] = {}

    def run(self, source: str, file: str, only: Iterable[str] | None = None) -> None:
        """Run a cell; the value of its last expression is shown. Raises what the cell raises.

        With `only`, the cell may define new names and change those in `only`; all other names are restored afterwards.
        So an answer cannot change what its check uses, by accident or otherwise.
        """
        before = dict(self.names)
        try:
            for code in compiled(source, self._named(source, file)):
                exec(code, self.names)
        finally:
            if only is not None:
                allowed = set(only)
                self.names.update({name: value for name, value in before.items() if name not in allowed})

    def _named(self, source: str, file: str) -> str:
        """The file name of a source.

        A changed source gets a new one, so that tracebacks and the explorer show what really ran.
        """
        versions = self._versions.setdefault(file, [])
        if source not in versions:
            versions.append(source)
        version = versions.index(source) + 1
        name = file if version == 1 else f"{file} (version {version})"
        lines = [f"{line}\n" for line in source.splitlines()]  # Python needs the line ends to place its carets
        linecache.cache[name] = (len(source), None, lines, name)
        return name


def compiled(source: str, file: str) -> list[CodeType]:
    """The code of a cell: one part for all but the last expression, and one that shows the last expression's value."""
    tree = ast.parse(source, file)
    shown = [tree.body.pop()] if tree.body and isinstance(tree.body[-1], ast.Expr) else []
    code = [compile(tree, file, "exec", dont_inherit=True)] if tree.body else []
    return code + [compile(ast.Interactive([last]), file, "single", dont_inherit=True) for last in shown]


def definitions(source: str) -> str:
    """The functions, classes and imports of a check. Later cells may use them, whether it passes or not.

    >>> definitions("def half(x):\\n    return x / 2\\n\\nexpect(double, half(2), gives=2)")
    'def half(x):\\n    return x / 2'
    """
    lasting = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    with PARSING:
        kept: list[ast.stmt] = [statement for statement in ast.parse(source).body if isinstance(statement, lasting)]
    return ast.unparse(ast.Module(kept, []))


def failure(error: BaseException, limits: Limits) -> dict[str, Any]:
    """Describe an error: its kind, a sentence, the learner's line, and the traceback without minigrad's own frames."""
    told = traceback.TracebackException(type(error), error, theirs(error.__traceback__), compact=True)
    _leave_out_ours(told)
    text = "".join(told.format()).rstrip("\n")[:LONGEST]
    plain = in_plain_words(error, limits)
    checked = isinstance(error, CheckFailedError)
    return {
        "kind": type(error).__name__,
        "sentence": str(error) if checked else plain or last_line(error),
        "line": error.lineno if isinstance(error, SyntaxError) else (told.stack[-1].lineno if told.stack else None),
        "file": error.filename if isinstance(error, SyntaxError) else (told.stack[-1].filename if told.stack else None),
        "text": str(error) if checked else "\n".join(filter(None, (text, plain))),
        "checked": checked,
    }


def in_plain_words(error: BaseException, limits: Limits) -> str:
    """A sentence for an error that comes from a limit of the lessons rather than from Python; else empty."""
    if isinstance(error, MemoryError):
        return f"This needs more memory than the {limits.memory:,} MiB that a lesson may have."
    if isinstance(error, OSError) and error.errno == errno.EFBIG:
        return f"The file is larger than the {limits.file:,} MiB that a lesson may write."
    if isinstance(error, SystemExit):
        return "The cell asked Python to exit. In a lesson it goes on; leave that line out."
    if isinstance(error, NoKeyboardError):
        return "Nobody can type into a lesson's cell. Write the value into the code instead."
    return ""


def last_line(error: BaseException) -> str:
    """The error in one line, like the last line of a traceback, without the name of its module."""
    said = traceback.format_exception_only(type(error), error)[-1].strip()
    return said.removeprefix(f"{type(error).__module__}.")


class NoKeyboardError(EOFError):
    """A cell tried to read from the keyboard."""


def theirs(trace: TracebackType | None) -> TracebackType | None:
    """The traceback from its first frame outside minigrad."""
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(PACKAGE):
        trace = trace.tb_next
    return trace


def _leave_out_ours(told: traceback.TracebackException | None) -> None:
    """Remove minigrad's own frames from a traceback and its causes; keep the learner's lines."""
    while told is not None:
        kept = [frame for frame in told.stack if not frame.filename.startswith((PACKAGE, "<frozen ", ast.__file__))]
        told.stack = traceback.StackSummary.from_list(kept)
        told = told.__cause__ or told.__context__
