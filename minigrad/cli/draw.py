"""`minigrad draw`: the graph of a program, or of a recorded run, as a picture or as text."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import typer

from .console import GREEN, ORANGE, Problem, say
from .replay import there
from .script import INTERRUPTED, Program, execute

Record = Mapping[str, Any]

Arguments = Annotated[
    list[str] | None, typer.Argument(metavar="ARGS", help="The program's own arguments; options among them after --.")
]
Output = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="A .svg, .png, .pdf, .dot, .mmd or .txt file; by default text in the terminal.",
    ),
]
Of = Annotated[
    str | None, typer.Option("--of", metavar="NAME", help="Draw only the graph that leads to the result of this name.")
]
Step = Annotated[
    int | None, typer.Option("--step", min=0, help="Draw the graph of this step; by default that of the last backward.")
]


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
    from minigrad.observe.draw.drawing import FORMATS, needs_graphviz
    from minigrad.observe.draw.drawing import draw as picture_of

    if output is not None and output.suffix.lower() not in FORMATS:
        raise Problem(f"Cannot tell a format from {str(output)!r}. End it in one of {', '.join(FORMATS)}.")
    if output is not None:
        try:
            needs_graphviz(FORMATS[output.suffix.lower()])
        except MinigradError as error:  # report it before the program runs, not after
            raise Problem(str(error)) from error
    program = Program(script, arguments or ())
    kept = KeptStep(step)
    status = _replay(script, kept) if script.endswith((".jsonl", ".jsonl.gz")) else _run(program, kept, output is None)
    if status == INTERRUPTED:
        return status
    if not kept.records:
        wanted = "ran no op" if step is None else f"took no step {step}; its last was {kept.last}"
        raise Problem(f"There is nothing to draw: {program.name} {wanted}.")
    try:
        drawing = picture_of(leading_to(kept.records, of), output)
    except OSError as error:
        raise Problem(f"Cannot write {str(output)!r}: {error.strerror}.") from error
    except MinigradError as error:
        raise Problem(str(error)) from error
    if output is None:
        print(drawing.text)
    else:
        say(f"[{GREEN}]✓[/] {output}: {len(drawing.picture.boxes)} boxes")
    return status


def _run(program: Program, kept: KeptStep, quiet: bool) -> int:
    """Run the program and return its exit status. Its output must not mix with a drawing."""
    from minigrad.observe import Recorder

    program.check()
    recorder = Recorder(kept, name=program.name, values="all").start()
    with contextlib.redirect_stdout(sys.stderr) if quiet else contextlib.nullcontext():
        outcome = execute(program)
    recorder.stop(outcome.error)
    return outcome.status


def _replay(path: str, kept: KeptStep) -> int:
    from minigrad.errors import ArgumentError
    from minigrad.observe.record.reader import read

    there(Path(path))
    try:
        reading = read(path)
    except (ArgumentError, OSError) as error:
        raise Problem(str(error)) from error
    if not reading.complete:
        from .console import escape

        say(f"[{ORANGE}]![/] {escape(path)} is not whole; what can be read is drawn. See: minigrad replay --check")
    for record in reading.records:
        kept.send(record)
    kept.close()
    return 0


class KeptStep:
    """A sink that keeps one step: the requested one, else the last with a backward, else the last with an op."""

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
        """Take the last step into account."""
        self._decide()

    def _decide(self) -> None:
        """Keep the step that has just ended, unless a better one is kept already."""
        kinds = {record["type"] for record in self._coming}
        rank = 2 if "backward_started" in kinds else 1 if "node" in kinds else 0
        if rank and (self.last == self.step or (self.step is None and rank >= self._rank)):
            self.records, self._rank = self._coming, rank


def leading_to(records: list[Record], name: str | None) -> list[Record]:
    """The records of a step without the ops that do not lead to the result `name`, or to the last backward's roots."""
    nodes = [record for record in records if record["type"] == "node"]
    sources = _sources(nodes)
    if name is not None:
        ends = [_called(nodes, name)]
    else:
        backwards = [record for record in records if record["type"] == "backward_started"]
        ends = [root["node"] for root in backwards[-1]["roots"] if root.get("node")] if backwards else list(sources)
    wanted: set[int] = set()
    while ends:
        end = ends.pop()
        if end in sources and end not in wanted:
            wanted.add(end)
            ends += sources[end]
    return [record for record in records if record["type"] != "node" or record["id"] in wanted]


def _sources(nodes: list[Record]) -> dict[int, list[int]]:
    """For each node, the nodes that made its inputs. In order, because a tensor written in place has several makers."""
    makers: dict[int, int] = {}
    sources = {}
    for node in nodes:
        sources[node["id"]] = [each.get("node") or makers.get(each.get("tensor"), 0) for each in node["inputs"]]
        makers.update({each["id"]: node["id"] for each in node["outputs"]})
    return sources


def _called(nodes: list[Record], name: str) -> int:
    """The last op whose result has this name. Raises Problem if there is none."""
    named = {each["name"]: node["id"] for node in nodes for each in node["outputs"] if each.get("name")}
    if name in named:
        return int(named[name])
    meant = get_close_matches(name, named, n=3) or list(named)[:8]
    raise Problem(f"No result is called {name!r} in this step. There are: {', '.join(meant) or 'none with a name'}.")
