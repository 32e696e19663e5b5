"""`minigrad run`: run any program and watch it."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from . import watched_run
from .console import ORANGE, escape, say
from .options import Break, Headless, NoBrowser, Port, Record, Values, ValuesKept
from .script import Program, execute
from .torch_import import noticing_torch

OURS = frozenset({"--break", "--headless", "--no-browser", "--port", "--record", "--values"})


def run(
    script: Annotated[str, typer.Argument(metavar="SCRIPT", help="A Python file that uses minigrad or PyTorch.")],
    arguments: Annotated[list[str] | None, typer.Argument(metavar="ARGS", help="The program's own arguments.")] = None,
    module: Annotated[bool, typer.Option("-m", help="SCRIPT is the name of a module, as with python -m.")] = False,
    no_browser: NoBrowser = False,
    port: Port = None,
    headless: Headless = False,
    record: Record = None,
    values: ValuesKept = Values.auto,
    breaks: Break = None,
) -> int:
    """Run a program unchanged and watch its autograd: minigrad's, or PyTorch's where it imports torch.

    The program gets its own arguments, and its exit status becomes that of this command. Options go before
    SCRIPT; everything after it goes to the program.

    --break takes conditions with commas between them: op=MatMul,backward. The terminal and the explorer show where the
    program is paused; s steps, o steps over the module, c continues, q ends it. If no one is left to continue it, it
    goes on by itself.
    """
    from minigrad.distributed.failure import end_all, under_minigrad_run

    program = Program(script, arguments or (), module)
    program.check()
    for each in OURS.intersection(program.arguments):
        say(f"[{ORANGE}]{each} stands after {escape(script)}, so the program gets it.[/] For minigrad, put it before.")
    wishes = watched_run.Wishes(not no_browser, port, headless, record, values.value, tuple(breaks or ()))
    session = watched_run.WatchedRun(program.name, [script, *program.arguments], wishes)
    session.open()
    process = os.getpid()
    under_minigrad_run()
    with session.hearing(), noticing_torch(program, session.turn_to_torch):
        outcome = execute(program)
    if os.getpid() != process:  # a child that the program forked, which also reached its end
        return outcome.status
    session.close(outcome.error)
    if outcome.status:  # the other ranks would wait for this one
        end_all(None if isinstance(outcome.error, SystemExit) else outcome.error, outcome.status)
    say(f"{escape(program.name)} {outcome.ended}: {session.tally.words()}")
    if warning := session.warning():
        say(f"[{ORANGE}]![/] {warning}")
    incomplete = session.farewell()
    return outcome.status or incomplete
