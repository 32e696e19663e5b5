"""`minigrad demo`: small programs that show something, watched in the browser."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import sys
from difflib import get_close_matches
from typing import Annotated, Any

import typer

from . import watched_run
from .console import GREEN, Problem, out, say
from .options import Headless, NoBrowser, Port, Record, Values, ValuesKept
from .script import INTERRUPTED

Epochs = Annotated[int | None, typer.Option(min=1, help="How many epochs to learn.", show_default=False)]
Seed = Annotated[int | None, typer.Option(help="The seed of the random numbers.", show_default=False)]
Device = Annotated[str | None, typer.Option(help="The device to compute on: cpu, cuda.", show_default=False)]


def demo(
    name: Annotated[
        str | None, typer.Argument(help="The demo to watch; without it, the demos are listed.", show_default=False)
    ] = None,
    epochs: Epochs = None,
    seed: Seed = None,
    device: Device = None,
    step: Annotated[
        bool, typer.Option("--step", help="Walk through backward here, node by node, with its numbers.")
    ] = False,
    live: Annotated[
        bool,
        typer.Option("--live", help="Show the demo in the terminal, without the explorer: curve, numbers and picture."),
    ] = False,
    no_browser: NoBrowser = False,
    port: Port = None,
    headless: Headless = False,
    record: Record = None,
    values: ValuesKept = Values.auto,
) -> int:
    """Watch a small program learn.

    The explorer keeps running after the demo, so that you can explore the run. It ends by itself after an hour
    without use, or with `minigrad serve --stop`.
    """
    if name is None:
        _list()
        return 0
    if step and live:
        raise Problem("--step and --live both want the terminal. Choose one.")
    module = _module(name)
    given = {"epochs": epochs, "seed": seed, "device": device}
    settings = _settings(name, module, {key: value for key, value in given.items() if value is not None})
    kept = Values.all if step else Values.none if live and record is None else values
    wishes = watched_run.Wishes(not no_browser, port, headless or live, record, kept.value)
    return _run(name, module, settings, wishes, step, live)


def _list() -> None:
    from rich.table import Table

    from minigrad.demos import CATALOGUE

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for name, about in CATALOGUE.items():
        table.add_row(f"minigrad demo {name}", about)
    out().print(table)


def _module(name: str) -> Any:
    from minigrad.demos import CATALOGUE

    if name not in CATALOGUE:
        near = get_close_matches(name, CATALOGUE, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(CATALOGUE)}."
        raise Problem(f"There is no demo {name!r}. {hint}")
    return importlib.import_module(f"minigrad.demos.{name}")


def _settings(name: str, module: Any, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments for the demo's `main`. Raises Problem for an option that the demo does not have."""
    takes = [each for each in inspect.signature(module.main).parameters if each != "report"]
    for each in given:
        if each not in takes:
            has = ", ".join(f"--{option}" for option in takes) or "no options of its own"
            raise Problem(f"The demo {name} has no --{each}; it has {has}.")
    return given


def _run(name: str, module: Any, settings: dict[str, Any], wishes: watched_run.Wishes, step: bool, live: bool) -> int:
    from minigrad.errors import MinigradError

    from . import step as stepping
    from .demo_display import Display
    from .progress import Screen

    walk = stepping.Walk(stepping.ask())
    session = watched_run.WatchedRun(f"demo {name}", ["minigrad", "demo", name], wishes, *([walk] if step else []))
    session.open()
    screen = Display(name, session.note) if live else Screen(name, session.note, drawing=not step)
    walking = stepping.walking(walk, session.recorder.flush) if step else contextlib.nullcontext()
    error: BaseException | None = None
    try:
        with screen, session.hearing(), walking:
            module.main(**settings, report=screen)
    except (KeyboardInterrupt, MinigradError) as caught:
        error = caught
    finally:
        session.close(error or sys.exc_info()[1])
    if isinstance(error, MinigradError):
        raise Problem(f"The demo {name} failed. {error}") from error
    say("Stopped." if error else f"[{GREEN}]✓[/] {screen.summary()}")
    incomplete = session.farewell()
    return INTERRUPTED if error else incomplete
