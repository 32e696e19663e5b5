"""In a notebook: the explorer in a frame, tensors and graphs that show themselves. Run by a real kernel."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

import minigrad as mg
from minigrad.observe.draw.notebook import of_tensor

ROOT = Path(__file__).parents[2]


def test_a_tensor_shows_its_numbers_and_what_made_it() -> None:
    x = mg.tensor([[1.0, -2.0], [float("nan"), 4.0]], requires_grad=True)
    shown = of_tensor(x * 2)
    assert "2×2 · float32 · made by MulBackward0" in shown
    assert shown.count("<td") == 4
    assert ">nan</td>" in shown and ">-4</td>" in shown


@pytest.mark.parametrize("data", [3.0, [True, False], [1 + 2j], [[]], [[0.0] * 100] * 100, [7, 8]])
def test_every_tensor_can_be_shown(data: Any) -> None:
    assert "<div" in mg.tensor(data)._repr_html_()  # type: ignore[attr-defined]


CELLS = [
    "import minigrad as mg\nwatching = mg.watch('from a notebook')",
    "watching",
    "w = mg.tensor([[1.0, -2.0]], requires_grad=True)\nloss = mg.tanh(w * 3).sum()\nloss.backward()\nw.grad",
    "mg.observe.draw(loss)",
    "watching.stop()",
]


def test_a_notebook_shows_the_explorer_a_tensor_and_a_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("MINIGRAD_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "webui")]))
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    try:
        nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    finally:
        from minigrad.observe.publish.data_folder import read_note

        note = read_note()
        if note is not None:
            os.kill(note.pid, signal.SIGTERM)
    outputs = [[o["data"] for o in cell["outputs"] if "data" in o] for cell in book["cells"]]
    assert note is not None and note.token not in nbformat.writes(book), "a saved notebook would give the token away"
    assert "<iframe" in outputs[0][0]["text/html"] and "#run=" in outputs[0][0]["text/html"]
    assert "1×2 · float32" in outputs[2][-1]["text/html"]
    assert "Tanh" in outputs[3][-1]["text/plain"]
