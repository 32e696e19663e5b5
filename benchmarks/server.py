"""The explorer's server under load: `python -m benchmarks.server [--records N] [--viewers N] [--seconds S]`.

Three figures, each with a real server in a process of its own and a real publisher:

- records a second from a program into the store, sustained, and whether any was left out;
- the server's greatest memory after that;
- how long a record takes from the program to many viewers of one run, all of whom must be complete in the end.

They depend on the machine more than ratios do; the reference is one with two cores.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import re
import signal
import statistics
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from minigrad.observe.publish.data_folder import DATA_DIR_VARIABLE, Note
from minigrad.observe.publish.publisher import Publisher
from minigrad.observe.publish.server_process import start_in_background

OFFERED = 55_000
"""Records offered per second: more than the target of 50,000, since otherwise it could not be reached."""

SPAN = re.compile(rb'{"type":"batch","first":(\d+),"last":(\d+)')
VALUE = {"kind": "stats", "rows": 0, "cols": 0, "min": -1.234, "max": 2.345, "mean": 0.1, "std": 0.3, "norm": 3.2}
GRADIENT = {"run": 1, "node": 12, "index": 0, "input": "a", "to_node": 11, "shape": [128, 64]}


def records(run: str, count: int, per_step: int) -> Iterator[dict[str, Any]]:
    """A run of gradients with statistics: about 230 characters of JSON each, as in a recorded training."""
    yield {
        "seq": 1,
        "t": 0.0,
        "step": 0,
        "type": "run_started",
        "id": run,
        "name": "load",
        "started": "2026-01-01T00:00:00Z",
    }
    for seq in range(2, count + 1):
        head = {"seq": seq, "t": time.time(), "step": seq // per_step, "type": "grad_computed"}
        yield {**head, **GRADIENT, "value": VALUE}


@contextmanager
def server() -> Iterator[Note]:
    """A server of its own, in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ[DATA_DIR_VARIABLE] = folder
        note = start_in_background(idle=600)
        try:
            yield note
        finally:
            os.kill(note.pid, signal.SIGTERM)


def publish(run: str, count: int, per_second: float, per_step: int) -> float:
    """Publish at that rate. Returns the seconds until everything was stored."""
    publisher = Publisher()
    begun = time.perf_counter()
    for record in records(run, count, per_step):
        publisher.send(record)
        ahead = record["seq"] / per_second - (time.perf_counter() - begun)
        if ahead > 0.005:
            time.sleep(ahead)
    publisher.close(600)
    return time.perf_counter() - begun


def peak_memory(pid: int) -> float:
    """The greatest memory a process ever had, in MB (Linux)."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def cpu_seconds(pid: int) -> float:
    """The CPU time of a process, which other programs do not affect (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def throughput(count: int, per_second: float) -> dict[str, Any]:
    """Records per second, how many were left out, the server's memory, and the CPU time per record."""
    with server() as note:
        begun = cpu_seconds(note.pid), time.process_time()
        seconds = publish("load", count, per_second, per_step=1_000)
        stored = _stored(note)
        return {
            "server_cpu_us": round((cpu_seconds(note.pid) - begun[0]) / count * 1e6, 1),
            "program_cpu_us": round((time.process_time() - begun[1]) / count * 1e6, 1),
            "records": count,
            "offered_per_second": per_second,
            "stored_per_second": round(stored / seconds),
            "left_out": count - stored,
            "server_peak_mb": round(peak_memory(note.pid)),
        }


class Viewer(asyncio.Protocol):
    """A viewer in place of a browser window, cheap enough to run five hundred beside the server.

    It understands only what the server sends: whole frames of text, and pings.
    """

    def __init__(self, note: Note, last: int, delays: list[float], run: str = "load") -> None:
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.complete: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._note, self._last, self._delays, self._run = note, last, delays, run
        self._buffer = bytearray()
        self._open = False
        self._seen = 0

    def connection_made(self, transport: Any) -> None:
        """Ask for the WebSocket."""
        self._transport = transport
        head = f"GET /api/runs/{self._run}/live HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        head += f"Authorization: Bearer {self._note.token}\r\n"
        rest = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        transport.write(f"{head}{rest}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode())

    def data_received(self, data: bytes) -> None:
        """Extract frames from the received data."""
        self._buffer += data
        if not self._open:
            head, blank, rest = self._buffer.partition(b"\r\n\r\n")
            if not blank:
                return
            assert head.startswith(b"HTTP/1.1 101"), head
            self._open, self._buffer = True, rest
            self._send(0x81, b'{"type":"subscribe","step":null}')
        while len(self._buffer) >= 2:
            size, start = self._buffer[1], 2
            if size >= 126:
                start = 4 if size == 126 else 10
                size = int.from_bytes(self._buffer[2:start], "big")
            if len(self._buffer) < start + size:
                return
            opcode, payload = self._buffer[0], bytes(self._buffer[start : start + size])
            del self._buffer[: start + size]
            if opcode == 0x89:
                self._send(0x8A, payload)
            elif opcode == 0x81:
                self._take(payload)

    def connection_lost(self, error: Exception | None) -> None:
        """Note that the server closed the connection."""
        if not self.complete.done():
            self.complete.set_result(False)

    def _take(self, message: bytes) -> None:
        arrived = time.time()
        if message.startswith(b'{"type":"snapshot"'):
            self._seen = json.loads(message)["seq"]
            if not self.ready.done():
                self.ready.set_result(None)
        elif message.startswith(b'{"type":"batch"'):
            first, self_last = map(int, SPAN.match(message).groups())  # type: ignore[union-attr]
            if first != self._seen + 1 and not self.complete.done():
                self.complete.set_result(False)
            self._seen = self_last
            newest = message.rfind(b'"t":') + 4
            self._delays.append(arrived - float(message[newest : message.index(b",", newest)]))
        if self._seen >= self._last and not self.complete.done():
            self.complete.set_result(True)

    def _send(self, opcode: int, payload: bytes) -> None:
        """A frame as clients must send it: masked, here with nothing."""
        self._transport.write(bytes((opcode, 0x80 | len(payload), 0, 0, 0, 0)) + payload)


async def _watch_all(note: Note, viewers: int, count: int, per_second: float) -> dict[str, Any]:
    """Let `viewers` viewers watch a run from its first record to its last."""
    spawn, loop = multiprocessing.get_context("spawn"), asyncio.get_running_loop()
    await asyncio.to_thread(_begin)
    port, delays = int(note.url.rsplit(":", 1)[1]), list[float]()
    made = [
        await loop.create_connection(lambda: Viewer(note, count, delays), "127.0.0.1", port) for _ in range(viewers)
    ]
    watching = [viewer for _, viewer in made]
    await asyncio.gather(*(viewer.ready for viewer in watching))
    program = spawn.Process(target=publish, args=("load", count, per_second, 10**9))
    begun = cpu_seconds(note.pid)
    program.start()
    complete = await asyncio.gather(*(viewer.complete for viewer in watching))
    await asyncio.to_thread(program.join)
    for transport, _ in made:
        transport.close()
    cuts = statistics.quantiles(delays, n=20)
    return {
        "viewers": viewers,
        "records_per_second": per_second,
        "complete": sum(complete),
        "median_ms": round(statistics.median(delays) * 1000),
        "p95_ms": round(cuts[18] * 1000),
        "server_cpu_ms": round((cpu_seconds(note.pid) - begun) / (len(delays) / viewers) * 1000, 1),
    }


def _begin() -> None:
    """Create the run, so that there is something to watch."""
    publish("load", 1, 1.0, 10**9)


def _stored(note: Note) -> int:
    request = urllib.request.Request(f"{note.url}/api/runs/load", headers={"Authorization": f"Bearer {note.token}"})
    with urllib.request.urlopen(request) as answer:
        return int(json.load(answer)["records"])


def fan_out(viewers: int, per_second: float, seconds: float) -> dict[str, Any]:
    """Delays from the program to each of `viewers` viewers."""
    with server() as note:
        return asyncio.run(_watch_all(note, viewers, int(per_second * seconds), per_second))


def main() -> None:
    """Measure, print a table, and write JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--rate", type=float, default=OFFERED)
    parser.add_argument("--viewers", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    found = {
        "throughput": throughput(asked.records, asked.rate),
        "one viewer": fan_out(1, 200, asked.seconds),
        "many viewers": fan_out(asked.viewers, 200, asked.seconds),
    }
    for name, figures in found.items():
        print(f"{name:14}", "  ".join(f"{key} {value:,}" for key, value in figures.items()))
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
