"""`minigrad explain`: why a gradient of a program is None, or how it came to be."""

from __future__ import annotations

import contextlib
import sys
from typing import Annotated, Any

import typer

from .console import Problem
from .script import Program, execute

Arguments = Annotated[
    list[str] | None, typer.Argument(metavar="ARGS", help="The program's own arguments; options among them after --.")
]


def explain(
    script: Annotated[str, typer.Argument(metavar="SCRIPT", help="A Python file that uses minigrad.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="A tensor of it, such as w or net.first.weight.")],
    arguments: Arguments = None,
) -> int:
    """Say why a tensor's gradient is None, or how it came to be.

    The program runs to its end first; what it prints goes to stderr.
    """
    from minigrad.observe import Recorder

    program = Program(script, arguments or ())
    program.check()
    recorder = Recorder(lambda record: None, name=program.name, values="all").start()
    try:
        with contextlib.redirect_stdout(sys.stderr):
            outcome = execute(program)
        print(_answer(script, name, outcome.names))
    finally:
        recorder.stop()
    return outcome.status


def _answer(script: str, name: str, names: dict[str, Any]) -> Any:
    """Ask as the program itself would ask on a last line of its own."""
    from minigrad.core.tensor import Tensor
    from minigrad.errors import MinigradError
    from minigrad.observe import explain as explained

    asking = {**names, "__explained__": explained}
    try:
        return eval(compile(f"__explained__({name}, {name!r})", script, "eval"), asking)
    except MinigradError as error:
        raise Problem(str(error)) from error
    except Exception as error:
        tensors = [each for each, value in names.items() if isinstance(value, Tensor)]
        known = f"Its global tensors: {', '.join(tensors[:8])}." if tensors else "It has no global tensors."
        raise Problem(f"At the end of {script} {name!r} gives {type(error).__name__}: {error}. {known}") from error
