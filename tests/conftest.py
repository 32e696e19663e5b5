"""The suite runs on the CPU; with ``--device strict`` (or ``cuda``) the same tests compute on another device.

``-m gpu`` runs what is to be run on a GPU: the suites of ops, layers, optimisers and autograd, on ``cuda``.
"""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

import minigrad
from tests.left_behind import nothing_left_behind as nothing_left_behind

# A machine that is busy with other work must not make an example fail.
hypothesis.settings.register_profile("minigrad", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("minigrad")

ON_DEVICES = {"ops", "nn", "optim", "autograd"}
"""The suites that must pass on every device."""

LONG = ("webui", "lessons", "classroom", "test_wheel.py", "cli", "utils")
"""Start slow tests first, so that no worker is left alone with one at the end."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--device", default=None, help="where tensors are made: cpu, strict, cuda")


def pytest_configure() -> None:
    """Handle Ctrl-C as usual: a shell that starts the tests in the background makes them ignore it."""
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Keep the garbage collector from checking all tests and their imports each time: they stay to the end anyway.

    It took more than a second in every test that calls it.
    """
    gc.collect()
    gc.freeze()


def device_of(config: pytest.Config) -> str:
    """The requested device; ``cuda`` if the GPU tests are selected and no device is given."""
    return config.getoption("--device") or ("cuda" if config.getoption("-m") == "gpu" else "cpu")


def pytest_report_header(config: pytest.Config) -> str | None:
    """The device on which tensors are made, for the test report."""
    where = device_of(config)
    if where == "cpu":
        return None
    if not where.startswith("cuda") or not minigrad.cuda.is_available():
        return f"device: {where}"
    import cupy

    name, runtime = minigrad.cuda.get_device_name(), cupy.cuda.runtime.runtimeGetVersion()
    return f"device: {where}, {name}; CuPy {cupy.__version__}, CUDA runtime {runtime}"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.relative_to(Path(__file__).parent).parts[0] not in LONG)
    where = device_of(config)
    if where == "cpu":
        return
    missing = where.startswith("cuda") and not minigrad.cuda.is_available()
    for item in items:
        if where.startswith("cuda") and item.path.relative_to(Path(__file__).parent).parts[0] in ON_DEVICES:
            item.add_marker(pytest.mark.gpu)
        only = item.get_closest_marker("cpu")
        if missing:
            item.add_marker(pytest.mark.skip(reason=f"not on {where}: CuPy finds no GPU here"))
        elif only is not None:
            item.add_marker(pytest.mark.skip(reason=f"not on {where}: {only.args[0]}"))
        elif getattr(getattr(item, "callspec", None), "params", {}).get("lib", minigrad) not in ("minigrad", minigrad):
            item.add_marker(pytest.mark.skip(reason="PyTorch itself has nothing to do with the device"))


@pytest.fixture(autouse=True)
def default_device(request: pytest.FixtureRequest) -> Iterator[None]:
    """Make tensors on the chosen device, unless a test names another."""
    minigrad.set_default_device(device_of(request.config))
    yield
    minigrad.set_default_device(None)
