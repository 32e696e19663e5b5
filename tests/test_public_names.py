"""Every name that a public module lists can be used, and says what it is."""

from __future__ import annotations

import importlib
import inspect
from types import ModuleType

import pytest

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
