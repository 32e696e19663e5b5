"""`minigrad demo`: the demos do what they say, watched or not."""

from __future__ import annotations

import importlib
import inspect
import io
import math
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

from minigrad.cli import main
from minigrad.cli.demo_display import Display, chart
from minigrad.demos import CATALOGUE, Picture

from .conftest import Command, kinds, read_trace
from .test_run import known_runs


class Told:
    """A `Report` that remembers."""

    def __init__(self) -> None:
        self.numbers: list[dict[str, float]] = []
        self.done: list[tuple[int, int]] = []

        self.pictures: list[Picture | None] = []

    def __call__(self, done: int, total: int, picture: Picture | None = None, **numbers: float) -> None:
        self.done.append((done, total))
        self.numbers.append(numbers)
        self.pictures.append(picture)


def play(name: str, **settings: object) -> Told:
    """Run a demo by itself."""
    told = Told()
    importlib.import_module(f"minigrad.demos.{name}").main(report=told, **settings)
    return told


def test_digits_are_read_correctly_19_times_of_20(capsys: pytest.CaptureFixture[str]) -> None:
    told = play("digits")
    assert told.numbers[-1]["accuracy"] >= 0.95
    assert told.done[-1] == (20, 20)
    assert re.search(r"reads \d, is \d", capsys.readouterr().out)


@pytest.mark.parametrize("seed", [1, 2])
def test_digits_are_learnt_from_other_seeds_too(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert play("digits", seed=seed).numbers[-1]["accuracy"] >= 0.95


def test_the_moons_are_told_apart_and_the_boundary_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    assert play("moons").numbers[-1]["accuracy"] >= 0.99
    drawn = capsys.readouterr().out
    assert drawn.count("\n") == 20
    assert {"●", "○", "░"} <= set(drawn)


def test_xor_is_learnt(capsys: pytest.CaptureFixture[str]) -> None:
    told = play("xor")
    assert told.numbers[-1]["loss"] < 1e-3
    assert "1 xor 0  ->  +1.0" in capsys.readouterr().out


@pytest.mark.slow
def test_a_tiny_gpt_learns_and_writes(capsys: pytest.CaptureFixture[str]) -> None:
    told = play("gpt", epochs=2)
    assert told.numbers[-1]["loss"] < told.numbers[0]["loss"] - 0.3
    assert capsys.readouterr().out.startswith("The ")


def test_the_neurons_gradients_are_those_by_hand(capsys: pytest.CaptureFixture[str]) -> None:
    play("scalar")
    x = [float(number) for number in re.findall(r"x\.grad ([+-][\d.]+)", capsys.readouterr().out)]
    assert x[0] == pytest.approx(x[1], abs=2e-6)
    assert x[2] == pytest.approx(2 * x[0], abs=2e-6)


def test_newton_is_at_the_bottom_in_seven_steps(capsys: pytest.CaptureFixture[str]) -> None:
    assert play("newton").numbers[-1]["loss"] < 1e-12
    assert "third derivative of x**3 is 6" in capsys.readouterr().out


def test_the_springs_fall_apart_and_are_mended(capsys: pytest.CaptureFixture[str]) -> None:
    told = play("nan")
    said = capsys.readouterr().out
    assert "nan" in said
    assert re.search(r"returned nan values .*nan\.py\", line \d+, in stretched", said, flags=re.DOTALL)
    assert all(math.isfinite(numbers["loss"]) for numbers in told.numbers)
    assert told.numbers[-1]["loss"] < 1e-6


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_a_demo_is_a_script_one_can_read_and_set(name: str) -> None:
    module = importlib.import_module(f"minigrad.demos.{name}")
    source = inspect.getsource(module)
    assert module.__doc__
    assert len(source.splitlines()) <= 110
    assert source.endswith('if __name__ == "__main__":\n    main()\n')
    parameters = inspect.signature(module.main).parameters
    assert set(parameters) <= {"epochs", "seed", "device", "report"}
    assert all(each.default is not inspect.Parameter.empty for each in parameters.values())


def test_the_demos_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo"]) == 0
    shown = capsys.readouterr().out
    assert all(f"minigrad demo {name}" in shown for name in CATALOGUE)
    folder = Path(inspect.getfile(importlib.import_module("minigrad.demos"))).parent
    assert {file.stem for file in folder.glob("*.py")} == {*CATALOGUE, "__init__", "landscape"}


def test_headless_ends_by_itself_and_leaves_no_server(minigrad: Command, tmp_path: Path) -> None:
    done = minigrad("demo", "digits", "--headless", "--epochs", "2", "--record", "d.jsonl.gz")
    assert done.returncode == 0, done.stderr
    assert [line.split()[1] for line in done.stdout.splitlines() if line.startswith("digits ")] == ["1/2", "2/2"]
    assert "accuracy" in done.stderr
    assert not (tmp_path / "data" / "server.json").exists()
    records = read_trace(tmp_path / "d.jsonl.gz")
    assert {"node", "backward_started", "step_taken", "scalar", "output"} <= kinds(records)
    assert [record["name"] for record in records if record["type"] == "scalar"] == ["accuracy", "accuracy"]
    assert any(record["type"] == "source" and "class Reader" in record["text"] for record in records)


def test_the_run_can_be_explored_after_the_demo(minigrad: Command, environment: dict[str, str]) -> None:
    done = minigrad("demo", "scalar", "--no-browser")
    assert done.returncode == 0, done.stderr
    (run,) = known_runs(environment)
    assert (run["name"], run["status"]) == ("demo scalar", "finished")
    assert run["id"] in done.stderr
    assert minigrad("serve", "--stop").returncode == 0


def test_ctrl_c_ends_a_demo_with_130_and_keeps_the_run(environment: dict[str, str], tmp_path: Path) -> None:
    arguments = ["demo", "xor", "--headless", "--epochs", "10000000", "--record", "x.jsonl", "--values", "none"]
    process = subprocess.Popen(
        [sys.executable, "-m", "minigrad", *arguments],
        cwd=tmp_path, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    trace = tmp_path / "x.jsonl"
    deadline = time.monotonic() + 60
    while not (trace.exists() and trace.stat().st_size > 10_000) and time.monotonic() < deadline:
        assert process.poll() is None
        select.select([], [], [], 0.02)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.startswith("Stopped.")
    assert "Traceback" not in said
    assert read_trace(trace)[-1]["status"] == "interrupted"


def test_a_device_that_is_not_there_is_one_line_and_status_2(minigrad: Command) -> None:
    done = minigrad("demo", "digits", "--headless", "--device", "cuda:7")
    assert done.returncode == 2
    assert done.stderr.startswith("minigrad: The demo digits failed.")
    assert len(done.stderr.splitlines()) == 1


def test_step_walks_through_backward_with_the_numbers_in_the_formulas(minigrad: Command) -> None:
    done = minigrad("demo", "scalar", "--headless", "--step")
    assert done.returncode == 0, done.stderr
    walked = " ".join(done.stdout.split())
    assert "result tanh x = tanh 0.05 = 0.049958" in walked
    assert "to Add ȳ ⊙ (1 - y²) = -0.90008 × (1 - 0.049958²) = -0.89784" in walked
    assert "x.grad = 0.90008 + 1.3468 = 2.2468" in walked


SHORT = {
    "digits": {"epochs": 1},
    "gpt": {"epochs": 1},
    "moons": {"epochs": 2},
    "xor": {"epochs": 2},
    "nan": {"epochs": 2},
}


@pytest.mark.parametrize("name", sorted(CATALOGUE))
@pytest.mark.parametrize(("width", "height"), [(76, 18), (40, 8)])
def test_every_demo_draws_what_it_does_within_the_room_it_is_given(
    name: str, width: int, height: int, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = play(name, **SHORT.get(name, {})).pictures[-1]
    assert picture is not None
    drawn = picture(width, height).splitlines()
    assert any(line.strip() for line in drawn)
    assert max(map(len, drawn)) <= width
    assert len(drawn) <= max(height, 14)


def test_looking_at_a_demo_does_not_change_what_it_learns(capsys: pytest.CaptureFixture[str]) -> None:
    class Looks(Told):
        def __call__(self, done: int, total: int, picture: Picture | None = None, **numbers: float) -> None:
            super().__call__(done, total, picture, **numbers)
            assert picture is not None and picture(30, 4)

    def losses(told: Told) -> list[float]:
        importlib.import_module("minigrad.demos.gpt").main(epochs=2, report=told)
        return [numbers["loss"] for numbers in told.numbers]

    assert losses(Looks()) == losses(Told())


def test_live_in_a_pipe_tells_lines_and_then_the_last_picture(minigrad: Command, tmp_path: Path) -> None:
    done = minigrad("demo", "moons", "--live", "--epochs", "20")
    assert done.returncode == 0, done.stderr
    assert "moons 20/20" in done.stdout
    assert {"●", "○"} <= set(done.stdout)
    assert not (tmp_path / "data" / "server.json").exists()


def test_live_and_step_do_not_share_the_terminal(minigrad: Command) -> None:
    done = minigrad("demo", "scalar", "--live", "--step")
    assert done.returncode == 2
    assert "Choose one" in done.stderr


def test_live_in_a_terminal_draws_curve_numbers_and_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(force_terminal=True, width=100, height=30, file=io.StringIO(), color_system=None)
    monkeypatch.setattr("minigrad.cli.demo_display.out", lambda: console)
    with Display("moons", least=0.0) as display:
        for done in range(1, 4):
            display(done, 3, lambda width, height: f"room for {width} by {height}", loss=1.0 / done)
    drawn = console.file.getvalue()  # type: ignore[attr-defined]
    assert "moons  3/3" in drawn
    assert "room for 60 by 18" in drawn
    assert "loss 0.3333" in drawn
    assert "█" in drawn


def test_a_narrow_terminal_has_the_picture_below(monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(force_terminal=True, width=50, height=30, file=io.StringIO(), color_system=None)
    monkeypatch.setattr("minigrad.cli.demo_display.out", lambda: console)
    with Display("xor", least=0.0) as display:
        display(1, 1, lambda width, height: "#" * width, loss=0.5)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert any("#" * 46 in line for line in lines)


def test_a_chart_has_the_highest_value_in_its_top_row() -> None:
    rows = chart([0.0, 1.0, float("nan")], 3, 4).splitlines()
    assert rows[0] == " █ "
    assert rows[-1] == "▁█ "


def test_in_a_terminal_a_bar_is_drawn_and_without_colour_where_that_is_asked(environment: dict[str, str]) -> None:
    def shown(**more: str) -> str:
        master, slave = pty.openpty()
        command = [sys.executable, "-m", "minigrad", "demo", "xor", "--headless", "--epochs", "50"]
        terminal = {**environment, "TERM": "xterm-256color", "COLUMNS": "100", **more}
        with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=terminal) as process:
            os.close(slave)
            text = b""
            while True:
                try:
                    piece = os.read(master, 4096)
                except OSError:
                    break
                if not piece:
                    break
                text += piece
            assert process.wait(60) == 0
        os.close(master)
        return text.decode()

    coloured, plain = shown(), shown(NO_COLOR="1")
    assert "━" in coloured
    assert "xor" in coloured
    assert re.search(r"\x1b\[[\d;]*38;5;", coloured)
    assert not re.search(r"\x1b\[[\d;]*38;5;", plain)
