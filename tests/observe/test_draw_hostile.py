"""A trace from somewhere else is drawn, and none of it becomes markup, a link, a file or a steering code."""

from __future__ import annotations

import os
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings

from minigrad.errors import MinigradError
from minigrad.observe import draw
from minigrad.observe.draw.diagram import amount

from .schema_strategies import NASTY, traces

TAGS = {"label", "TABLE", "TR", "TD", "FONT", "B"}
ATTRIBUTES = {"BORDER", "CELLBORDER", "CELLSPACING", "CELLPADDING", "STYLE", "COLOR", "BGCOLOR", "ALIGN", "COLSPAN",
              "POINT-SIZE"}  # fmt: skip


def named(text: str) -> list[dict[str, Any]]:
    """A trace with `text` wherever a text may stand."""
    output = {"id": 2, "name": text, "shape": [2], "dtype": text}
    place = {"file": text, "line": 1}
    node = {
        "id": 1,
        "at": place,
        "op": text,
        "symbol": text,
        "inputs": [{"name": text, "tensor": 1}],
        "outputs": [output],
    }
    return [
        {"seq": 1, "t": 0.0, "step": 0, "type": "tensor", "id": 1, "name": text, "shape": [3], "dtype": text},
        {"seq": 2, "t": 0.0, "step": 0, "type": "node", **node, "scope": [f"{text}:{text}"]},
        {"seq": 3, "t": 0.0, "step": 0, "type": "saved", "node": 1,
         "saved": [{"name": text, "tensor": 1, "version": 0, "bytes": 0}]},
    ]  # fmt: skip


@settings(deadline=None, max_examples=60)
@given(traces())
@example(named('<IMG SRC="/etc/passwd"/>'))
@example(named('x</B><TABLE HREF="javascript:alert(1)">'))
@example(named('"]; evil [URL="javascript:alert(1)"]; x ['))
@example(named("\x1b]0;owned\x07\r\n  click b0 href"))
def test_nothing_of_a_trace_becomes_markup(trace: list[dict[str, Any]]) -> None:
    for twins in (False, True):
        try:
            drawing = draw(trace, twins=twins)
        except MinigradError:
            return
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", drawing.dot + drawing.mermaid + drawing.text)
        for label in re.findall(r"label=<(.*)>\]?$", drawing.dot, re.MULTILINE):
            for element in ElementTree.fromstring(f"<label>{label}</label>").iter():
                assert element.tag in TAGS
                assert set(element.attrib) <= ATTRIBUTES
        for line in drawing.mermaid.splitlines():
            assert not re.match(r"\s*(click|link|href|style|%%)", line), line


@pytest.mark.parametrize("scopes", [[[""]], [["a"], ["a", ""]], [["", "a"], []]])
def test_a_scope_without_a_name_is_drawn_without_a_frame(scopes: list[list[str]]) -> None:
    """It ended in an AttributeError, which the fuzzer found."""
    records = []
    for number, scope in enumerate(scopes, 1):
        output = {"id": number, "name": f"x{number}", "shape": [2], "dtype": "float32"}
        node = {"id": number, "op": "Tanh", "inputs": [], "outputs": [output], "scope": scope}
        records.append({"seq": number, "t": 0.0, "step": 0, "type": "node", **node})
    drawing = draw(records)
    assert len(re.findall(r"^  b\d+ \[", drawing.dot, re.MULTILINE)) >= len(scopes)
    assert drawing.dot.count("subgraph") == any("a" in scope for scope in scopes)
    assert drawing.dot.count("{") == drawing.dot.count("}")


@pytest.mark.parametrize("text", NASTY)
def test_every_line_of_dot_is_one_that_minigrad_writes(text: str) -> None:
    plain, nasty = draw(named("x")).dot, draw(named(text)).dot
    assert len(nasty.splitlines()) == len(plain.splitlines())


def test_a_record_that_is_none_is_refused_in_words() -> None:
    bad = named("x")
    bad[1]["outputs"][0]["shape"] = ['"><IMG SRC="x"/>']
    with pytest.raises(MinigradError, match=r"record 2 .* outputs\[0\]\.shape\[0\]: expected a whole number"):
        draw(bad)


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for dot is a shell script")
def test_graphviz_may_open_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = tmp_path / "dot"
    stand_in.write_text('#!/bin/sh\necho "<svg>$SERVER_NAME $GV_FILE_PATH</svg>"\n')
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert draw(named("x")).svg.strip() == f"<svg>minigrad {os.devnull}</svg>"


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for dot is a shell script")
def test_what_graphviz_complains_of_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = tmp_path / "dot"
    stand_in.write_text('#!/bin/sh\necho "syntax error" >&2\nexit 1\n')
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(MinigradError, match="Graphviz could not draw this graph: syntax error"):
        draw(named("x")).svg


def test_a_number_without_its_mean_is_told_by_its_length() -> None:
    assert amount({"kind": "stats", "rows": 1, "cols": 1, "norm": 2.0}) == "‖2‖"
    assert amount({"kind": "stats", "rows": 1, "cols": 1, "norm": 2.0, "mean": -2.0}) == "-2"
