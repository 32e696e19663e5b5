"""Run commands in their own process with their own data folder, as a user would."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = Path(__file__).with_name("scripts")

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment without colour, browser, or the user's data."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("MINIGRAD_", "PYTEST", "DISPLAY"))
    }
    kept.pop("BROWSER", None)
    kept.pop("WAYLAND_DISPLAY", None)
    path = os.pathsep.join([str(ROOT), str(ROOT / "webui")])
    return {**kept, "PYTHONPATH": path, "MINIGRAD_DATA_DIR": str(tmp_path / "data"), "PYTHONWARNINGS": "error"}


@pytest.fixture
def minigrad(environment: dict[str, str], tmp_path: Path) -> Iterator[Command]:
    """Runs ``python -m minigrad ...`` to its end; a server it left in the background is ended after the test."""

    def run(*arguments: str | Path, **more: Any) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "minigrad", *map(str, arguments)]
        settings: dict[str, Any] = {"cwd": tmp_path, "env": environment, "timeout": 120, **more}
        return subprocess.run(
            command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, **settings
        )

    yield run
    note = tmp_path / "data" / "server.json"
    if note.exists():
        with contextlib.suppress(ProcessLookupError):
            os.kill(json.loads(note.read_text())["pid"], signal.SIGTERM)


def read_trace(path: Path) -> list[dict[str, Any]]:
    """The records of a trace file, gzipped or not."""
    raw = path.read_bytes()
    text = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    return [json.loads(line) for line in text.splitlines()]


def kinds(records: list[dict[str, Any]]) -> set[str]:
    return {record["type"] for record in records}
