"""Measure the cost of being watched: mlp and gpt with an explorer and a viewer attached, against the same not recorded.

The viewer is a headless Chromium if there is one, and else a WebSocket that takes all records; the row
says which. Server and viewer are separate processes and not included: only the program's own cost is measured. As in
`recorded` the seconds that are free for short programs are set to 0.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any

from ..row import Maker, Row, Step
from .recorded import AT_A_TIME, WORKS, alone, timed

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0")
PATIENCE = 60.0
"""Seconds within which a viewer must connect."""


def browser() -> str | None:
    """A Chromium: the one that CHROMIUM names, or the first that is installed."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


def watched(name: str) -> Maker:
    """Milliseconds of a step that is shown in the explorer."""

    def make() -> Step:
        from minigrad.observe.publish.data_folder import DATA_DIR_VARIABLE
        from minigrad.observe.publish.publisher import Publisher
        from minigrad.observe.publish.server_process import start_in_background
        from minigrad.observe.record import sampling
        from minigrad.observe.record.recorder import Recorder
        from minigrad.observe.watch import Watching

        step = WORKS[name].sides["minigrad"]()
        sampling.FREE = sampling.FREE_NUMBERS = 0.0
        folder = tempfile.mkdtemp()
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        os.environ[DATA_DIR_VARIABLE] = folder
        note = start_in_background()
        atexit.register(os.kill, note.pid, signal.SIGTERM)
        publisher = Publisher(note.url, note.token)
        watching = Watching(Recorder(publisher, name=name), note.page)
        watching.begin(publisher=publisher)
        step()
        invite(note, watching.recorder.id, folder, publisher)
        return timed(step, AT_A_TIME[name], watching.recorder)

    return make


def invite(note: Any, run: str, folder: str, publisher: Any) -> None:
    """Start a viewer of the run, and wait until the program knows about it."""
    chromium = browser()
    if chromium is None:
        command = [sys.executable, "-m", __name__, note.url, note.token, run]
    else:
        command = [chromium, *FLAGS, f"--user-data-dir={folder}/browser", f"{note.page}#run={run}"]
    viewer = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    atexit.register(viewer.kill)
    deadline = time.monotonic() + PATIENCE
    while not publisher.audience:
        if time.monotonic() > deadline:
            raise ImportError(f"{command[0]} did not look at the run within {PATIENCE:.0f} s")
        time.sleep(0.05)


async def look(url: str, token: str, run: str) -> None:
    """Run a viewer without a browser, until this process is ended."""
    from minigrad.observe.publish.data_folder import Note

    from ..server import Viewer

    note = Note(url=url, token=token, pid=0, store="", minigrad="")
    address = url.removeprefix("http://").split(":")
    await asyncio.get_running_loop().create_connection(lambda: Viewer(note, sys.maxsize, [], run), *address)
    await asyncio.Event().wait()


VIEWER = "a browser" if browser() else "a WebSocket viewer (there is no Chromium)"

ROWS = [
    Row(
        f"watched-{work}",
        f"{work} with a server and {VIEWER} attached, values auto, against not recorded: the program's CPU time a step",
        {"minigrad": watched(work), "not recorded": alone(work)},
        {"not recorded": 1.5},
        unit="ms/step",
        agree=False,
    )
    for work in WORKS
]

if __name__ == "__main__":
    asyncio.run(look(*sys.argv[1:]))
