"""The commands, by name. A command's heavy imports are inside it, so that `minigrad --help` is quick."""

from __future__ import annotations

from typing import Annotated

import typer

from .class_ import class_
from .demo import demo
from .doctor import doctor
from .draw import draw
from .explain import explain
from .export import export
from .lesson import app as lesson
from .ops import ops
from .replay import replay
from .run import run
from .runs import app as runs
from .serve import serve

app = typer.Typer(
    name="minigrad",
    help="An autograd you can read in an afternoon, use like PyTorch, and watch while it runs.",
    epilog="First steps: minigrad demo digits",
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from minigrad import __version__

        print(f"minigrad {__version__}")
        raise typer.Exit


@app.callback()
def minigrad(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """An autograd you can read in an afternoon, use like PyTorch, and watch while it runs."""


app.command()(demo)
app.command(context_settings={"allow_interspersed_args": False})(run)
app.command()(serve)
app.command()(draw)
app.command()(explain)
app.command()(replay)
app.command()(export)
app.add_typer(runs)
app.command()(ops)
app.command()(doctor)
app.add_typer(lesson)
app.command(name="class")(class_)
