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

from typing import Any

from .base import Edge, Folders, Library, MemoryCounter, plain
from .minigrad import MINIGRAD

__all__ = ["MINIGRAD", "Edge", "Folders", "Library", "MemoryCounter", "library_of", "plain", "register"]

_known: list[Library] = [MINIGRAD]


def register(library: Library) -> None:
    """Let `library_of` find `library` by its tensors; one of the same name is replaced."""
    _known[:] = [*(each for each in _known if each.name != library.name), library]


def library_of(value: Any) -> Library | None:
    """The library whose tensor `value` is; None where it is no tensor of any."""
    return next((library for library in _known if library.is_tensor(value)), None)
