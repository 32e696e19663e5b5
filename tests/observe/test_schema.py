"""The one definition of records: what it lets in, what it keeps out, and what follows from it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as mg
from minigrad.errors import MinigradError
from minigrad.observe.record.sinks import encode
from minigrad.observe.schema import KINDS, RECORDS, check
from minigrad.observe.schema.check import QUICK, THOROUGH
from minigrad_webui.protocol import RECORD

from .helpers import recorded
from .programs import training
from .schema_strategies import hostile, junk, records, traces

ROOT = Path(mg.__file__).parents[1]


@settings(deadline=None)
@given(records)
def test_what_the_schema_says_is_let_in_by_python_and_by_pydantic(record: dict[str, Any]) -> None:
    assert check(record) is None
    RECORD.validate_python(record)


@settings(deadline=None)
@given(hostile())
def test_what_is_let_in_pydantic_lets_in_as_well(record: Any) -> None:
    if check(record) is None:
        RECORD.validate_python(record)


@settings(deadline=None)
@given(records | hostile() | junk)
def test_the_quick_look_lets_nothing_in_that_the_thorough_one_does_not(record: Any) -> None:
    kind = record.get("type") if isinstance(record, dict) else None
    if isinstance(kind, str) and kind in QUICK and QUICK[kind](record):
        assert THOROUGH[kind](record) is None


def test_the_quick_look_is_enough_for_what_a_recorder_writes() -> None:
    for record in recorded(training):
        plain = json.loads(encode(record))
        assert QUICK[record["type"]](plain), record["type"]


@given(junk)
def test_junk_is_told_in_a_short_line(value: Any) -> None:
    wrong = check({"seq": 1, "t": 0.0, "step": 0, "type": "step_taken", "loss": value})
    assert wrong is None or (len(str(wrong)) < 200 and str(wrong).isascii())


def test_unknown_fields_are_kept_and_may_not_be_too_deep() -> None:
    record: dict[str, Any] = {"seq": 1, "t": 0.0, "step": 0, "type": "released", "node": 1, "new": {"a": [1]}}
    assert check(record) is None
    for _ in range(40):
        record["new"] = [record["new"]]
    assert "levels" in str(check(record))


@settings(deadline=None, max_examples=60)
@given(st.lists(hostile(), max_size=6), traces())
def test_whatever_a_trace_holds_it_is_read_drawn_or_refused_in_words(
    tmp_path_factory: pytest.TempPathFactory, bad: list[Any], trace: list[dict[str, Any]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "hostile.jsonl"
    lines = [*map(encode, trace), *(json.dumps(each) for each in bad)]
    path.write_text("\n".join(lines) + "\n")
    reading = mg.observe.read(path)
    assert len(reading.records) >= len(trace)
    str(reading)
    try:
        drawing = mg.observe.draw(reading)
        assert drawing.dot
        assert drawing.mermaid
        assert drawing.text
    except MinigradError:
        pass


HANDLERS = ("minigrad/observe/draw/recorded.py", "webui/minigrad_webui/runs/timeline.py",
            "webui/minigrad_webui/runs/snapshots.py")  # fmt: skip


def test_a_kind_without_a_handler_is_an_error_of_mypy(tmp_path: Path) -> None:
    """One more kind is added to a copy: mypy names each place that forgets it."""
    pytest.importorskip("mypy")
    for folder in ("minigrad", "webui/minigrad_webui"):
        for file in (ROOT / folder).rglob("*.py"):
            copy = tmp_path / file.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.read_bytes())
    definition = tmp_path / "minigrad/observe/schema/records.py"
    definition.write_text(definition.read_text().replace('"paused", "resumed"', '"thought", "paused", "resumed"'))
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--explicit-package-bases",
               "--no-error-summary", "--cache-dir", str(tmp_path / "cache"), *HANDLERS]  # fmt: skip
    ran = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, env={**_environment(), "MYPYPATH": "webui"}
    )
    named = {line.split(":")[0] for line in ran.stdout.splitlines() if "thought" in line}
    assert named == set(HANDLERS), ran.stdout + ran.stderr


def test_a_kind_without_a_handler_is_an_error_of_tsc(tmp_path: Path) -> None:
    frontend = ROOT / "webui" / "frontend"
    compiler = frontend / "node_modules" / "typescript" / "bin" / "tsc"
    if not compiler.is_file():
        pytest.skip("the front end's packages are not installed: npm ci")
    for name in ("src/protocol/index.ts", "src/protocol/generated.ts", "src/model/fold.ts", "src/model/state.ts"):
        copy = tmp_path / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((frontend / name).read_bytes())
    fold = tmp_path / "src/model/fold.ts"
    command = ["node", str(compiler), "--noEmit", "--strict", "--skipLibCheck", "--module", "esnext",
               "--target", "es2022", "--moduleResolution", "bundler", "--lib", "es2023,dom", str(fold)]  # fmt: skip
    before = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert "never" not in before.stdout, before.stdout
    fold.write_text(re.sub(r'\n    case "paused":', "", fold.read_text()))
    after = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert "Paused" in after.stdout, after.stdout
    assert "never" in after.stdout, after.stdout


def test_the_browser_knows_the_same_kinds() -> None:
    text = (ROOT / "webui/frontend/src/protocol/generated.ts").read_text()
    found = re.search(r"export const KINDS = (\[[^\]]*\])", text)
    assert found is not None
    assert tuple(json.loads(found[1])) == KINDS == tuple(RECORDS)


def _environment() -> dict[str, str]:
    import os

    return dict(os.environ)
