"""A test that asks for `lib` runs on minigrad and, where it is installed, on PyTorch."""

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
    """The library that stands for `torch`."""
    return importlib.import_module(request.param)
