"""``python -m tests.faults.endurance SECONDS``: very many records, for long, and what they cost.

- ``million``: a program sends 1,000,000 records as fast as it can; so do one that has a million steps, and one whose
  million records are one step. The server takes no more than 300 MB throughout, keeps every record, and a browser that
  opens the run has its first picture within 2 s.
- ``hour``: for the seconds that are given, a program sends without a pause; the server's memory does not grow, and each
  record is kept, or said to be left out where other work slows the server down.
- ``recorder``: a training loop of 100,000 steps (fewer where the seconds are over) is recorded with ``values="all"``;
  neither the program's memory nor the time of a step grows.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import minigrad as mg
from minigrad.observe import Recorder
from minigrad.observe.publish.data_folder import DATA_DIR_VARIABLE
from tests.webui.conftest import PROGRAM, Server, environment

RECORDS = 1_000_000
PACE = 40_000
"""Records a second of the first; what is sent faster than it can be stored is dropped by the program, and said so."""
MOST_MEMORY = 300e6
LONGEST_OPENING = 2.0

STEPS = 100_000
GROWTH = 20e6
"""Bytes that a server may take more at the end than after a fifth of its time."""

WAITING = 300e6
"""The same for a program that is recorded: on a busy machine, as many records wait for the recorder's thread (at most
200,000). A leak of 3 kB a step would be more."""


def million(seconds: float) -> list[str]:
    """Each shape of a run with a million records; what was wrong."""
    wrong = []
    for shape, records_a_step in (("10,000 steps", 100), ("a million steps", 1), ("one step", RECORDS + 1)):
        with _server() as server, _memory_of(server.note.pid) as memory:
            begun = time.monotonic()
            _send(RECORDS, PACE, records_a_step)
            took = time.monotonic() - begun
            kept = server.run()["records"]
            opening = _opening(server)
            for path in ("/steps", "/graph", "/gradients", "/findings", "/records?limit=10", "/records", "/page"):
                _ask(server, path)
            peak = max(memory)
        print(
            f"  {shape}: {RECORDS / took:,.0f} records a second, the server took {peak / 1e6:.0f} MB at most, "
            f"opened in {opening:.2f} s",
            flush=True,
        )
        wrong += [f"{shape}: {kept} records were kept"] if kept != RECORDS + 1 else []
        wrong += [f"{shape}: the server took {peak / 1e6:.0f} MB"] if peak > MOST_MEMORY else []
        wrong += [f"{shape}: it took {opening:.1f} s to open"] if opening > LONGEST_OPENING else []
    return wrong


def hour(seconds: float) -> list[str]:
    """A program that sends for so long; what was wrong."""
    with _server() as server, _memory_of(server.note.pid) as memory:
        until = time.monotonic() + seconds
        sent = kept = left_out = 0
        while time.monotonic() < until:
            _send(RECORDS // 4, PACE, 100, run=(run := f"r{sent}"))
            sent += RECORDS // 4 + 1
            records = server.run(run)["records"]
            told = _left_out(server, run) if records != RECORDS // 4 + 1 else []
            kept, left_out = kept + records - len(told), left_out + sum(told)
    print(f"  {left_out:,} of {sent:,} records were left out, and said to be", flush=True)
    return [
        *_flat("the server", memory, GROWTH, f"{kept:,} records in {seconds:.0f} s"),
        *([f"{sent - kept - left_out:,} records are missing"] if sent != kept + left_out else []),
    ]


def _left_out(server: Server, run: str) -> list[int]:
    """The number of records that each `dropped` record of a run stands for."""
    lines = server.get(f"/api/runs/{run}/records", timeout=300).text.splitlines()
    return [json.loads(line)["count"] for line in lines if '"type":"dropped"' in line]


def recorder(seconds: float) -> list[str]:
    """A loop that is recorded in full; what was wrong."""
    mg.manual_seed(0)
    net = mg.nn.Sequential(mg.nn.Linear(2, 8), mg.nn.Tanh(), mg.nn.Linear(8, 1))
    optimizer = mg.optim.Adam(net.parameters())
    x, y = mg.randn(16, 2), mg.randn(16, 1)
    times = list[float]()
    begun = time.monotonic()
    with _memory_of(os.getpid()) as memory, Recorder(lambda line: None, name="long", values="all"):
        while len(times) < STEPS and time.monotonic() - begun < seconds:
            before = time.perf_counter()
            optimizer.zero_grad()
            ((net(x) - y) ** 2).mean().backward()
            optimizer.step()
            times.append(time.perf_counter() - before)
    early, late = (sorted(part)[len(part) // 2] for part in (times[: len(times) // 5], times[-len(times) // 5 :]))
    print(f"  a step took {early * 1e3:.2f} ms at first and {late * 1e3:.2f} ms at last", flush=True)
    slower = ["a step takes half as long again at the end"] if late > 1.5 * early else []
    return [*_flat("the program", memory, WAITING, f"{len(times):,} steps with all values"), *slower]


def _flat(whose: str, memory: list[float], most: float, what: str) -> list[str]:
    after, peak = max(memory[: max(1, len(memory) // 5)]), max(memory)
    print(f"  {what}: {whose} took {after / 1e6:.0f} MB after a fifth, {peak / 1e6:.0f} MB at most", flush=True)
    return [f"{whose} grew by {(peak - after) / 1e6:.0f} MB"] if peak - after > most else []


@contextmanager
def _server() -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix="minigrad-endurance-") as folder:
        os.environ[DATA_DIR_VARIABLE] = folder
        server = Server(Path(folder)).start()
        try:
            yield server
        finally:
            server.stop()


@contextmanager
def _memory_of(pid: int) -> Iterator[list[float]]:
    """The bytes that a process takes, ten times a second; the first is there at once."""
    file, taken, ended = Path(f"/proc/{pid}/status"), list[float](), threading.Event()

    def look() -> None:
        found = re.search(r"VmRSS:\s+(\d+)", file.read_text())
        taken.append(1024.0 * int(found[1]) if found else 0.0)

    def watch() -> None:
        while not ended.wait(0.1):
            look()

    look()
    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield taken
        look()
    finally:
        ended.set()
        thread.join()


def _send(records: int, pace: int, records_a_step: int, run: str = "r1") -> None:
    """A program that sends so many records and one more for its end, as fast as it can."""
    command = [sys.executable, str(PROGRAM), str(records), str(pace), "finish", str(records_a_step), run]
    subprocess.run(command, env=environment(), stdout=subprocess.DEVNULL, check=True)


def _opening(server: Server) -> float:
    """Seconds until a browser that opens the run has its first picture."""
    begun = time.monotonic()
    with server.connect("/api/runs/r1/live") as socket:
        socket.send(json.dumps({"type": "subscribe", "protocol": 1, "outline": True}))
        assert json.loads(socket.recv(timeout=120))["type"] in ("snapshot", "outline")
    return time.monotonic() - begun


def _ask(server: Server, path: str) -> None:
    """All of an answer, which is thrown away."""
    import httpx

    headers = {"Authorization": f"Bearer {server.note.token}"}
    with httpx.stream(
        "GET", f"{server.note.url}/api/runs/r1{path}", headers=headers, timeout=300, trust_env=False
    ) as answer:
        assert answer.status_code in (200, 503), (path, answer.status_code)  # 503: the front end is not built
        for _ in answer.iter_raw():
            pass


SEARCHES: dict[str, Callable[[float], list[str]]] = {"million": million, "hour": hour, "recorder": recorder}


def main(seconds: str, *only: str) -> int:
    wrong = []
    for name in only or SEARCHES:
        wrong += SEARCHES[name](float(seconds))
    for each in wrong:
        print(f"  wrong: {each}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
