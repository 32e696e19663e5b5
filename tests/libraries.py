"""A test with the fixture `lib` runs on minigrad and, if it is installed, on PyTorch."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import pytest

LIBRARIES = [pytest.param("minigrad", id="minigrad")]
if importlib.util.find_spec("torch"):
    LIBRARIES.append(pytest.param("torch", id="torch", marks=pytest.mark.parity))


@pytest.fixture(params=LIBRARIES)
def lib(request: pytest.FixtureRequest) -> Any:
    """The library under test in place of `torch`."""
    return importlib.import_module(request.param)
