"""The place of an event in the user's own program: file, line, expression, and the names a result will get.

A `Site` is one instruction of the user's program. Its facts are computed once, at its first event. After that,
finding a site takes a walk out of minigrad's frames and one dictionary lookup.
"""

from __future__ import annotations

import ast
import itertools
import linecache
import os
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from .assignments import stored_names

LONGEST = 240
"""The most characters of an expression to record."""

HERE = str(Path(__file__).parents[2]) + os.sep
PROGRAMS = (HERE + "demos" + os.sep, HERE + "examples" + os.sep)
"""Folders of the programs that come with minigrad, which count as the user's own."""


def _foreign_folders() -> tuple[str, ...]:
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = {sysconfig.get_path(name) for name in names} | {os.path.dirname(os.__file__)}
    return tuple(folder + os.sep for folder in folders if folder)


FOREIGN = _foreign_folders()

_is_users: dict[str, bool] = {}


def is_users(file: str) -> bool:
    """Whether a file belongs to the user rather than to minigrad, Python or an installed package."""
    known = _is_users.get(file)
    if known is None:
        own = file.startswith(HERE)
        installed = file.startswith(FOREIGN) or "site-packages" in file or "dist-packages" in file
        frozen = file.startswith("<frozen ") or file == "<string>"
        known = _is_users[file] = file.startswith(PROGRAMS) or not (own or installed or frozen)
    return known


def recomputing(frame: FrameType | None, checkpoint: tuple[str, ...]) -> bool:
    """Whether a checkpoint, in one of these files, runs its region again, with its frame on the stack from `frame`."""
    while frame is not None:
        if frame.f_code.co_filename.startswith(checkpoint):
            return True
        frame = frame.f_back
    return False


def users_frame(frame: FrameType | None) -> FrameType | None:
    """The user's innermost frame, from `frame` outwards; None if there is none."""
    known = _is_users.get  # runs for every frame, so it calls `is_users` only if needed
    while frame is not None:
        file = frame.f_code.co_filename
        users = known(file)
        if users or (users is None and is_users(file)):
            return frame
        frame = frame.f_back
    return None


def caller() -> FrameType | None:
    """The user's frame that called minigrad."""
    return users_frame(sys._getframe(1))


DEEPEST = 40
"""How many frames to look at for a data loader."""


class Parts:
    """Parts of a library: the beginning of a file's name, and the functions there; all of them if none is named."""

    def __init__(self, *parts: tuple[str, tuple[str, ...]]) -> None:
        self._parts = parts
        self._known: dict[int, tuple[bool | None, CodeType]] = {}
        """Whether each code on the stack is one of these parts, None if it is the user's, by its address. The code is
        kept, so that no other gets that address."""

    def run(self, frame: FrameType | None) -> bool:
        """Whether one of them is on the stack from `frame` up to the user's code."""
        while frame is not None:
            within = (self._known.get(id(frame.f_code)) or self._found(frame.f_code))[0]
            if within is not False:
                return within is True
            frame = frame.f_back
        return False

    def run_around(self, frame: FrameType | None) -> bool:
        """Whether one of them is on the stack from `frame`, perhaps around the user's code."""
        for _ in range(DEEPEST):
            if frame is None:
                return False
            if (self._known.get(id(frame.f_code)) or self._found(frame.f_code))[0]:
                return True
            frame = frame.f_back
        return False

    def _found(self, code: CodeType) -> tuple[bool | None, CodeType]:
        file, function = code.co_filename, code.co_name
        within = any(file.startswith(start) and (not names or function in names) for start, names in self._parts)
        known = self._known[id(code)] = (None if is_users(file) else within), code
        return known


class Site:
    """One instruction of the user's program. ``names`` are the variables that its result is stored in."""

    __slots__ = ("place", "written", "names", "returns", "code", "symbols")

    def __init__(self, frame: FrameType, file: str) -> None:
        code = frame.f_code
        text = expression(frame)
        self.place: dict[str, Any] = {"file": file, "line": frame.f_lineno, "function": code.co_name, "code": text}
        self.written = how_written(text)
        self.names, self.returns = stored_names(code, frame.f_lasti)
        self.code = code
        """Kept alive, so that its address, which identifies the site, is not reused."""
        self.symbols: dict[Any, str] = {}
        """The notation of each op class that ran here; filled in by `notation`."""


class Places:
    """Finds sites. It calls `announce` with the name and text of each file before its first place."""

    def __init__(self, announce: Callable[[str, str], None]) -> None:
        self._announce = announce
        self._sites: dict[tuple[int, int], Site] = {}
        self._files: dict[str, str] = {}

    def site(self, frame: FrameType) -> Site:
        """The site of the instruction that `frame` is at."""
        key = (id(frame.f_code), frame.f_lasti)
        found = self._sites.get(key)
        if found is None:
            found = self._sites[key] = Site(frame, self._file(frame))
        return found

    def look(self, frame: FrameType | None) -> tuple[FrameType | None, Site | None]:
        """The user's innermost frame from `frame` outwards, and its site; (None, None) if there is none."""
        frame = users_frame(frame)
        return frame, None if frame is None else self.site(frame)

    def of_error(self, error: BaseException) -> dict[str, Any] | None:
        """The user's line at which `error` was raised."""
        trace, last = error.__traceback__, None
        while trace is not None:
            if is_users(trace.tb_frame.f_code.co_filename):
                last = trace
            trace = trace.tb_next
        if last is None:
            return None
        frame, line = last.tb_frame, last.tb_lineno
        code = linecache.getline(frame.f_code.co_filename, line, frame.f_globals).strip()[:LONGEST]
        return {"file": self._file(frame), "line": line, "function": frame.f_code.co_name, "code": code}

    def _file(self, frame: FrameType) -> str:
        path = frame.f_code.co_filename
        name = self._files.get(path)
        if name is None:
            name = self._files[path] = readable(path)
            lines = linecache.getlines(path, frame.f_globals)
            if lines:
                self._announce(name, "".join(lines))
        return name


def readable(path: str) -> str:
    """A file's name for a reader: relative to the current folder or to home; a notebook cell by its number."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    cells = getattr(getattr(shell, "compile", None), "_filename_map", {})
    if path in cells:
        return f"cell {cells[path]}"
    if path.startswith("<"):
        return path
    full = os.path.abspath(path)
    for folder, prefix in ((os.getcwd(), ""), (os.path.expanduser("~"), "~" + os.sep)):
        if full.startswith(folder.rstrip(os.sep) + os.sep) and folder != os.sep:
            return prefix + os.path.relpath(full, folder)
    return full


# Expressions ----------------------------------------------------------------------------------------------------------


def expression(frame: FrameType) -> str:
    """The expression that `frame` evaluates, if Python knows it (3.11 and later), else its line."""
    code = frame.f_code
    first, last, start, end = _position(code, frame.f_lasti)
    lines = [
        linecache.getline(code.co_filename, number, frame.f_globals)
        for number in range(first or frame.f_lineno, (last or frame.f_lineno) + 1)
    ]
    if start is None or end is None or first is None:
        return lines[0].strip()[:LONGEST]
    raw = [line.encode() for line in lines]  # columns count bytes
    raw[-1] = raw[-1][:end]
    raw[0] = raw[0][start:]
    return " ".join(b" ".join(raw).decode(errors="replace").split())[:LONGEST]


def _position(code: CodeType, at: int) -> tuple[int | None, int | None, int | None, int | None]:
    positions = getattr(code, "co_positions", None)
    if positions is None:
        return None, None, None, None
    first, last, start, end = next(itertools.islice(positions(), at // 2, None), (None,) * 4)
    return first, last, start, end


_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@", ast.Pow: "**", ast.FloorDiv: "//",
    ast.Mod: "%", ast.USub: "-", ast.Invert: "~", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<",
    ast.RShift: ">>", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip


def how_written(text: str) -> tuple[str, str]:
    """The notation: ("operator", "@"), ("call", "tanh"), ("index", "[]"), or ("", "") for any other expression.

    >>> how_written("x @ w"), how_written("mg.tanh(x)"), how_written("x += 1")
    (('operator', '@'), ('call', 'tanh'), ('operator', '+='))
    """
    try:
        (statement,) = ast.parse(text).body
    except (SyntaxError, ValueError):
        return "", ""
    if isinstance(statement, ast.AugAssign):
        return "operator", _OPERATORS.get(type(statement.op), "?") + "="
    node = getattr(statement, "value", None)
    if isinstance(node, (ast.BinOp, ast.UnaryOp)) and type(node.op) in _OPERATORS:
        return "operator", _OPERATORS[type(node.op)]
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _OPERATORS:
        return "operator", _OPERATORS[type(node.ops[0])]
    if isinstance(node, ast.Subscript):
        return "index", "[]"
    if isinstance(node, ast.Call):
        called = node.func
        return "call", getattr(called, "attr", getattr(called, "id", ""))
    return "", ""
