"""The house has floors: a file imports only from its own floor and those below, and the core knows no listener.

Rooms are listed from the ground up. Rooms on one floor may use each other. A new room belongs on a floor: the test says
which is missing. The tests of these tests are in `test_architecture_reader.py`.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from minigrad.core import TENSOR_INTERFACE
from tests.architecture import House, circles, frontend_house, named_modules, private_uses, python_house

ROOT = Path(__file__).parents[1]


@cache
def library() -> House:
    """Read by the first test that asks: each process collects this file, and one runs it."""
    return python_house(ROOT / "minigrad")


@cache
def server() -> House:
    return python_house(ROOT / "webui" / "minigrad_webui")


@cache
def frontend() -> House:
    return frontend_house(ROOT / "webui" / "frontend" / "src")


LIBRARY_FLOORS = [
    ["errors", "events", "version"],
    ["torch_version"],
    ["dtypes", "layout", "absent"],
    ["backend"],
    ["core"],
    ["ops"],
    ["fast"],  # a plug-in: nothing in the house imports it
    ["compiler", "fft", "functional", "linalg", "masked", "multiprocessing", "onnx", "sparse"],
    ["_dynamo", "checks", "foreach", "fx", "overrides", "random", "settings", "special", "tags", "types"],
    ["autograd", "func"],
    [
        "_C",
        "_functorch",
        "accelerator",
        "amp",
        "backends",
        "cuda",
        "distributed",
        "distributions",
        "hub",
        "_jit_internal",
        "jit",
        "library",
        "nn",
        "optim",
        "profiler",
        "other_devices",
        "serialization",
        "signal",
        "utils",
        "text",
        "testing",
    ],
    ["observe"],
    ["classroom"],
    ["__init__"],  # the face, `import minigrad as mg`
    ["demos", "examples"],
    ["cli"],
    ["__main__"],
]

SERVER_FLOORS = [
    ["__init__", "connections", "protocol", "tickets"],
    ["security"],
    ["api_page", "documentation", "frontend"],
    ["websocket"],
    ["runs"],
    ["errors"],
    ["lessons", "op_reference"],
    ["app"],
    ["server"],
    ["classroom", "jupyter"],
]

FRONTEND_FLOORS = [
    ["language", "protocol"],
    ["model"],
    ["theme"],
    ["layout"],
    ["camera"],
    ["render"],
    ["app"],
    ["parts"],
    ["views"],
    ["class", "lesson", "ops"],
    ["main"],
]

LIBRARY_EXCEPTIONS: dict[tuple[str, str], str] = {}
"""(file, what it imports from above): why. To be emptied; a pair that is no longer needed is an error."""

ARRAY_LIBRARIES = {"numpy", "cupy", "cupyx", "scipy", "ml_dtypes"}
OF_PYTORCH = "observe/torch/"
"""Its tensors have attributes of the same names as ours."""
MAY_NAME_ARRAYS = {"backend", "dtypes"}

HOUSES = {
    "minigrad": (library, LIBRARY_FLOORS, LIBRARY_EXCEPTIONS),
    "minigrad_webui": (server, SERVER_FLOORS, {}),
    "frontend": (frontend, FRONTEND_FLOORS, {}),
}
EACH_HOUSE = pytest.mark.parametrize("name", HOUSES)


@EACH_HOUSE
def test_every_room_is_on_a_floor(name: str) -> None:
    read, floors, _ = HOUSES[name]
    house = read()
    assert len(house.imports) > 100, "the reader found next to nothing"
    assert house.unlisted(floors) == []


@EACH_HOUSE
def test_no_import_points_up_not_even_inside_a_function(name: str) -> None:
    read, floors, exceptions = HOUSES[name]
    house = read()
    assert house.upward(floors, exceptions) == []


@EACH_HOUSE
def test_files_that_import_one_another_in_a_circle_stand_in_one_folder(name: str) -> None:
    read, _, exceptions = HOUSES[name]
    house = read()
    kept = tuple(each for each in house.imports if (each.source, each.target) not in exceptions)
    assert House(house.root, house.files, kept).circles() == []


def test_ops_import_one_another_in_no_circle_not_even_inside_a_folder() -> None:
    """Each file of ops can be read after those it imports."""
    found = circles(each for each in library().imports if each.source.startswith("ops/"))
    assert [circle for circle in found if any(file.startswith("ops/") for file in circle)] == []


def test_only_the_command_line_imports_the_server() -> None:
    """It starts the explorer; the library and the programs that it watches never need the server."""
    house = library()
    for file in house.files:
        for name, line in named_modules(house.root / file, house.root):
            outside = name.split(".")[0] == "minigrad_webui" and house.room(file) != "cli"
            assert not outside, f"{file}:{line} imports {name}"


def test_the_server_imports_no_command() -> None:
    house = server()
    for file in house.files:
        for name, line in named_modules(house.root / file, house.root):
            assert not f"{name}.".startswith("minigrad.cli."), f"{file}:{line} imports {name}"


def test_only_the_backends_and_dtypes_know_an_array_library() -> None:
    house = library()
    rooms = {room for floor in LIBRARY_FLOORS[: LIBRARY_FLOORS.index(["ops"]) + 1] for room in floor} - MAY_NAME_ARRAYS
    for file in house.files:
        if house.room(file) in rooms:
            named = {name.split(".")[0] for name in imported_at_once(house.root / file)} & ARRAY_LIBRARIES
            assert not named, f"{file} imports {named}: compute through `xp`"


def test_the_core_imports_nothing_but_the_standard_library_and_what_is_below_it() -> None:
    house = library()
    for file in house.files:
        if house.room(file) in ("core", "events", "errors"):
            for name, line in named_modules(house.root / file, house.root):
                top = name.split(".")[0]
                assert top in sys.stdlib_module_names or top == "minigrad", f"{file}:{line} imports {name}"


def test_events_errors_and_the_version_import_nothing_of_minigrad() -> None:
    ground = LIBRARY_FLOORS[0]
    assert [str(each) for each in library().imports if library().room(each.source) in ground] == []


def test_only_the_declared_attributes_of_the_core_are_used_from_outside() -> None:
    """`core.TENSOR_INTERFACE` lists them; each is in use."""
    found = private_uses(library(), "core")
    others = [f"{file}:{line} uses {name}" for name, file, line in found if name not in TENSOR_INTERFACE]
    assert [each for each in others if not each.startswith(OF_PYTORCH)] == []
    assert {name for name, _, _ in found} >= set(TENSOR_INTERFACE)


def imported_at_once(path: Path) -> list[str]:
    """Absolute names that a file imports at its top, by ``import`` or ``from``."""
    names = []
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.append(node.module or "")
    return names


def test_each_package_can_be_the_first_that_is_imported() -> None:
    """A circle of imports may show in one order only, when a package's own file takes part in it."""
    above = LIBRARY_FLOORS.index(["classroom"])
    rooms = [room for floor in LIBRARY_FLOORS[:above] for room in floor if (library().root / room).is_dir()]
    ran = subprocess.run([sys.executable, "-c", IMPORT_EACH_FIRST, *rooms], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


IMPORT_EACH_FIRST = """
import importlib, sys
for room in sys.argv[1:]:
    for name in [name for name in sys.modules if name.partition(".")[0] == "minigrad"]:
        del sys.modules[name]
    importlib.import_module(f"minigrad.{room}")
"""
