"""A headless Chromium, driven over its own protocol, for tests in an environment with only Python and no Node."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 90.0
"""Seconds that a page may take to show something."""
WITHOUT = "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup"
"""Two pages under the address bar, which cost as much as the page of a test."""


def chromium() -> str | None:
    """The path of an installed Chromium: CHROMIUM, or one on PATH."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """One tab."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._numbers = itertools.count(1)
        self.problems: list[str] = []
        """Errors that the page wrote to its console, and uncaught exceptions."""
        for domain in ("Page", "Runtime", "Log"):
            self._ask(f"{domain}.enable")

    def open(self, address: str) -> None:
        """Go to an address."""
        failed = self._ask("Page.navigate", url=address).get("errorText")
        assert not failed, f"{address}: {failed}"

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page; for a promise, its result."""
        answer = self._ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait_for(self, expression: str, seconds: float = PATIENCE) -> Any:
        """Wait until the expression is true, and return its value."""
        deadline = time.monotonic() + seconds
        while not (found := self.evaluate(expression)):
            if time.monotonic() > deadline:
                shown = self.evaluate("document.body.innerText")
                raise AssertionError(f"in vain for {expression}\nproblems: {self.problems}\nshown: {shown}")
            time.sleep(0.05)
        return found

    def _ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = next(self._numbers)
        self._connection.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            told = json.loads(self._connection.recv(PATIENCE))
            if told.get("id") == number:
                assert "error" not in told, told
                return dict(told["result"])
            self._note(told.get("method"), told.get("params", {}))

    def _note(self, method: str, told: dict[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(told["exceptionDetails"]))
        elif method == "Log.entryAdded" and told["entry"]["level"] == "error":
            self.problems.append(f"{told['entry']['text']} {told['entry'].get('url', '')}")


@contextmanager
def opened(binary: str, folder: Path) -> Iterator[Page]:
    """A page in a browser of its own, whose profile lies in `folder`."""
    profile = folder / "profile"
    quiet = ("--headless=new", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage", "--mute-audio", WITHOUT)
    as_root = ("--no-sandbox",) if getattr(os, "geteuid", lambda: 1)() == 0 else ()
    command = [binary, *quiet, *as_root, "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"]
    browser = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        port = _port(browser, profile / "DevToolsActivePort")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=PATIENCE) as answer:
            address = next(each["webSocketDebuggerUrl"] for each in json.load(answer) if each["type"] == "page")
        with connect(address, compression=None, proxy=None, max_size=None) as connection:
            yield Page(connection)
    finally:
        browser.terminate()
        browser.wait(PATIENCE)


def _port(browser: subprocess.Popen[bytes], note: Path) -> int:
    deadline = time.monotonic() + PATIENCE
    while not (note.exists() and (lines := note.read_text().splitlines())):
        assert browser.poll() is None, f"the browser ended with status {browser.returncode}"
        assert time.monotonic() < deadline, "the browser did not say where it listens"
        time.sleep(0.05)
    return int(lines[0])
