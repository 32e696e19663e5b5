"""Lines, expressions and names of the user's program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import minigrad as mg
from minigrad import nn
from minigrad.observe.source.callsites import how_written, is_users, readable
from minigrad.observe.source.notation import snake

from .helpers import named, of_type, positions, recorded


@positions
def test_the_expression_is_exact_where_a_line_holds_several() -> None:
    def program() -> None:
        a, b = mg.tensor(1.0, requires_grad=True), mg.tensor(2.0)
        (a * b - b).exp()

    codes = [node["at"]["code"] for node in of_type(recorded(program), "node")]
    assert codes == ["a * b", "a * b - b", "(a * b - b).exp()"]


@positions
def test_an_expression_over_several_lines_becomes_one() -> None:
    def program() -> None:
        a = mg.tensor([1.0, 2.0], requires_grad=True)
        mg.exp(
            a,
        )

    assert of_type(recorded(program), "node")[-1]["at"]["code"] == "mg.exp( a, )"


def test_the_innermost_line_of_the_users_own_counts() -> None:
    def helper(x: Any) -> Any:
        return nn.functional.softmax(x, -1)

    def program() -> None:
        helper(mg.ones(2, 3, requires_grad=True))

    node = of_type(recorded(program), "node")[-1]
    assert node["at"]["function"] == "helper"


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("y = x.exp()", {"y"}),
        ("y = z = x.exp()", {"y"}),
        ("y, place = x.max(0)", {"y", "place"}),
        ("y = x.exp().sin()", {"y"}),
        ("y = make(x)", {"y"}),
        ("y = [x.exp()]", set()),
        ("x.exp()", set()),
        ("y = x.exp(); y = y.sin()", {"y"}),
        ("_ = x.exp()", set()),
    ],
)
def test_results_get_the_names_that_they_are_stored_under(tmp_path: Path, line: str, names: set[str]) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        "import minigrad as mg\n"
        "def make(t):\n    return t.exp() * 2\n"
        f"def main():\n    x = mg.tensor([1.0, 2.0], requires_grad=True)\n    {line}\n    x.sum()\n"
    )
    variables: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), variables)
    nodes = of_type(recorded(variables["main"]), "node")
    assert {each["name"] for node in nodes for each in node["outputs"]} - {None} == names


def test_names_are_found_at_the_top_of_a_script_too(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text("import minigrad as mg\nx = mg.tensor(1.0, requires_grad=True)\ny = x.exp()\nloss = y.sin()\n")
    code = compile(path.read_text(), str(path), "exec")
    assert named(recorded(lambda: exec(code, {}))).keys() == {"x", "y", "loss"}


def test_a_program_without_a_file_is_recorded_too() -> None:
    code = compile("x = mg.tensor(1.0, requires_grad=True)\ny = x.exp()", "<stdin>", "exec")
    records = recorded(lambda: exec(code, {"mg": mg}))
    assert of_type(records, "node")[0]["at"]["file"] == "<stdin>"
    assert [record for record in of_type(records, "source") if record["file"] == "<stdin>"] == []


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("x @ w", ("operator", "@")),
        ("-x", ("operator", "-")),
        ("x < y", ("operator", "<")),
        ("x **= 2", ("operator", "**=")),
        ("x[0, 1:]", ("index", "[]")),
        ("mg.nn.functional.relu(x)", ("call", "relu")),
        ("relu(x)", ("call", "relu")),
        ("x if", ("", "")),
        ("x", ("", "")),
    ],
)
def test_how_an_expression_is_written(text: str, written: tuple[str, str]) -> None:
    assert how_written(text) == written


@positions
def test_symbols_are_what_the_user_wrote_or_the_ops_name() -> None:
    def program() -> None:
        x = mg.ones(2, 3, requires_grad=True)
        y = x @ x.T
        y = (y - 1) ** 2
        y = nn.functional.relu(y)
        y = y[0]
        nn.functional.cross_entropy(y.reshape(1, 2), mg.tensor([0]))

    symbols = [node["symbol"] for node in of_type(recorded(program), "node")]
    assert symbols[1:4] == ["@", "-", "**"]
    assert "relu" in symbols
    assert "[]" in symbols
    assert all(symbols)


def test_files_are_named_as_a_person_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/somewhere/home")
    assert readable(str(tmp_path / "train.py")) == "train.py"
    assert readable("/somewhere/home/lab/train.py") == "~/lab/train.py"
    assert readable("/elsewhere/train.py") == "/elsewhere/train.py"
    assert readable("<stdin>") == "<stdin>"


def test_minigrads_pythons_and_installed_files_are_not_the_users() -> None:
    import json

    assert is_users(__file__)
    assert not is_users(nn.__file__)
    assert not is_users(json.__file__)
    assert not is_users(pytest.__file__)


def test_demos_and_examples_are_programs_like_any_other() -> None:
    import minigrad.demos
    import minigrad.examples.mpi

    assert is_users(minigrad.demos.__file__)
    assert is_users(minigrad.examples.mpi.__file__)


@pytest.mark.parametrize(
    ("name", "spoken"), [("LogSoftmax", "log_softmax"), ("Mm", "mm"), ("ReLU", "relu"), ("Conv2d", "conv2d")]
)
def test_snakes(name: str, spoken: str) -> None:
    assert snake(name) == spoken


def test_names_from_an_earlier_cell_of_a_notebook_are_known() -> None:
    variables: dict[str, Any] = {"mg": mg}

    def program() -> None:
        cells = ["w = mg.tensor(2.0, requires_grad=True)", "def f(): return w.exp()", "f().sin()"]
        for number, cell in enumerate(cells):
            exec(compile(cell, f"<cell {number}>", "exec"), variables)

    assert "w" in named(recorded(program))
    shown: dict[str, Any] = {**variables, "draw": mg.observe.draw}
    exec(compile("loss = w * 2", "<cell 3>", "exec"), shown)
    exec(compile("text = draw(loss).text", "<cell 4>", "exec"), shown)
    assert shown["text"].splitlines() == ["● loss = Mul  #1", "└── w  requires grad"]
