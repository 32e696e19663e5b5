"""A check in a lesson: the calls it makes, and its message for a wrong answer.

A check calls a function and says what it must return. In a script or notebook, `expect` calls the function directly.
The `Judge` runs the check in a process without the learner's code: there `expect` sends the call to another process,
gets plain data back, and compares it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..errors import MinigradError
from .difference import Difference, Wanted, at_least, at_most, difference, kind_of, mostly, short
from .plain import plain
from .written import Pair, text

__all__ = ["CheckFailedError", "Found", "asking", "at_least", "at_most", "expect", "mostly"]

HIDDEN = "the check ("
"""The beginning of the file name of a check whose code a learner does not see."""


LONGEST = 160
"""An argument of at most this many characters is shown; of a longer one only its type is."""


class CheckFailedError(MinigradError, AssertionError):
    """An exercise is not solved yet: what was called, what was expected, and what came back."""


@dataclass(frozen=True)
class Found:
    """The result of a call: a value as plain data, or the error that ended the call; and what was printed."""

    value: Any = None
    error: str = ""
    printed: str = ""
    where: str = ""
    """The line of the answer that raised the error."""
    cause: Exception | None = None


WITHOUT_VALUE = "the check got nothing (None) where it needs a value: is a `return` missing, or did no gradient arrive?"

_ask: Callable[[Callable[..., Any], tuple[Any, ...]], Found] | None = None


@contextmanager
def asking(ask: Callable[[Callable[..., Any], tuple[Any, ...]], Found]) -> Iterator[None]:
    """In this block, `expect` does not call functions itself but uses `ask` for their results."""
    global _ask
    before, _ask = _ask, ask
    try:
        yield
    finally:
        _ask = before


def expect(function: Callable[..., Any], *arguments: Any, gives: Any, within: float = 1e-6) -> None:
    """Call a learner's function. Raises CheckFailedError if it does not return what `gives` says.

    Numbers, and the elements of tensors, may differ by `within`, absolutely or relatively. Tensors must have the same
    shape, tuples and lists the same length, named tuples the same class; all else must be equal. `at_most`, `at_least`
    and `mostly` are expectations for more than one value.

    >>> expect(abs, -2.0, gives=2.0)
    >>> expect(abs, -2.0, gives=3.0)
    Traceback (most recent call last):
        ...
    minigrad.classroom.check.CheckFailedError: not yet: 2.0 instead of 3.0
      called     abs(-2.0)
      expected   3.0
      came back  2.0
    """
    found = _called(function, arguments) if _ask is None else _ask(function, arguments)
    wanted = gives if isinstance(gives, Wanted) else plain(gives)
    lines = [("called", called(function, arguments))]
    if found.error:
        last = found.error.splitlines()[-1].removeprefix("minigrad.errors.")
        lines += [("expected", text(wanted)), ("came back", last), *([("at", found.where)] if found.where else [])]
        words = f"it ended with {last}" if re.match(r"[\w.]+(: |$)", last) else last
        words = WITHOUT_VALUE if "'NoneType' object" in last and not found.where and _ask else words
        raise _failed(words, [*lines, *_printed(found)]) from found.cause
    first = difference(found.value, wanted, within)
    if first is not None:
        raise _failed(_words(first, found), [*lines, *_compared(found.value, wanted, first), *_printed(found)])


def _called(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Found:
    try:
        return Found(plain(function(*arguments)))
    except Exception as error:
        return Found(error=f"{type(error).__name__}: {error}", cause=error)


def _words(first: Difference, found: Found) -> str:
    """The difference as a clause of a sentence."""
    if found.value is None and found.printed.strip():
        return "it prints its result and gives nothing back; `return` gives a value back, `print` only shows it"
    if found.value is None:
        return "it gives nothing back (None): is there a `return`?"
    if not first.path or first.whole:
        return first.words
    return f"{first.words}, at {place(first)}"


def place(first: Difference) -> str:
    """The path of the first difference, as Python would write it: `[1][0].tangent`.

    >>> place(Difference("", (("at", 1), ("field", "tangent"))))
    '[1].tangent'
    """
    formats = {"at": "[{}]", "field": ".{}", "key": "[{!r}]"}
    return "".join(formats[kind].format(step) for kind, step in first.path)


def _compared(found: Any, wanted: Any, first: Difference) -> list[tuple[str, str]]:
    pair = Pair(found, wanted, first)
    lines = [("expected", pair.wanted.rstrip()), ("came back", pair.found.rstrip())]
    return [*lines, ("", pair.caret)] if pair.caret else lines


def _printed(found: Found) -> list[tuple[str, str]]:
    return [("printed", found.printed.rstrip()[:500])] if found.printed.strip() else []


def _failed(words: str, lines: list[tuple[str, str]]) -> CheckFailedError:
    indent = "\n" + " " * 13
    told = "".join(f"\n  {name:<9}  {value.replace(chr(10), indent)}" for name, value in lines)
    return CheckFailedError(f"not yet: {words}{told}")


# What was called ----------------------------------------------------------------------------------------------------


def called(function: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    """The call as text for a learner.

    A function of the check is described by its docstring, with the arguments filled in.
    """
    told = _in_words(function, arguments)
    if told is None:
        told = f"{name_of(function)}({', '.join(map(shown, arguments))})"
    meant = [_meaning(each) for each in arguments if callable(each) and is_hidden(each)]
    return "\n".join([told, *dict.fromkeys(meant)])


def is_hidden(function: Any) -> bool:
    """Whether the function is defined in a check, whose code learners do not see."""
    code = getattr(inspect.unwrap(function) if callable(function) else function, "__code__", None)
    return code is not None and code.co_filename.startswith(HIDDEN)


def _in_words(function: Callable[..., Any], arguments: tuple[Any, ...]) -> str | None:
    """The first paragraph of a hidden function's docstring, with the arguments filled in; None without one."""
    if not is_hidden(function) or not function.__doc__:
        return None
    bound = inspect.signature(function).bind(*arguments)
    bound.apply_defaults()
    names = list(bound.arguments.items())
    words = " ".join(inspect.cleandoc(function.__doc__).split("\n\n")[0].split())
    for name, value in names:
        words = words.replace(f"{{{name}}}", shown(value))
    return words


def _meaning(function: Any) -> str:
    """A description of a function passed as an argument: its docstring, or its text."""
    if function.__doc__:
        return f"where {function.__name__}: {' '.join(function.__doc__.split())}"
    try:
        return f"where {inspect.getsource(function).strip()}"
    except (OSError, TypeError):
        return ""


def name_of(function: Any) -> str:
    """The learner's name for a function, such as `multiply` or `Cube.apply`."""
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", repr(function))
    return f"{owner.__name__}.{name}" if isinstance(owner, type) else str(name)


def shown(value: Any) -> str:
    """An argument as short text; a function by its name."""
    if callable(value) and hasattr(value, "__name__"):
        return name_of(value)
    told = plain(value)
    words = short(told) if isinstance(told, float) else text(told)
    return words if len(words) <= LONGEST else kind_of(told)
