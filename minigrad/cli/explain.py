"""`minigrad explain`: what is wrong with a training program; why a gradient is None, or how it came to be."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .console import Problem
from .script import Program, execute
from .torch_import import noticing_torch

if TYPE_CHECKING:
    from minigrad.observe import Recorder
    from minigrad.observe.diagnosis import Diagnosis

Arguments = Annotated[
    list[str] | None, typer.Argument(metavar="ARGS", help="The program's own arguments; options among them after --.")
]


def explain(
    script: Annotated[str, typer.Argument(metavar="SCRIPT", help="A Python file that uses minigrad or PyTorch.")],
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="A tensor of the program, such as w or net.first.weight.", show_default=False
        ),
    ] = None,
    arguments: Arguments = None,
) -> int:
    """Say what is wrong with a training program; or of one tensor why its gradient is None, or how it came to be.

    The program uses minigrad or PyTorch. It runs to its end first; its output goes to stderr.
    """
    from minigrad.observe import Recorder
    from minigrad.observe.diagnosis import Diagnosis
    from minigrad.observe.framework import framework_of_module

    program = Program(script, arguments or ())
    program.check()
    diagnosis = Diagnosis()
    recorder = Recorder(diagnosis, name=program.name, values="all").start()

    def turn() -> None:
        recorder.turn_to(framework_of_module(sys.modules["torch"]))

    error = None
    try:
        with contextlib.redirect_stdout(sys.stderr), noticing_torch(program, turn):
            outcome = execute(program)
        error = outcome.error
        if name is not None:
            print(_answer(script, name, outcome.names, recorder))
    finally:
        recorder.stop(error)
    if name is None:
        print(_told(diagnosis))
    return outcome.status


def _told(diagnosis: Diagnosis) -> str:
    """The findings as text, or a sentence that there are none."""
    steps = diagnosis.steps.count
    seen = f"{steps} step{'' if steps == 1 else 's'}"
    findings = diagnosis.findings()
    return "\n".join(map(str, findings)) if findings else f"Nothing wrong was found in {seen}."


def _answer(script: str, name: str, names: dict[str, Any], recorder: Recorder) -> Any:
    """Explain a tensor as if the program had called `explain` on a last line.

    `name` is an expression, or what the explorer calls the tensor: ``0.weight``.
    """
    from minigrad.errors import MinigradError
    from minigrad.observe import explain as explained
    from minigrad.observe.framework import framework_of

    def ask(expression: str, **values: Any) -> Any:
        asking = {**names, "__explained__": explained, **values}
        return eval(compile(f"__explained__({expression}, {name!r})", script, "eval"), asking)

    try:
        return ask(name)
    except MinigradError as error:
        raise Problem(str(error)) from error
    except Exception as error:
        recorded = recorder.tensor_called(name)
        if recorded is not None:
            return ask("__recorded__", __recorded__=recorded)
        tensors = [each for each, value in names.items() if framework_of(value) is not None]
        known = f"Its global tensors: {', '.join(tensors[:8])}." if tensors else "It has no global tensors."
        raise Problem(f"At the end of {script} {name!r} gives {type(error).__name__}: {error}. {known}") from error
