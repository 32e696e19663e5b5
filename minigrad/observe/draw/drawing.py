"""Pictures of a graph: Graphviz (SVG, PNG, PDF), Mermaid, and a tree of text that needs no other program."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from ...errors import ArgumentError, ArgumentTypeError, MinigradError
from ..escaping import one_line
from ..framework import framework_of
from ..record.reader import Reading, read
from ..schema import check
from ..source.callsites import caller
from .diagram import Picture
from .dot import dot
from .living import of_tensors
from .mermaid import mermaid
from .recorded import of_records
from .text import text

Format = Literal["svg", "png", "pdf", "dot", "mermaid", "text"]

FORMATS: dict[str, Format] = {
    ".svg": "svg", ".png": "png", ".pdf": "pdf", ".dot": "dot", ".gv": "dot", ".mmd": "mermaid", ".mermaid": "mermaid",
    ".md": "mermaid", ".txt": "text",
}  # fmt: skip

MOST_BOXES = 1_500
"""The most boxes that Graphviz is asked to lay out: more would take minutes, and be unreadable."""


class GraphvizMissingError(MinigradError, RuntimeError):
    """The program `dot` was not found."""


class Drawing:
    """A picture in every format. A notebook displays it; `print` shows it as a tree of text."""

    def __init__(self, picture: Picture, twins: bool = False) -> None:
        self.picture = picture
        self.twins = twins

    @functools.cached_property
    def text(self) -> str:
        """The picture as a tree of text."""
        return text(self.picture)

    @functools.cached_property
    def mermaid(self) -> str:
        """The picture as Mermaid text."""
        return mermaid(self.picture)

    @functools.cached_property
    def dot(self) -> str:
        """The picture as Graphviz's DOT text."""
        return dot(self.picture, self.twins)

    @functools.cached_property
    def svg(self) -> str:
        """The picture as SVG. Raises GraphvizMissingError if `dot` is not installed."""
        return self.rendered("svg").decode()

    def rendered(self, form: str) -> bytes:
        """The drawing made by Graphviz: svg, png or pdf."""
        boxes = len(self.picture.boxes)
        if boxes > MOST_BOXES:
            raise ArgumentError(
                f"this graph has {boxes:,} boxes; Graphviz lays out at most {MOST_BOXES:,} in reasonable time. "
                "Draw it as format='text' or 'mermaid', or look at it with mg.watch(), which folds modules."
            )
        needs_graphviz(form)
        command = ["dot", f"-T{form}", "-Kdot"]
        ran = subprocess.run(command, input=self.dot.encode(), env=_locked(), capture_output=True, check=False)
        if ran.returncode or not ran.stdout:
            said = one_line(ran.stderr.decode(errors="replace")) or f"it ended with status {ran.returncode}"
            raise ArgumentError(f"Graphviz could not draw this graph: {said}")
        return ran.stdout

    def save(self, path: str | os.PathLike[str], format: Format | None = None) -> Path:
        """Write the picture to a file. By default the ending of its name chooses the format."""
        target = Path(path)
        form = format or FORMATS.get(target.suffix.lower())
        if form is None:
            raise ArgumentError(f"cannot tell a format from {target.name!r}: end it in one of {', '.join(FORMATS)}")
        if form in ("svg", "png", "pdf"):
            target.write_bytes(self.rendered(form))
        elif target.suffix.lower() == ".md":
            target.write_text(f"```mermaid\n{self.mermaid}\n```\n", encoding="utf-8")
        else:
            target.write_text(self.source(form) + "\n", encoding="utf-8")
        return target

    def source(self, form: Format) -> str:
        """The picture as text in this format."""
        if form not in ("svg", "dot", "mermaid", "text"):
            known = "svg, png, pdf, dot, mermaid or text"
            raise ArgumentError(f"format must be {known}, not {form!r}; png and pdf need a path")
        return str(getattr(self, form))

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        bundle = {"text/plain": self.text}
        try:
            bundle["image/svg+xml"] = self.svg
        except (MinigradError, ImportError):
            bundle["text/plain"] += "\n\n(With Graphviz installed this would be a picture.)"
        return bundle


def needs_graphviz(form: str) -> None:
    """Raise GraphvizMissingError if this format needs Graphviz and it is not installed."""
    if form in ("svg", "png", "pdf") and shutil.which("dot") is None:
        raise GraphvizMissingError(
            f"drawing {form.upper()} needs the program `dot` of Graphviz, which is not on the PATH. Get it with "
            "`apt install graphviz`, `brew install graphviz`, `conda install graphviz` or `winget install "
            "Graphviz.Graphviz`. Without it, format='text' and format='mermaid' work, and so does mg.watch()."
        )


def _locked() -> dict[str, str]:
    """An environment that keeps Graphviz from opening files that a label names: it reads only its input."""
    return {**os.environ, "SERVER_NAME": "minigrad", "GV_FILE_PATH": os.devnull}


def draw(
    what: Any,
    path: str | os.PathLike[str] | None = None,
    format: Format | None = None,
    *,
    step: int | None = None,
    twins: bool | None = None,
) -> Drawing:
    """Draw the graph that leads to a tensor (or several), or that of one step of a recording.

    `what` is a tensor, a sequence of tensors, records, or the path of a trace file. With `path` the picture is written
    there, as the format of its ending, or as `format`: svg, png, pdf, dot, mermaid, text. `step` chooses a step of a
    recording, the last by default. `twins` adds the gradients to each op, by default if they were recorded.
    Raises ArgumentError if `what` cannot be drawn, GraphvizMissingError if svg, png or pdf is wanted without `dot`.

    >>> import minigrad as mg
    >>> w = mg.tensor(2.0, requires_grad=True)
    >>> loss = mg.tanh(w * 3)
    >>> print(mg.observe.draw(loss))
    ● loss = Tanh  keeps out  #2
    ● Mul  #1
    └── w  requires grad
    """
    picture = _picture(what, step)
    if twins is None:
        twins = any(box.gradient is not None for box in picture.boxes.values())
    drawing = Drawing(picture, twins)
    if path is not None:
        drawing.save(path, format)
    elif format is not None and format != "text":
        return _in_format(drawing, format)
    return drawing


def _in_format(drawing: Drawing, format: Format) -> Drawing:
    """The drawing, which prints itself in `format`."""
    if format in ("png", "pdf"):
        raise ArgumentError(f"{format} is not text: give a path to write it to")
    drawing.text = drawing.source(format)
    return drawing


def _picture(what: Any, step: int | None) -> Picture:
    if framework_of(what) is not None:
        return of_tensors([what], caller())
    if isinstance(what, (str, os.PathLike)):
        what = read(what)
    if isinstance(what, Reading):
        return of_records(what.records, step)
    if isinstance(what, Sequence) and what and all(framework_of(each) is not None for each in what):
        return of_tensors(what, caller())
    if isinstance(what, Iterable):
        records = list(what)
        if records and all(isinstance(each, dict) and "type" in each for each in records):
            for number, each in enumerate(records, 1):
                if (wrong := check(each)) is not None:
                    raise ArgumentError(f"record {number} is not what it should be. {wrong}")
            return of_records(records, step)
    wanted = "a tensor, tensors, records or the path of a trace file"
    raise ArgumentTypeError(f"draw takes {wanted}, not {type(what).__name__}")
