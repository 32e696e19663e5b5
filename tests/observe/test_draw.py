"""Pictures of a graph: of living tensors and of recordings, small and huge."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import minigrad as mg
from minigrad import nn
from minigrad.errors import ArgumentError, ArgumentTypeError
from minigrad.observe import GraphvizMissingError, draw

from .helpers import recorded

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")


def a_loss() -> Any:
    mg.manual_seed(0)
    x, w, b = mg.randn(4, 2), mg.randn(2, 3, requires_grad=True), mg.zeros(3, requires_grad=True)
    hidden = mg.tanh(x @ w + b)
    loss = (hidden * hidden).mean()
    return loss, draw(loss)


def test_the_text_tree_goes_from_the_result_back_to_what_it_was_made_of() -> None:
    _, drawing = a_loss()
    assert drawing.text.splitlines() == [
        "● loss = Mean  #5",
        "● Mul  keeps b, a  #4",
        "├── see #3 Tanh",
        "● Tanh  keeps out  #3",
        "● Add  #2",
        "├── b  3  requires grad",
        "● Mm  keeps a  #1",
        "└── w  2×3  requires grad",
    ]
    assert str(drawing) == repr(drawing) == drawing.text


def test_smaller_branches_stand_to_the_right() -> None:
    x = mg.tensor(1.0, requires_grad=True)
    y = x.exp().exp() + x.sin()
    assert draw(y).text.splitlines() == [
        "● y = Add  #4",
        "├─╮",
        "│ ● Sin  keeps x  #3",
        "│ └── x  requires grad",
        "● Exp  keeps out  #2",
        "● Exp  keeps out  #1",
        "└── x  requires grad",
    ]


def test_released_tensors_are_no_longer_kept() -> None:
    x = mg.tensor(1.0, requires_grad=True)
    y = x.exp()
    y.backward()
    assert "keeps" not in draw(y).text


def test_mermaid_has_every_box_and_arrow() -> None:
    loss, drawing = a_loss()
    text = drawing.mermaid
    assert draw(loss, format="mermaid").text.count("-->") == text.count("-->") == 7
    assert text.startswith("flowchart TD")
    assert "<b>Tanh</b>" in text
    assert '(["<b>w</b><br/>2×3"]):::parameter' in text


def test_modules_are_frames() -> None:
    def program() -> None:
        net = nn.Sequential(nn.Linear(2, 3), nn.Tanh())
        net(mg.ones(4, 2)).sum().backward()

    drawing = draw(recorded(program))
    assert "label=<<B>net</B> Sequential>" in drawing.dot
    assert "net Sequential" in drawing.mermaid
    words = drawing.mermaid.split()
    assert words.count("subgraph") == words.count("end") == 3
    assert "in net.0" in drawing.text


def test_a_recording_is_drawn_with_its_numbers(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with mg.observe.record(path):
        a = mg.tensor(3.0, requires_grad=True)
        b = a * a
        b.backward()
    text = draw(path).text
    assert "● b = Mul  released b, a  value 9  grad 1" in text
    assert "├── a  requires grad  value 3  grad 6" in text
    assert draw(mg.observe.read(path)).text == text


def test_a_step_of_a_recording_can_be_chosen() -> None:
    def program() -> None:
        w = mg.tensor(1.0, requires_grad=True)
        optimizer = mg.optim.SGD([w], lr=0.25)
        for _ in range(3):
            optimizer.zero_grad()
            (w * w).backward()
            optimizer.step()

    records = recorded(program)
    assert ["value 1" in draw(records, step=0).text, "value 0.25" in draw(records, step=2).text] == [True, True]
    assert draw(records).text == draw(records, step=2).text
    with pytest.raises(ArgumentError, match="no op ran in step 9; there are ops in steps 0 to 2"):
        draw(records, step=9)


def test_a_chain_of_a_hundred_thousand_ops_stays_a_column() -> None:
    x = mg.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(100_000):
        y = y + 1
    drawing = draw(y)
    lines = drawing.text.splitlines()
    assert len(lines) == 100_001
    assert max(map(len, lines)) < 60
    assert drawing.mermaid.count("\n") > 200_000
    with pytest.raises(ArgumentError, match="100,001 boxes.*text.*mermaid"):
        drawing.svg


@needs_dot
@pytest.mark.parametrize(("ending", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_graphviz_draws_it(tmp_path: Path, ending: str, start: bytes) -> None:
    loss, _ = a_loss()
    path = tmp_path / f"graph.{ending}"
    draw(loss, path)
    assert path.read_bytes().startswith(start)


@needs_dot
def test_twins_show_the_way_back() -> None:
    def program() -> None:
        a_loss()[0].backward()

    records = recorded(program)
    assert draw(records).svg.count("#d4640f") > draw(records, twins=False).svg.count("#d4640f") == 0


@needs_dot
def test_a_notebook_shows_the_picture() -> None:
    bundle = a_loss()[1]._repr_mimebundle_()
    assert "<svg" in bundle["image/svg+xml"]
    assert bundle["text/plain"].startswith("● loss")


def test_without_graphviz_the_error_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    loss, drawing = a_loss()
    with pytest.raises(GraphvizMissingError, match=r"apt install graphviz.*format='text'"):
        draw(loss, tmp_path / "graph.svg")
    assert "With Graphviz installed" in drawing._repr_mimebundle_()["text/plain"]
    draw(loss, tmp_path / "graph.md")
    assert (tmp_path / "graph.md").read_text().startswith("```mermaid\nflowchart")


def test_names_with_strange_letters_do_no_harm() -> None:
    def program() -> None:
        scopes = mg.events
        mg.events.emit(scopes.ScopeEntered('<b>"x" & y'))
        mg.tensor(1.0, requires_grad=True).exp()
        mg.events.emit(scopes.ScopeLeft('<b>"x" & y'))

    drawing = draw(recorded(program))
    assert "&lt;b&gt;" in drawing.dot
    if shutil.which("dot"):
        assert "<svg" in drawing.svg


@pytest.mark.parametrize("what", [3, "no such file.jsonl", [1, 2], []])
def test_what_cannot_be_drawn_is_an_error(what: Any) -> None:
    with pytest.raises((ArgumentTypeError, ArgumentError, FileNotFoundError)):
        draw(what)


def test_an_unknown_ending_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"cannot tell a format from 'graph.bmp': end it in one of .svg"):
        draw(a_loss()[0], tmp_path / "graph.bmp")
