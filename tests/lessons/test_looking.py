"""What a lesson tells its reader to look at is there: in the picture of its last step, or on the page's buttons."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from minigrad.classroom import Entry
from minigrad.classroom.process import ONE_THREAD

from .course import COURSE

FRONT = Path(__file__).parents[2] / "webui" / "frontend" / "src"
KEYS = re.compile(r'shown: "([^"]+)"|^  \["([^"]+)", "', re.MULTILINE)
SHOWN_BY_SIGN = {"v1", "inf", "∇1 graph of the gradient", "1 Attention"}
"""What the page puts together from a word and a number."""


def looking_steps(entry: Entry) -> str:
    """The numbered steps at a lesson's end."""
    told = f"minigrad lesson run {entry.number}`"
    (text,) = [cell.text for cell in entry.read().cells if told in cell.text]
    return text.partition("\n## ")[0]


@functools.cache
def page_words() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in [*FRONT.rglob("*.ts"), *FRONT.rglob("*.svelte")])


@functools.cache
def keys() -> set[str]:
    found = {key for each in KEYS.findall(page_words()) for key in "".join(each).split()}
    return found | {"home", "end", "⇧"}


def last_steps(folder: Path, entry: Entry) -> str:
    """The records of the lesson's last steps, as text."""
    trace = folder / "trace.jsonl"
    command = [sys.executable, "-m", "minigrad", "lesson", "run", str(entry.number), "--headless"]
    command += ["--record", str(trace)]
    environment = {**os.environ, **ONE_THREAD}  # several would wait for the processors
    subprocess.run(command, check=True, capture_output=True, timeout=900, cwd=folder, env=environment)
    lines = trace.read_text(encoding="utf-8").splitlines()
    steps = [json.loads(line).get("step") for line in lines if line.startswith('{"type":"node"') or '"step"' in line]
    last = max(step for step in steps if isinstance(step, int))
    return "\n".join(line for line in lines if f'"step":{last}' in line or '"step"' not in line)


@pytest.mark.slow
@pytest.mark.parametrize("entry", list(COURSE), ids=lambda entry: str(entry.slug))
def test_what_a_lesson_says_is_in_the_picture_is_in_it(entry: Entry, tmp_path: Path) -> None:
    told = last_steps(tmp_path, entry)
    for word in set(re.findall(r"\*\*([^*]+)\*\*", looking_steps(entry))):
        known = word in page_words() or all(key in keys() for key in word.split())
        in_picture = all(part in told for part in word.split())
        assert known or in_picture or word in SHOWN_BY_SIGN, f"{word!r} is neither in the picture nor on the page"


def needed(entry: Entry) -> set[int]:
    """The numbers of the lessons that it says one needs."""
    for cell in entry.read().cells:
        found = re.search(r"^You need lessons? ([^.:]*)[.:]", cell.text, re.MULTILINE)
        if found:
            return {int(number) for number in re.findall(r"\d+", found.group(1))}
    return set()


def test_the_fast_track_needs_nothing_that_is_not_on_it() -> None:
    track = {entry.number for entry in COURSE.fast_track}
    for entry in COURSE.fast_track:
        assert needed(entry) <= {number for number in track if number < entry.number}, entry.slug


def test_every_lesson_needs_only_what_comes_before() -> None:
    assert any(needed(entry) for entry in COURSE)
    for entry in COURSE:
        assert all(number < entry.number for number in needed(entry)), entry.slug


def test_lesson_16_lists_the_same_nodes_on_pytorch() -> None:
    pytest.importorskip("torch")
    source = COURSE.find(16).source.replace("\nt = mg\n", "\nt = torch\n")
    ran = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=300, check=True)
    assert "7 nodes: AddBackward0 MeanBackward0 MmBackward0 MulBackward0 TanhBackward0" in ran.stdout
