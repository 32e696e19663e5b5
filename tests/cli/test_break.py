"""`minigrad run --break`: a program held still, and continued with keys in a terminal of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import SCRIPTS, Command

pty = pytest.importorskip("pty", reason="a terminal for a test is had on POSIX only")


class Screen:
    """A program in a terminal; `until` reads what it prints."""

    def __init__(self, command: list[str], environment: dict[str, str], folder: Path) -> None:
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, cwd=folder, env=environment, start_new_session=True,
            preexec_fn=_own_terminal,
        )  # fmt: skip
        os.close(slave)
        self.text = ""

    def until(self, words: str, seconds: float = 60.0) -> str:
        """What is printed up to those words, which are waited for."""
        deadline = time.monotonic() + seconds
        while words not in self.text:
            assert time.monotonic() < deadline, f"waited in vain for {words!r} after:\n{self.text}"
            try:
                self.text += os.read(self.master, 4096).decode(errors="replace")
            except OSError as error:  # Linux says so where the other end is closed
                raise AssertionError(f"it ended before {words!r}:\n{self.text}") from error
        before, _, self.text = self.text.partition(words)
        return before

    def press(self, key: str) -> None:
        os.write(self.master, key.encode())


def _own_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.fixture
def screen(environment: dict[str, str], tmp_path: Path) -> Iterator[Screen]:
    options = ["--headless", "--break", "op=MatMul,backward", str(SCRIPTS / "two_layers.py")]
    made = Screen([sys.executable, "-m", "minigrad", "run", *options], environment, tmp_path)
    yield made
    made.process.kill()
    made.process.wait()
    os.close(made.master)


def test_keys_step_and_continue_a_program_that_is_held(screen: Screen) -> None:
    screen.until("Paused before Mm")
    assert "gradient" in screen.until("q end the program")
    screen.press("s")
    screen.until("one step on")
    screen.until("q end the program")
    screen.press("c")
    screen.until("going on")
    screen.until("Paused before Mm")
    screen.until("q end the program")
    screen.press("q")
    screen.until("interrupted:")
    assert screen.process.wait(60) == 130


def test_ctrl_c_ends_a_program_that_is_held(screen: Screen) -> None:
    screen.until("q end the program")
    screen.process.send_signal(signal.SIGINT)
    screen.until("interrupted:")
    assert screen.process.wait(60) == 130


def test_without_a_terminal_and_without_the_explorer_it_only_says_where_it_would_have_stopped(
    minigrad: Command,
) -> None:
    done = minigrad("run", "--headless", "--break", "op=MatMul", SCRIPTS / "two_layers.py")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("it does not stop here") == 1


def test_a_breakpoint_that_is_none_is_refused_before_the_program_begins(minigrad: Command) -> None:
    done = minigrad("run", "--headless", "--break", "MatMul", SCRIPTS / "two_layers.py")
    assert done.returncode == 2
    assert "Write op=MatMul" in done.stderr
    assert done.stdout == ""
