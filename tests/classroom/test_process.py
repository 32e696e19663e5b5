"""How the process for learners' cells begins and ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from minigrad.classroom import Limits, RunnerError, process
from minigrad.classroom.output import Output
from minigrad.classroom.process import Child

from ..webui.conftest import environment, wait_until

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs processes as POSIX has them")

WORK = """
from minigrad.classroom import Limits
from minigrad.classroom.process import Child
import os
child = Child(Limits())
endless = "import os; print(os.getpid(), flush=True)\\nwhile True: ..."
child.run(endless, "cell", None, lambda text: (print(text, flush=True), os._exit(0)))
"""


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z" if Path("/proc").is_dir() else True


@posix_only
def test_a_cell_does_not_outlive_the_program_that_runs_it() -> None:
    command = [sys.executable, "-c", WORK]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=60, check=True)
    pid = int(done.stdout)
    wait_until(lambda: not is_alive(pid), "the orphaned process has ended")


@posix_only
def test_what_a_cell_has_started_ends_with_it() -> None:
    child = Child(Limits())
    reply = child.run(
        "import subprocess; print(subprocess.Popen(['sleep', '99']).pid)", "cell", None, lambda text: None
    )
    pid = int(reply.output)
    assert is_alive(pid)
    child.close()
    wait_until(lambda: not is_alive(pid), "what the cell started has ended")


def test_the_folder_of_a_session_goes_with_it() -> None:
    child = Child(Limits())
    folder = child.run(
        "import os\nopen('mine', 'w').close()\nprint(os.getcwd())", "cell", None, lambda text: None
    ).output
    assert Path(folder.strip(), "mine").exists()
    child.close()
    assert not Path(folder.strip()).exists()


@pytest.mark.parametrize(
    ("start", "said"),
    [
        ("raise SystemExit('no luck today')", "Its last words: no luck today"),
        ("import os; os._exit(3)", "It ended with status 3"),
        ("import os; os.kill(os.getpid(), 9)", "The system ended it, as it does where memory runs out"),
        ("import os; os._exit(137)", "The system ended it"),  # so a sandbox tells of that
        ("import time; time.sleep(60)", "It was not ready within 3 seconds"),
    ],
)
def test_a_process_that_does_not_start_says_why(monkeypatch: pytest.MonkeyPatch, start: str, said: str) -> None:
    monkeypatch.setattr(process, "PATIENCE", 3.0)
    monkeypatch.setattr(process, "START", start)
    with pytest.raises(RunnerError, match=f"did not start for the lesson's cells. {said}"):
        Child(Limits())


def test_a_python_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(RunnerError, match="did not start for the lesson's cells: .*No such file"):
        Child(Limits())


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_the_end_of_the_output_is_found_however_it_is_cut(size: int) -> None:
    heard: list[str] = []
    output = Output("\0abc\n", 100, heard.append)
    text = "one\0two\0ab three\0abc\n"
    for at in range(0, len(text), size):
        assert not output.whole
        output.take(text[at : at + size])
    assert output.whole
    assert output.finish() == "".join(heard) == "one\0two\0ab three"


def test_no_more_output_is_kept_than_is_allowed() -> None:
    output = Output("\0abc\n", 5, lambda text: None)
    output.take("1234")
    assert not output.flooded
    output.take("5678")
    assert output.flooded
    assert output.finish() == "12345"
