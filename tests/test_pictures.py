"""The gallery's pictures are made small without a change that anybody would see."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

Image: Any = pytest.importorskip("PIL.Image")

SCRIPT = Path(__file__).parents[1] / "webui" / "frontend" / "scripts" / "shrink.py"


@pytest.fixture(scope="module")
def shrink() -> ModuleType:
    """The script, as a module."""
    spec = importlib.util.spec_from_file_location("shrink", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_colour_moves_farther_than_the_eye_follows(shrink: ModuleType, tmp_path: Path) -> None:
    ramp = np.linspace(0, 255, 400).astype(np.uint8)
    pixels = np.zeros((300, 400, 3), np.uint8)
    pixels[:100] = np.stack([ramp, ramp[::-1], np.full(400, 128, np.uint8)], -1)
    pixels[100:200] = np.stack([ramp, ramp, ramp], -1)
    pixels[250, 7] = (216, 27, 96)  # one pixel of a colour that means something
    file = tmp_path / "picture.png"
    Image.fromarray(pixels).save(file)
    shrink.shrink(file)
    with Image.open(file) as opened:
        assert opened.mode == "P"
        after = np.asarray(opened.convert("RGB"), np.int32)
    assert np.abs(after - pixels).max() <= 4
    assert tuple(after[250, 7]) == (216, 27, 96)
