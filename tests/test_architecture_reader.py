"""The reader of imports sees every way to import, and the rules find what they are for: tried on small trees."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architecture import House, frontend_house, named_modules, private_uses, python_house

FLOORS = [["errors"], ["core"], ["ops", "linalg"], ["__init__"]]


def tree(folder: Path, files: dict[str, str]) -> Path:
    """A package with these files; folders become packages."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def python_tree(folder: Path, **files: str) -> House:
    """A package `grad` with a core, ops and a face; `files` are added, their names with __ for a slash."""
    plain = {"__init__.py": "", "errors.py": "", "core/__init__.py": "", "ops/__init__.py": "", "linalg.py": ""}
    plain |= {"core/plan.py": "", "ops/arithmetic.py": ""}
    return python_house(
        tree(folder / "grad", plain | {f"{k.replace('__', '/')}.py": text for k, text in files.items()})
    )


def test_a_tree_that_only_looks_down_passes(tmp_path: Path) -> None:
    house = python_tree(tmp_path, ops__arithmetic="from ..core import plan\nfrom ..errors import E\n")
    assert (house.unlisted(FLOORS), house.upward(FLOORS), house.circles()) == ([], [], [])


@pytest.mark.parametrize(
    "line",
    [
        "from .. import linalg",
        "from .. import errors, linalg as la",
        "from ..linalg import solve",
        "from grad import linalg",
        "from grad.linalg import solve",
        "import grad.linalg",
        "import grad.linalg as la",
        "def solve():\n    from .. import linalg",
        "async def solve():\n    import grad.linalg",
        "solve = lambda: __import__('grad.linalg')",
        "import importlib\nla = importlib.import_module('..linalg', __package__)",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ..linalg import solve",
        "try:\n    from ..linalg import solve\nexcept ImportError:\n    pass",
        "class Plan:\n    from ..linalg import solve",
    ],
)
def test_an_import_that_points_up_is_found_however_it_is_written(tmp_path: Path, line: str) -> None:
    house = python_tree(tmp_path, core__plan=line)
    (found,) = house.upward(FLOORS)
    assert found.startswith("core/plan.py:")
    assert found.endswith(" imports linalg.py")


def test_the_face_of_the_package_counts_as_a_room(tmp_path: Path) -> None:
    house = python_tree(tmp_path, core__plan="from .. import __version__\n")
    assert house.upward(FLOORS) == ["core/plan.py:1 imports __init__.py"]


def test_a_name_that_is_no_file_belongs_to_the_file_it_is_read_from(tmp_path: Path) -> None:
    house = python_tree(tmp_path, core__plan="from ..errors import GradError\n")
    assert [str(each) for each in house.imports] == ["core/plan.py:1 imports errors.py"]


def test_a_room_without_a_floor_is_an_error_and_so_is_a_floor_without_a_room(tmp_path: Path) -> None:
    house = python_tree(tmp_path, attic__box="")
    assert house.unlisted([*FLOORS, ["cellar"]]) == ["attic: add it to a floor", "cellar: no such room"]


def test_an_exception_covers_its_pair_of_files_only_and_must_be_needed(tmp_path: Path) -> None:
    house = python_tree(tmp_path, core__plan="from .. import linalg\n", core__op="from .. import linalg\n")
    allowed = [("core/plan.py", "linalg.py"), ("core/old.py", "linalg.py")]
    assert house.upward(FLOORS, allowed) == [
        "core/op.py:1 imports linalg.py",
        "core/old.py no longer imports linalg.py: delete the exception",
    ]


def test_a_circle_through_a_function_is_found_across_rooms_and_allowed_inside_one(tmp_path: Path) -> None:
    across = python_tree(
        tmp_path,
        ops__arithmetic="from .. import linalg\n",
        linalg="def solve():\n    from .ops import products\n",
        ops__products="from .arithmetic import add\n",
    )
    assert across.circles() == [["linalg.py", "ops/arithmetic.py", "ops/products.py"]]
    inside = python_tree(tmp_path / "b", core__plan="from . import op\n", core__op="from .plan import Plan\n")
    assert inside.circles() == []


def test_an_import_of_another_package_is_seen_by_name(tmp_path: Path) -> None:
    """What the rule about the server asks for: the module that ``import minigrad_webui.store`` names."""
    house = python_tree(tmp_path, ops__arithmetic="def add():\n    import minigrad_webui.store\n")
    assert list(named_modules(house.root / "ops" / "arithmetic.py", house.root)) == [("minigrad_webui.store", 2)]


def test_private_attributes_of_a_room_are_found_where_others_use_them(tmp_path: Path) -> None:
    house = python_tree(
        tmp_path,
        core__plan="class Tensor:\n    __slots__ = ('_array',)\n    def _copied(self): self._depth = 1\n",
        ops__arithmetic="def add(x): return x._array + x._copied() + x._depth + x.shape\n",
        linalg="class Solver:\n    def _copied(self): return self._copied() + other._copied()\n",
    )
    assert sorted((name, file) for name, file, _ in private_uses(house, "core")) == [
        ("_array", "ops/arithmetic.py"), ("_copied", "ops/arithmetic.py"), ("_depth", "ops/arithmetic.py"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        'import Graph from "../views/Graph.svelte";',
        'import type { Shown } from "../views/shown";',
        "import { session } from '../views/session.svelte';",
        'import "../views/shown";',
        'export { shown } from "../views/shown.ts";',
        'export * from "../views/shown";',
        'const later = await import("../views/shown");',
        'import {\n  first,\n  second,\n} from "../views/shown";',
        'new Worker(new URL("../views/shown.ts", import.meta.url));',
        'import text from "../views/shown?raw";',
        'import index from "../views";',
    ],
)
def test_the_front_end_is_read_too(tmp_path: Path, line: str) -> None:
    files = {"views/Graph.svelte": "", "views/shown.ts": "", "views/session.svelte.ts": "", "views/index.ts": ""}
    house = frontend_house(tree(tmp_path, {**files, "model/fold.ts": line}))
    (found,) = house.upward([["model"], ["views"]])
    assert found.startswith("model/fold.ts:")
    assert " imports views/" in found


def test_what_the_front_end_only_mentions_is_no_import(tmp_path: Path) -> None:
    text = '// import x from "../views/shown";\n/* from "../views/shown" */\nimport { run } from "./run";\n'
    house = frontend_house(tree(tmp_path, {"views/shown.ts": "", "model/fold.ts": text, "model/run.ts": ""}))
    assert [str(each) for each in house.imports] == ["model/fold.ts:3 imports model/run.ts"]


def test_a_circle_in_the_front_end_is_found(tmp_path: Path) -> None:
    files = {"model/fold.ts": 'import "../theme/colour"', "theme/colour.ts": 'import "../model/fold"'}
    assert frontend_house(tree(tmp_path, files)).circles() == [["model/fold.ts", "theme/colour.ts"]]
