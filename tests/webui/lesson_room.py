"""A small course of two lessons with named secrets, and a page that uses it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.testclient import WebSocketTestSession

from minigrad_webui.app import create_app
from minigrad_webui.runs.store import Store
from minigrad_webui.security import Guard

FIRST = """# ---
# title: Twice
# goal: Double any number.
# minutes: 30
# seconds: 1
# explorer: Look at the product.
# view: tree=1
# ---

# %% [markdown]
# # Twice
#
# **What is twice 21?**

# %%
from minigrad.classroom import expect

start = 21

# %% [markdown] tags=["predict"] id="guess" answer="1234.5" within="0.5"
# What will it print?
# ---
# Because of REVEALED-WORDS.

# %%
print(1000 + 234.5)  # 1234.5


# %% tags=["exercise"] id="double"
def double(x):
    ### BEGIN SOLUTION
    solution_secret = 2
    return solution_secret * x
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="double"
# HINT-ONE

# %% [markdown] tags=["hint"] id="double"
# HINT-TWO

# %% tags=["check"] id="double"
check_secret = 3
expect(double, check_secret, gives=6)

# %%
print(double(start))  # 42
"""

SECOND = """# ---
# title: Thrice
# goal: Treble any number.
# minutes: 30
# seconds: 1
# ---

# %% [markdown]
# # Thrice

# %%
print("hello")
"""

SLUG = "01-twice"


def course(folder: Path) -> Path:
    """The course, in its own folder."""
    folder.mkdir(exist_ok=True)
    (folder / "01-twice.py").write_text(FIRST)
    (folder / "02-thrice.py").write_text(SECOND)
    (folder / "course.toml").write_text(
        'title = "Small numbers"\nlessons = ["01-twice.py", "02-thrice.py"]\nfast_track = ["01-twice.py"]\n'
    )
    return folder


@contextmanager
def classroom(folder: Path, grace: float = 30.0) -> Iterator[tuple[TestClient, FastAPI]]:
    """A client of a server that teaches the small course; the server ends with the block."""
    app = create_app(Store(), Guard("secret"), grace=grace / 2)
    app.state.lessons.folder = course(folder)
    headers = {"Authorization": "Bearer secret"}
    with TestClient(app, base_url="http://localhost", headers=headers) as client:
        yield client, app


@contextmanager
def page(client: TestClient, slug: str = SLUG) -> Iterator[Page]:
    """The page of a lesson, connected."""
    with client.websocket_connect(f"ws://localhost/api/lessons/{slug}/bench") as socket:
        yield Page(socket)


class Page:
    """What a browser's page does. `run` is the run in the first message."""

    def __init__(self, socket: WebSocketTestSession) -> None:
        self.socket = socket
        self.greeting = self.hear()

    def hear(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.socket.receive_text())
        return message

    def ask(self, type: str, **fields: Any) -> None:
        self.socket.send_json({"type": type, **fields})

    def until(self, type: str) -> list[dict[str, Any]]:
        """All messages up to and including the next of this type."""
        heard = [self.hear()]
        while heard[-1]["type"] != type:
            heard.append(self.hear())
        return heard

    def run(self, **cells: str) -> dict[str, dict[str, Any]]:
        """Run cells and wait for them. Returns how each ended, with all its output as `text`."""
        return self.ended(cells, fresh=False)

    def run_anew(self, **cells: str) -> dict[str, dict[str, Any]]:
        """Do the same with a new Python."""
        return self.ended(cells, fresh=True)

    def ended(self, cells: dict[str, str], fresh: bool) -> dict[str, dict[str, Any]]:
        self.ask("run", cells=[{"key": key, "code": code} for key, code in cells.items()], fresh=fresh)
        text = dict.fromkeys(cells, "")
        found: dict[str, dict[str, Any]] = {}
        while len(found) < len(cells):
            message = self.hear()
            if message["type"] == "output":
                text[message["key"]] += message["text"]
            elif message["type"] == "finished":
                found[message["key"]] = {**message, "text": text[message["key"]]}
        return found
