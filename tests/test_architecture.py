"""The house has floors: a file imports only from the floors below it, and only the backends know an array library."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "minigrad"

FLOORS = [
    ["errors", "events"],
    ["dtypes"],
    ["backend"],
    ["core"],
    ["ops"],
    ["autograd", "func"],
    ["nn", "optim", "utils", "text", "testing"],
    ["observe"],
    ["classroom"],
    ["demos", "examples"],
    ["cli"],
]
"""From the ground up. Rooms on one floor may use each other; `minigrad/__init__.py` is the roof over all of them."""

ARRAY_LIBRARIES = {"numpy", "cupy", "cupyx", "scipy", "ml_dtypes"}
MAY_NAME_ARRAYS = {"backend", "dtypes"}

FLOOR_OF = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or path.stem in FLOOR_OF)


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> list[tuple[str, bool]]:
    """(absolute module name, whether the import runs when the file is imported)."""
    tree = ast.parse(path.read_text())
    at_import = set()
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        at_import.add(node)
        todo.extend(ast.iter_child_nodes(node))
    here = ("minigrad", *path.relative_to(PACKAGE).with_suffix("").parts)
    package = here[:-1]
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, node in at_import) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            name = ".".join(part for part in (base, node.module or "") if part)
            if name == "minigrad":
                found += [(f"minigrad.{alias.name}", node in at_import) for alias in node.names]
            else:
                found.append((name, node in at_import))
    return found


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_imports_only_from_its_own_floor_and_those_below(path: Path) -> None:
    """An import inside a function may reach up: that is how `backward` finds batched gradients only when asked."""
    room = room_of(path)
    assert room in FLOOR_OF, f"{path} is in a room without a floor: add {room!r} to FLOORS"
    for name, at_import in imports(path):
        parts = name.split(".")
        if parts[0] != "minigrad" or len(parts) < 2 or not at_import:
            continue
        other = parts[1]
        assert FLOOR_OF.get(other, 0) <= FLOOR_OF[room], f"{path.name} ({room}) imports {name}, which lies above it"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_only_the_backends_and_dtypes_know_an_array_library(path: Path) -> None:
    room = room_of(path)
    if FLOOR_OF.get(room, 99) > FLOOR_OF["ops"] or room in MAY_NAME_ARRAYS:
        return
    named = {name.split(".")[0] for name, at_import in imports(path) if at_import} & ARRAY_LIBRARIES
    assert not named, f"{path} imports {named}: compute through `xp`"


def test_the_core_names_no_listener() -> None:
    for path in (PACKAGE / "core").rglob("*.py"):
        for name, _ in imports(path):
            assert not name.startswith(("minigrad.observe", "minigrad_webui")), f"{path} knows its viewer: {name}"


def test_the_core_imports_nothing_but_the_standard_library() -> None:
    import sys

    for path in [*(PACKAGE / "core").rglob("*.py"), PACKAGE / "events.py", PACKAGE / "errors.py"]:
        for name, at_import in imports(path):
            top = name.split(".")[0]
            assert not at_import or top in sys.stdlib_module_names or top == "minigrad", f"{path} imports {name}"


def test_events_and_errors_import_nothing_of_minigrad() -> None:
    for name in ("events.py", "errors.py"):
        assert not [found for found, _ in imports(PACKAGE / name) if found.startswith("minigrad")]
