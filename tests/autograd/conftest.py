"""Every behaviour is stated once, as a function of the library, and runs on minigrad and, where installed, PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

import minigrad

try:
    import torch
except ImportError:
    torch = None  # type: ignore[assignment]

LIBRARIES = [pytest.param(minigrad, id="minigrad")]
if torch is not None:
    LIBRARIES.append(pytest.param(torch, id="torch", marks=pytest.mark.parity))


@pytest.fixture(params=LIBRARIES)
def lib(request: pytest.FixtureRequest) -> Any:
    """The library that stands for `torch`."""
    return request.param
