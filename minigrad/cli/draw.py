"""`minigrad draw`: the graph of a program, or of a recorded run, as a picture or as text."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import typer

from .console import GREEN, Problem, say
from .script import INTERRUPTED, Outcome, Program, execute

Record = Mapping[str, Any]

Arguments = Annotated[
    list[str] | None, typer.Argument(metavar="ARGS", help="Its own arguments; options among them after --.")
]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE", help="A .svg, .png, .pdf, .dot, .mmd or .txt; else text, here."),
]
Of = Annotated[str | None, typer.Option("--of", metavar="NAME", help="The graph that leads to this variable.")]
Step = Annotated[int | None, typer.Option("--step", min=0, help="The graph of this step; else of the last backward.")]


def draw(
    script: Annotated[str, typer.Argument(metavar="SCRIPT", help="A Python file that uses minigrad, or a trace file.")],
    arguments: Arguments = None,
    output: Output = None,
    of: Of = None,
    step: Step = None,
) -> int:
    """Draw a program's graph as SVG, PNG, PDF, text or Mermaid.

    The program runs to its end first. Its gradients are drawn beside its values.
    """
    from minigrad.errors import MinigradError
    from minigrad.observe.draw import FORMATS
    from minigrad.observe.draw import draw as picture_of

    if output is not None and output.suffix.lower() not in FORMATS:
        raise Problem(f"Cannot tell a format from {str(output)!r}. End it in one of {', '.join(FORMATS)}.")
    program = Program(script, arguments or ())
    program.check()
    status, what = (0, script) if _is_trace(script) else _run(program, of, step, quiet=output is None)
    if status == INTERRUPTED:
        return status
    try:
        drawing = picture_of(what, output, step=step if isinstance(what, str) else None)
    except (MinigradError, OSError) as error:
        raise Problem(str(error)) from error
    if output is None:
        print(drawing.text)
    else:
        say(f"[{GREEN}]✓[/] {output}: {len(drawing.picture.boxes)} boxes")
    return status


def _is_trace(path: str) -> bool:
    return path.endswith((".jsonl", ".jsonl.gz"))


def _run(program: Program, of: str | None, step: int | None, quiet: bool) -> tuple[int, Any]:
    """Run the program: its exit status, and what is to be drawn."""
    from minigrad.observe import Recorder

    kept = Kept(step)
    recorder = Recorder(kept, name=program.name, values="all").start()
    with contextlib.redirect_stdout(sys.stderr) if quiet else contextlib.nullcontext():
        outcome = execute(program)
    recorder.stop(outcome.error)
    if of is not None:
        return outcome.status, _named(outcome, of)
    if not kept.records and outcome.ended != "interrupted":
        wanted = "ran no op" if step is None else f"took no step {step}; its last was {kept.last}"
        raise Problem(f"There is nothing to draw: {program.name} {wanted}.")
    return outcome.status, kept.records


def _named(outcome: Outcome, name: str) -> Any:
    """The tensor that the program calls so."""
    from minigrad import Tensor

    if isinstance(outcome.names.get(name), Tensor):
        return outcome.names[name]
    tensors = [each for each, value in outcome.names.items() if isinstance(value, Tensor)]
    hint = get_close_matches(name, tensors, n=3) or tensors[:8]
    found = "is no tensor" if name in outcome.names else "does not exist"
    raise Problem(f"A global variable {name!r} {found} at the program's end. Tensors: {', '.join(hint) or 'none'}.")


class Kept:
    """A sink that keeps one step: the one asked for, else the last with a backward, else the last with an op."""

    def __init__(self, step: int | None = None) -> None:
        self.step = step
        self.last = 0
        self.records: list[Record] = []
        self._rank = 0
        self._coming: list[Record] = []

    def send(self, record: Record) -> None:
        """Take a record."""
        if record["step"] != self.last:
            self._decide()
            self.last, self._coming = record["step"], []
        self._coming.append(record)

    def close(self) -> None:
        """The last step is complete."""
        self._decide()

    def _decide(self) -> None:
        """Keep the step that is complete now, unless a better one is kept."""
        kinds = {record["type"] for record in self._coming}
        rank = 2 if "backward_started" in kinds else 1 if "node" in kinds else 0
        if self.last == self.step or (self.step is None and rank and rank >= self._rank):
            self.records, self._rank = until_backward_ended(self._coming), rank


def until_backward_ended(records: list[Record]) -> list[Record]:
    """Without what came after the last backward, such as the update of the weights."""
    ends = [i for i, record in enumerate(records) if record["type"] == "backward_finished"]
    return records[: ends[-1] + 1] if ends else records
