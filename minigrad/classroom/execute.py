"""Run the cells of a lesson one after the other, as a notebook does, and say in a learner's words what went wrong."""

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
"""Python 3.11 counts the depth of a syntax tree for all threads together: two that parse at once can fail."""

PACKAGE = str(Path(__file__).parents[1])

LONGEST = 20_000
"""Characters of a traceback."""


class Cells:
    """The names that cells share, and the sources they were run from."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names
        self._versions: dict[str, list[str]] = {}

    def run(self, source: str, file: str, only: Iterable[str] | None = None) -> None:
        """Run a cell; the value of its last expression is shown. Raises what the cell raises.

        With `only`, the cell may define new names, and these; every other name means afterwards what it did before. So
        an answer cannot change, by accident or otherwise, what its check is made of.
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
        """The file's name; a changed source has another, so that tracebacks and the explorer show what really ran."""
        versions = self._versions.setdefault(file, [])
        if source not in versions:
            versions.append(source)
        version = versions.index(source) + 1
        name = file if version == 1 else f"{file} (version {version})"
        lines = [f"{line}\n" for line in source.splitlines()]  # Python counts on the ends when it places its carets
        linecache.cache[name] = (len(source), None, lines, name)
        return name


def compiled(source: str, file: str) -> list[CodeType]:
    """The code of a cell: all but the last expression, and that one so that its value is shown."""
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
    """Describe an error: its kind, a sentence, the learner's line and the traceback without our own frames."""
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
    """A sentence for an error that is no mistake in Python but a limit of the lessons; empty for all others."""
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
    """The error in one line, as Python would end a traceback, without the name of its module."""
    said = traceback.format_exception_only(type(error), error)[-1].strip()
    return said.removeprefix(f"{type(error).__module__}.")


class NoKeyboardError(EOFError):
    """A cell asked for something to be typed."""


def theirs(trace: TracebackType | None) -> TracebackType | None:
    """The traceback from the first frame outside minigrad on."""
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(PACKAGE):
        trace = trace.tb_next
    return trace


def _leave_out_ours(told: traceback.TracebackException | None) -> None:
    """Cut minigrad's own frames out of a traceback; keep the learner's lines, also those of the causes."""
    while told is not None:
        kept = [frame for frame in told.stack if not frame.filename.startswith((PACKAGE, "<frozen ", ast.__file__))]
        told.stack = traceback.StackSummary.from_list(kept)
        told = told.__cause__ or told.__context__
