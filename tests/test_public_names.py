"""Every name that a public module lists can be used, and says what it is."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import subprocess
import sys
from functools import reduce
from types import ModuleType

import pytest

import minigrad as mg

MODULES = (
    "minigrad", "minigrad.autograd", "minigrad.autograd.forward_ad", "minigrad.autograd.functional",
    "minigrad.autograd.graph", "minigrad.autograd.profiler", "minigrad.backend", "minigrad.classroom",
    "minigrad.distributed", "minigrad.fft", "minigrad.func", "minigrad.linalg", "minigrad.nn", "minigrad.nn.functional",
    "minigrad.nn.init",
    "minigrad.nn.utils", "minigrad.observe", "minigrad.optim", "minigrad.optim.lr_scheduler", "minigrad.random",
    "minigrad.special", "minigrad.testing", "minigrad.text", "minigrad.utils.checkpoint", "minigrad.utils.data",
)  # fmt: skip


def public_names(module: ModuleType) -> list[str]:
    return [name for name in getattr(module, "__all__", dir(module)) if not name.startswith("_")]


@pytest.mark.parametrize("name", MODULES)
def test_every_listed_name_is_there(name: str) -> None:
    module = importlib.import_module(name)
    assert not [each for each in public_names(module) if not hasattr(module, each)]


@pytest.mark.parametrize("name", MODULES)
def test_every_public_function_and_class_says_what_it_is(name: str) -> None:
    module = importlib.import_module(name)
    found = {each: getattr(module, each) for each in public_names(module)}
    ours = {
        each: value
        for each, value in found.items()
        if (inspect.isclass(value) or inspect.isroutine(value))
        and str(getattr(value, "__module__", "")).startswith("minigrad")
    }
    assert not sorted(each for each, value in ours.items() if not inspect.getdoc(value))


def test_every_method_of_a_tensor_says_what_it_does() -> None:
    from minigrad import Tensor
    from minigrad.absent import ABSENT_IN
    from minigrad.core.misspelt import MISSPELT

    members = {name: getattr(Tensor, name) for name in dir(Tensor) if name not in {*MISSPELT, *ABSENT_IN["Tensor"]}}
    assert not [name for name, each in members.items() if not name.startswith("_") and not inspect.getdoc(each)]


REACH = """
import functools, sys, minigrad
for path in sys.argv[1:]:
    try:
        functools.reduce(getattr, path.split("."), minigrad)
    except AttributeError:
        print(path)
"""


def test_a_module_that_pytorch_imports_itself_needs_no_import() -> None:
    torch = pytest.importorskip("torch")
    names = [each.name.partition(".")[2] for each in pkgutil.walk_packages(mg.__path__, "minigrad.")]
    shared = [
        name for name in names if f"torch.{name}" in sys.modules and "_" not in {part[0] for part in name.split(".")}
    ]
    reached = [
        name for name in shared if reduce(lambda place, part: getattr(place, part, None), name.split("."), torch)
    ]
    assert len(reached) > 40
    missing = subprocess.run([sys.executable, "-c", REACH, *reached], capture_output=True, text=True, check=True).stdout
    assert not missing.split()
