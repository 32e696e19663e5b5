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

# A machine that does other work besides makes no example wrong.
hypothesis.settings.register_profile("minigrad", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("minigrad")

ON_DEVICES = {"ops", "nn", "optim", "autograd"}
"""The suites that say the same on every device."""

LONG = ("webui", "lessons", "classroom", "test_wheel.py", "cli")
"""What takes minutes begins first: of several workers, none is left alone with it at the end."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--device", default=None, help="where tensors are made: cpu, strict, cuda")


def pytest_configure() -> None:
    """Take Ctrl-C as usual: a shell that starts the tests in the background has them, and their children, ignore it."""
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """All tests and what they import stay to the end: the collector of cycles need not look through them each time.

    It took more than a second a look, in every test that asks it to collect.
    """
    gc.collect()
    gc.freeze()


def device_of(config: pytest.Config) -> str:
    """What was asked for; ``cuda`` where the tests of a GPU are chosen and nothing else is said."""
    return config.getoption("--device") or ("cuda" if config.getoption("-m") == "gpu" else "cpu")


def pytest_report_header(config: pytest.Config) -> str | None:
    """Where tensors are made, for the record of a run."""
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
    """Tensors are made on the chosen device wherever a test names no other."""
    minigrad.set_default_device(device_of(request.config))
    yield
    minigrad.set_default_device(None)
