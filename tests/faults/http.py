"""``python -m tests.faults.http SECONDS``: requests that the server's description allows, and others (schemathesis).

A server of its own over a store with two runs is asked at every address, with all of schemathesis' checks: no 5xx, and
every status, type and form of an answer as described.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from minigrad.observe.publish.wire import encode
from tests.webui.synthetic import training

ROOT = Path(__file__).parents[2]

TOKEN = "fuzzing"

CASES_A_SECOND = 12
"""About so many requests are made, so that a search ends after its time."""


def main(seconds: str) -> int:
    with tempfile.TemporaryDirectory(prefix="minigrad-fuzz-") as folder:
        server = _server(Path(folder))
        try:
            address = _address(server)
            for run in ("r1", "20260101-120000-5f3a"):  # the second is the example in the description
                trace = "\n".join(encode(each) for each in training(run))
                _post(f"{address}/api/runs/import", trace.encode())
            return _search(address, max(1, int(seconds) * CASES_A_SECOND // 200), folder)
        finally:
            server.terminate()
            server.wait(20)


def _server(folder: Path) -> subprocess.Popen[str]:
    arguments = ["serve", "--port", "0", "--store", str(folder / "runs.sqlite"), "--token", TOKEN, "--no-browser"]
    environment = {**os.environ, "XDG_DATA_HOME": str(folder), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "minigrad", *arguments]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def _address(server: subprocess.Popen[str]) -> str:
    assert server.stdout is not None
    for line in server.stdout:
        if "http://" in line:
            return "http://" + line.split("http://")[1].split("/")[0]
    raise SystemExit("the server did not start")


def _post(address: str, body: bytes) -> None:
    request = urllib.request.Request(address, body, {"Authorization": f"Bearer {TOKEN}"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert answer.status == 201


def _search(address: str, examples: int, folder: str) -> int:
    """In `folder`, where schemathesis leaves what it remembers."""
    command = [
        "schemathesis", "run", f"{address}/api/openapi.json", "--header", f"Authorization: Bearer {TOKEN}",
        "--checks", "all", "--max-examples", str(examples), "--request-timeout", "60", "--no-color",
    ]  # fmt: skip
    path = os.pathsep.join([str(ROOT), str(ROOT / "webui")])
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "tests.faults.media", "PYTHONPATH": path}
    return subprocess.run(command, cwd=folder, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
