"""What the commands say about themselves, and that the README says the same."""

from __future__ import annotations

import re

import pytest
from typer.testing import CliRunner

from minigrad.cli import main
from minigrad.cli.app import app
from minigrad.demos import CATALOGUE

from .conftest import ROOT, Command

README = (ROOT / "README.md").read_text()
COMMANDS = {info.name or info.callback.__name__: info.callback for info in app.registered_commands if info.callback}
for group in app.registered_groups:
    assert group.typer_instance
    commands = group.typer_instance.registered_commands
    name = group.typer_instance.info.name
    COMMANDS |= {f"{name} {each.name or each.callback.__name__}": each.callback for each in commands if each.callback}


def summary(command: str) -> str:
    """The first paragraph of a command's help, in one line."""
    return " ".join((COMMANDS[command].__doc__ or "").split("\n\n")[0].split())


def test_the_readmes_table_has_every_command_with_its_own_words() -> None:
    rows = re.findall(r"^\| `minigrad ([\w ]+)` \| (.+) \|$", README, flags=re.MULTILINE)
    assert dict(rows) == {command: summary(command) for command in COMMANDS}


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_option_is_explained(command: str) -> None:
    shown = CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1"}).invoke(app, [*command.split(), "--help"])
    assert shown.exit_code == 0
    assert summary(command)[:60] in " ".join(shown.output.split())
    for line in shown.output.splitlines():
        found = re.match(r"│\s+(-\S+.*?)\s*│$", line)
        assert not found or re.search(r"[a-z].*[.\])]$", found[1]), f"no words about {found[1]}"


def test_the_readme_names_every_demo() -> None:
    (named,) = re.findall(r"The demos are (.+?), each", README, flags=re.DOTALL)
    assert re.findall(r"`(\w+)`", named) == list(CATALOGUE)


def test_options_the_readme_names_exist() -> None:
    named = set(re.findall(r"(--[a-z][a-z-]*)", README))
    shown = "".join(
        CliRunner(env={"COLUMNS": "200"}).invoke(app, [*command.split(), "--help"]).output for command in COMMANDS
    )
    assert {option for option in named if option not in shown} == set()


def test_the_readmes_program_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(program, "README.md", "exec"), names)
    assert names["loss"].item() < 0.3  # type: ignore[attr-defined]


def test_without_a_command_there_is_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "minigrad demo digits" in capsys.readouterr().out


def test_the_version_is_printed(minigrad: Command) -> None:
    from minigrad import __version__

    assert minigrad("--version").stdout == f"minigrad {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["dmo"], "Did you mean 'demo'"),
        (["run"], "SCRIPT"),
        (["serve", "--prot", "3"], "--port"),
        (["serve", "--port", "banana"], "valid integer"),
        (["serve", "--token", "a b"], "A token may hold"),
        (["demo", "digit"], "Did you mean digits"),
        (["demo", "scalar", "--epochs", "3"], "has no --epochs"),
        (["replay", "nothere.jsonl"], "no trace file"),
        (["draw", "nothere.py"], "no file"),
        (["ops", "tahn"], "Did you mean"),
        (["runs", "delete"], "RUN"),
        (["runs", "lsit"], "Did you mean"),
    ],
)
def test_misuse_is_one_line_on_stderr_that_says_what_to_do(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert words in said.err
    assert said.err.startswith("minigrad: ")
    assert len(said.err.splitlines()) == 1
    assert said.out == ""
