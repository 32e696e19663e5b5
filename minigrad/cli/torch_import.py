"""Notice when a program imports PyTorch."""

from __future__ import annotations

import ast
import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from .script import Program


@contextlib.contextmanager
def noticing_torch(program: Program, action: Callable[[], None]) -> Iterator[None]:
    """Call `action` after torch is imported, unless the program itself imports minigrad: then minigrad is watched."""
    if uses_minigrad(program):
        yield
        return
    if "torch" in sys.modules:
        action()
        yield
        return
    finder = Finder(action)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        if finder in sys.meta_path:
            sys.meta_path.remove(finder)


def uses_minigrad(program: Program) -> bool:
    """Whether the program's file imports minigrad.

    `minigrad.observe` alone does not count: it watches other frameworks.
    """
    try:
        tree = ast.parse(Path(program.target).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return False
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return any(f"{name}.".startswith("minigrad.") and not f"{name}.".startswith("minigrad.observe.") for name in names)


class Finder(MetaPathFinder):
    """Finds torch as Python does, and calls `action` when its module has run."""

    def __init__(self, action: Callable[[], None]) -> None:
        self._action = action

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find the module, only for torch and only once."""
        if fullname != "torch" or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = Afterwards(spec.loader, self._action)
        return spec


class Afterwards(Loader):
    """A loader that wraps another, and calls `action` once a module is loaded."""

    def __init__(self, loader: Loader, action: Callable[[], None]) -> None:
        self._loader = loader
        self._action = action

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Create the module as the wrapped loader does."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module as the wrapped loader does, then the action. The module names the wrapped loader."""
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._action()
