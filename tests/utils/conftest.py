"""What is said of the utilities is said of minigrad's and PyTorch's alike."""

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
    """A library whose utilities are asked."""
    return importlib.import_module(request.param)
