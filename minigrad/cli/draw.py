"""`minigrad draw`: the graph of a program, as a picture or as text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .console import Problem


def draw(
    script: Annotated[str, typer.Argument(metavar="SCRIPT", help="A Python file that uses minigrad.")],
    arguments: Annotated[list[str] | None, typer.Argument(metavar="ARGS", help="Its own arguments; options among them after --.")] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help=".svg, .png, .pdf, .txt or .mmd; else text here.")
    ] = None,
    of: Annotated[str | None, typer.Option(metavar="NAME", help="A variable; else the last root of a backward.")] = None,
) -> int:
    """Draw a program's graph as SVG, PNG, PDF, text or Mermaid.

    The program runs to its end first.
    """
    raise Problem("not yet")
