"""Traces, names, paths and programs as an attacker, or bad luck, would choose them: a word each, and no harm."""

from __future__ import annotations

import gzip
import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from minigrad.cli import main

from .conftest import Command, read_trace

NAME = "\x1b]0;owned\x07\x1b[2J[bold red]x[/bold red][/nothing][link=javascript:alert(1)]"
STEERING = "\x1b"

NET = """
import minigrad as mg
x = mg.tensor([1.0, 2.0], requires_grad=True)
loss = (x * x).sum()
loss.backward()
"""


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """A run whose name steers a terminal."""
    program, path = tmp_path / "net.py", tmp_path / "net.jsonl"
    program.write_text(NET)
    assert main(["run", "--headless", "--record", str(path), str(program)]) == 0
    records = [json.loads(line) for line in path.read_text().splitlines()]
    records[0]["name"] = NAME
    path.write_text("\n".join(map(json.dumps, records)))
    return path


@pytest.mark.parametrize(
    "command", [("replay", "--check"), ("draw",), ("explain",), ("export", "-o", "page.html")], ids=lambda each: each[0]
)
def test_a_runs_name_neither_steers_the_terminal_nor_is_taken_for_markup(
    minigrad: Command, trace: Path, command: tuple[str, ...]
) -> None:
    done = minigrad(*command, trace)
    assert "Traceback" not in done.stderr, done.stderr
    assert STEERING not in done.stdout + done.stderr
    assert "\x07" not in done.stdout + done.stderr


def test_the_list_of_runs_shows_a_name_letter_by_letter(minigrad: Command, trace: Path) -> None:
    assert minigrad("replay", "--no-browser", trace).returncode == 0
    done = minigrad("runs")
    assert done.returncode == 0, done.stderr
    assert STEERING not in done.stdout + done.stderr
    assert "owned" in done.stdout


@pytest.mark.parametrize("command", ["run", "replay", "draw", "export", "explain"])
@pytest.mark.parametrize("path", ["n" * 20_000 + ".jsonl", "a/" * 10_000 + "x.py"], ids=["long", "deep"])
def test_a_path_that_no_system_takes_is_one_line_and_status_2(
    capsys: pytest.CaptureFixture[str], command: str, path: str
) -> None:
    assert main([command, path]) == 2
    said = capsys.readouterr().err
    assert said.startswith("minigrad: ")
    assert said.count("\n") == 1


def test_a_trace_cannot_be_written_to_a_path_that_no_system_takes(minigrad: Command, tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    done = minigrad("run", "--headless", "--record", "n" * 20_000 + ".jsonl", "net.py")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "spoilt",
    [
        "import json\njson.dumps = json.loads = json.JSONEncoder = json.JSONDecoder = None",
        "import sys\nsys.modules['json'] = None",
        "import builtins\nbuiltins.print = None",
        "import os, time\ntime.time = time.monotonic = time.perf_counter = time.sleep = os.write = None",
        "import sys\nsys.excepthook = sys.stderr = sys.stdout = None",
    ],
    ids=["json", "no json", "print", "time", "streams"],
)
def test_a_program_that_replaces_what_the_recorder_uses_is_recorded_whole(
    minigrad: Command, tmp_path: Path, spoilt: str
) -> None:
    pause = "threading.Event().wait(0.2)  # long enough for the recorder to look around"
    (tmp_path / "net.py").write_text(f"import threading\nimport minigrad as mg\n{spoilt}\n{pause}\n{NET}")
    done = minigrad("run", "--headless", "--record", "net.jsonl", "net.py")
    assert done.returncode == 0, done.stderr
    kinds = [record["type"] for record in read_trace(tmp_path / "net.jsonl")]
    assert "backward_finished" in kinds
    assert kinds[-1] == "run_finished"


def test_half_a_character_in_an_exception_loses_no_run(minigrad: Command, tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET + 'raise ValueError("caf\\udce9")\n')
    done = minigrad("run", "--headless", "--record", "net.jsonl", "net.py")
    assert done.returncode == 1
    last = read_trace(tmp_path / "net.jsonl")[-1]
    assert (last["type"], last["status"]) == ("run_finished", "failed")
    assert last["error"].startswith("ValueError: caf")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the memory of a process is limited as Linux does it")
@pytest.mark.parametrize("command", [("replay", "--check"), ("draw",), ("export",)], ids=lambda each: each[0])
def test_a_small_file_that_unpacks_to_a_large_one_is_refused_in_little_memory(
    minigrad: Command, tmp_path: Path, command: tuple[str, ...]
) -> None:
    packed = tmp_path / "bomb.jsonl.gz"
    with gzip.open(packed, "wb", compresslevel=1) as file:
        for _ in range(1_200):
            file.write(b"a" * 1_000_000)
    done = minigrad(*command, packed, preexec_fn=_little_memory)
    assert done.returncode == 2
    assert re.search("(more|longer) than 64 MB", done.stderr), done.stderr


def _little_memory() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (1_000_000_000, 1_000_000_000))


@pytest.mark.parametrize("module", ["numpy", "minigrad.core.engine", "minigrad.cli.app", "minigrad.observe", "typer"])
def test_ctrl_c_during_an_import_ends_as_an_interrupt_does(
    environment: dict[str, str], tmp_path: Path, module: str
) -> None:
    (tmp_path / "net.py").write_text(NET)
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class Pressed:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        "            sys.meta_path.remove(self)\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Pressed())\n"
    )
    command = [sys.executable, "-m", "minigrad", "run", "--headless", "net.py"]
    search = f"{tmp_path}:{environment['PYTHONPATH']}"
    done = subprocess.run(
        command, cwd=tmp_path, env={**environment, "PYTHONPATH": search}, capture_output=True, timeout=120
    )
    assert done.returncode in (130, -signal.SIGINT), done.stderr
