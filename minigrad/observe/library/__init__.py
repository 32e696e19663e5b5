"""How the recorder looks at a library's tensors and nodes, so that it can watch another one than minigrad.

    source    hooks into the library, and emits `minigrad.events` with its tensors and nodes in them
    Library   tells what those tensors and nodes are: shape, version, edges, saved tensors, ...

To watch another library, subclass `Library`, write a source, and record with it:

    class Torch(Library):
        name = "torch"
        def is_tensor(self, value): return isinstance(value, torch.Tensor)
        ...

    with Recorder("run.jsonl.gz", library=Torch()):
        with source.listening():                 # yours: calls events.emit(NodeRecorded(node, inputs, outputs)), ...
            train()

`Library` says of each function what it must answer. Those that are not abstract may be left out: what a library does
not tell is then missing from the records, and no error. `register` makes `mg.observe.draw` know its tensors, too.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from ...errors import ArgumentTypeError
from .base import Edge, Folders, Library, MemoryCounter, plain
from .minigrad import MINIGRAD

__all__ = [
    "MINIGRAD",
    "Edge",
    "Folders",
    "Library",
    "MemoryCounter",
    "library_of",
    "library_of_module",
    "plain",
    "register",
]

FOLDER = __name__.rpartition(".")[0]

_known: list[Library] = [MINIGRAD]


def register(library: Library) -> None:
    """Let `library_of` find `library` by its tensors; one of the same name is replaced."""
    _known[:] = [*(each for each in _known if each.name != library.name), library]


def library_of(value: Any) -> Library | None:
    """The library whose tensor `value` is; None where it is no tensor of any."""
    return next((library for library in _known if library.is_tensor(value)), None)


def library_of_module(module: ModuleType) -> Library:
    """How to watch the library that `module` is: minigrad, or one that a folder of that name here knows, as torch."""
    name = module.__name__
    if name not in {each.name for each in _known} and find_spec(f"{FOLDER}.{name}") is not None:
        import_module(f"{FOLDER}.{name}")  # registers it
    for library in _known:
        if library.name == name:
            return library
    known = " or ".join(sorted({each.name for each in _known} | {"torch"}))
    raise ArgumentTypeError(f"The tensors of {name} cannot be watched, only those of {known}.")
