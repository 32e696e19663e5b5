"""The recorder's access to a framework's tensors and nodes, so that it can also watch frameworks other than minigrad.

    source    hooks into the framework, and emits `minigrad.events` with its tensors and nodes in them
    Framework   tells what those tensors and nodes are: shape, version, edges, saved tensors, ...

To watch another framework, subclass `Framework`, write a source, and record with it:

    class Torch(Framework):
        name = "torch"
        def is_tensor(self, value): return isinstance(value, torch.Tensor)
        ...

    with Recorder("run.jsonl.gz", framework=Torch()):
        with source.listening():                 # yours: calls events.emit(NodeRecorded(node, inputs, outputs)), ...
            train()

The docstrings of `Framework` say what each function must return. Those that are not abstract may be left out: what they
would return is then missing from the records, and no error. `register` makes `mg.observe.draw` know its tensors, too.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from ...errors import ArgumentTypeError
from .base import Edge, Folders, Framework, MemoryCounter, plain
from .minigrad import MINIGRAD

__all__ = [
    "MINIGRAD",
    "Edge",
    "Folders",
    "Framework",
    "MemoryCounter",
    "framework_of",
    "framework_of_module",
    "plain",
    "register",
]

FOLDER = __name__.rpartition(".")[0]

_known: list[Framework] = [MINIGRAD]


def register(framework: Framework) -> None:
    """Let `framework_of` find `framework` by its tensors. It replaces a framework of the same name."""
    _known[:] = [*(each for each in _known if each.name != framework.name), framework]


def framework_of(value: Any) -> Framework | None:
    """The framework of the tensor `value`; None if `value` is no tensor of a known framework."""
    return next((framework for framework in _known if framework.is_tensor(value)), None)


def framework_of_module(module: ModuleType) -> Framework:
    """The framework for `module`: minigrad, or one that a folder of that name here supports, such as torch."""
    name = module.__name__
    if name not in {each.name for each in _known} and find_spec(f"{FOLDER}.{name}") is not None:
        import_module(f"{FOLDER}.{name}")  # registers the framework
    for framework in _known:
        if framework.name == name:
            return framework
    known = " or ".join(sorted({each.name for each in _known} | {"torch"}))
    raise ArgumentTypeError(f"The tensors of {name} cannot be watched, only those of {known}.")
