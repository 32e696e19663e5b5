"""The suite runs on the CPU; with ``--device strict`` (or ``cuda``) the same tests compute on another device."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import minigrad


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--device", default="cpu", help="where tensors are made: cpu, strict, cuda")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    where = config.getoption("--device")
    if where == "cpu":
        return
    for item in items:
        only = item.get_closest_marker("cpu")
        if only is not None:
            item.add_marker(pytest.mark.skip(reason=f"not on {where}: {only.args[0]}"))
        elif getattr(getattr(item, "callspec", None), "params", {}).get("lib", minigrad) not in ("minigrad", minigrad):
            item.add_marker(pytest.mark.skip(reason="PyTorch itself has nothing to do with the device"))


@pytest.fixture(autouse=True)
def default_device(request: pytest.FixtureRequest) -> Iterator[None]:
    """Tensors are made on the chosen device wherever a test names no other."""
    minigrad.set_default_device(request.config.getoption("--device"))
    yield
    minigrad.set_default_device(None)
