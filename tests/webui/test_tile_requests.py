"""A viewer looks closer at an array of a real program, over the server; and is told why where that cannot be."""

from __future__ import annotations

import subprocess
import sys
from base64 import b64decode
from pathlib import Path

import numpy as np

from tests.webui.conftest import Server, environment, wait_until

PROGRAM = """
import sys
import minigrad as mg
mg.watch("large", browser=False)
w = mg.nn.Parameter(mg.arange(300 * 200.0).reshape(300, 200))
loss = (w * 2).sum()
print("ready", flush=True)
sys.stdin.readline()
"""


def test_a_tile_comes_from_the_program_and_ends_with_it(server: Server, tmp_path: Path) -> None:
    script = tmp_path / "large.py"  # a name is read from the line, so there must be one
    script.write_text(PROGRAM)
    program = subprocess.Popen(
        [sys.executable, str(script)], env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert program.stdin
    assert program.stdout
    assert program.stdout.readline() == "ready\n"
    run = wait_until(lambda: server.get("/api/runs").json(), "the run")[0]["id"]

    def called_w() -> int | None:
        tensors = server.get(f"/api/runs/{run}/graph").json()["tensors"]
        return next((one["id"] for one in tensors if one["name"] == "w"), None)

    w = wait_until(called_w, "w in its graph")
    address = f"/api/runs/{run}/tensors/{w}/tile"
    stored = wait_until(lambda: server.get(f"/api/runs/{run}").json()["records"], "records")

    tile = server.get(f"{address}?row=10&col=20&rows=2&cols=3").json()
    elements = np.frombuffer(b64decode(tile["data"]), "<f4").reshape(tile["rows"], tile["cols"])
    assert np.array_equal(elements, np.arange(60_000.0).reshape(300, 200)[10:12, 20:23])
    assert tile["version"] == 0
    assert "no .grad" in server.get(f"{address}?of=grad").json()["problem"]
    assert "no row 900" in server.get(f"{address}?row=900").json()["problem"]
    assert "let go of" in server.get(f"/api/runs/{run}/tensors/99999/tile").json()["problem"]
    assert server.get(f"{address}?rows=4096").status_code == 422
    assert server.get(f"/api/runs/{run}").json()["records"] == stored

    program.communicate("\n", timeout=120)
    wait_until(lambda: server.get(f"/api/runs/{run}").json()["status"] == "finished", "its end")
    refused = server.get(address)
    assert refused.status_code == 409
    assert "has ended" in refused.json()["message"]
    assert server.get("/api/runs/nothing/tensors/1/tile").status_code == 404
