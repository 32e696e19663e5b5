"""`minigrad class`: hold a class in one room, with each pupil in a browser and the teacher at a wall of all pupils."""

from __future__ import annotations

import re
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .console import BLUE, Problem, out, say
from .lesson_files import course, find
from .options import NoBrowser

if TYPE_CHECKING:
    from minigrad.classroom.sandbox import Sandbox
    from minigrad_webui.classroom.room import Room


def class_(
    lessons: Annotated[list[str], typer.Argument(metavar="LESSON...", help="Numbers or names of the lessons.")],
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 to be reached by a room.")] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="The port; by default the one used last time.", show_default=False),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(help="The name of the class; the work of each class is kept separately.", show_default=False),
    ] = None,
    new: Annotated[
        bool, typer.Option("--new", help="Start over; the earlier work of the class is moved aside.")
    ] = False,
    no_browser: NoBrowser = False,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A host name that a proxy in front uses; may be repeated.")
    ] = None,
    trust_pupils: Annotated[
        bool, typer.Option("--trust-pupils", help="Run pupils' code with your rights if there is no sandbox.")
    ] = False,
) -> int:
    """Hold a class: pupils join in their browsers with a name and a code, and you see all of them on a wall.

    Each pupil's code runs in a sandbox. All answers and results are saved at once: after a crash, or on another
    day, the same command continues the class.
    """
    from minigrad.observe.publish.data_folder import data_dir
    from minigrad_webui.classroom.serving import Options, serve
    from minigrad_webui.server import ServeError

    entries = [find(each, files=False) for each in lessons]
    sandbox = _sandbox(trust_pupils)
    called = name or "lesson-" + "-".join(str(entry.number) for entry in entries)
    folder = data_dir() / "classes" / re.sub(r"[^\w-]+", "-", called)
    if new and folder.exists():
        shutil.move(folder, folder.with_name(f"{folder.name}-until-{time.strftime('%Y%m%d-%H%M%S')}"))
    options = Options(folder, course(), entries, sandbox, host, port, allow_host or ())
    try:
        serve(options, lambda room, page: _announce(room, page, folder, not no_browser))
    except (ServeError, OSError) as error:
        raise Problem(str(error)) from error
    say("The class is over for now. The same command goes on with it.")
    return 0


def _sandbox(trusted: bool) -> Sandbox:
    from minigrad.classroom.sandbox import best, why_none

    found = best(say)
    if not found.walls and not trusted:
        raise Problem(
            f"Pupils' code runs in a sandbox, and there is none here. {why_none()} "
            "If you trust everybody in the room, add --trust-pupils: their code then runs with your rights."
        )
    return found


def _announce(room: Room, page: str, folder: Path, browser: bool) -> None:
    import webbrowser

    from minigrad.observe.watch import has_browser

    join = f"{room.address}/join"
    out().print(f"\n  [bold]{room.title}[/]\n", soft_wrap=True)
    out().print(f"  Pupils open   [bold {BLUE}]{join}[/]", soft_wrap=True)
    out().print(f"  and type      [bold]{room.keys.code}[/]\n", soft_wrap=True)
    _draw_code(f"{join}#{room.keys.code}")
    out().print(f"  Your wall     {page}", soft_wrap=True)
    out().print(f"  Projector     {room.address}/projector?token={room.keys.viewer}", soft_wrap=True)
    out().print(f"  Kept in       {folder}", soft_wrap=True)
    if not room.sandbox.walls:
        say("There is no sandbox here: pupils' code runs with your rights.")
    say("Stop with Ctrl-C. The same command goes on with this class.", "dim")
    out().file.flush()
    if browser and has_browser():
        webbrowser.open(page)


def _draw_code(address: str) -> None:
    """Print the address as a QR code for a phone's camera."""
    import segno

    segno.make(address, error="m").terminal(compact=True)
    print()
