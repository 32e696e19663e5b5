"""What is handed out: a wheel that holds everything and runs where nothing else is."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.browser import chromium
from tests.installed import (
    QUICK,
    RESOLUTIONS,
    ROOT,
    STEPS,
    Installed,
    a_page_shows_a_run_and_a_lesson,
    build,
    pythons,
    run,
)

PYTHONS = pythons() or {"this": sys.executable}
OLDEST, *_ = PYTHONS
*_, NEWEST = PYTHONS
INSTALLED = [
    (python, resolution)
    for python in PYTHONS
    for resolution in RESOLUTIONS
    if resolution == "highest" or python in (OLDEST, NEWEST)
]
"""The newest packages on each Python; the oldest that are allowed on the oldest and on the newest."""

BUNDLED = {
    "@codemirror/view": "MIT",
    "@fontsource-variable/inter": "OFL-1.1",
    "@fontsource-variable/jetbrains-mono": "OFL-1.1",
    "@hpcc-js/wasm-graphviz": "Apache-2.0",
    "katex": "MIT",
    "markdown-it": "MIT",
    "svelte": "MIT",
}
"""The main packages in the explorer's pages. Those that they need are listed by the build itself."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


def test_the_wheel_holds_the_library_the_explorer_the_lessons_and_the_data(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for name in ("minigrad/__init__.py", "minigrad/py.typed", "minigrad_webui/app.py", "minigrad_webui/py.typed"):
        assert name in names
    assert {f"minigrad/{path.relative_to(ROOT / 'minigrad')}" for path in (ROOT / "minigrad").rglob("*.pyi")} <= names
    assert "minigrad/__init__.pyi" in names
    assert "minigrad_webui/static/index.html" in names
    assert any(name.startswith("minigrad_webui/static/assets/") and name.endswith(".js") for name in names)
    files = (path for path in (ROOT / "lessons").rglob("*") if path.suffix in (".py", ".toml", ".md"))
    lessons = {path.relative_to(ROOT / "lessons").as_posix() for path in files}
    assert "course.toml" in lessons
    packed = {name for name in names if name.startswith("minigrad/lessons/")}
    assert packed == {f"minigrad/lessons/{lesson}" for lesson in lessons}
    assert any("digits" in name and not name.endswith(".py") for name in names)
    assert not {name for name in names if name.startswith(("tests/", "webui/")) or "node_modules" in name}


@pytest.mark.skipif(not (ROOT / ".git").exists() or not shutil.which("git"), reason="needs a git checkout")
def test_the_sdist_holds_what_git_keeps_and_what_was_built_from_it(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        packed = {member.name.partition("/")[2] for member in archive}
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]  # also what is new and not committed yet
    kept = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    built = ("PKG-INFO", "webui/minigrad_webui/static/", "webui/minigrad_webui/docs/")
    assert {name for name in packed - set(kept) if not name.startswith(built)} == set()
    assert set(re.findall(r"\.ci/[\w-]+", (ROOT / "Makefile").read_text())) <= packed, "what the Makefile calls"


def test_the_same_wheel_can_be_built_from_the_sdist_without_node(tmp_path: Path, wheel: Path, sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        options: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        archive.extractall(tmp_path / "unpacked", **options)
    (source,) = (tmp_path / "unpacked").iterdir()
    again = build("wheel", source, tmp_path / "again", path=str(tmp_path))
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(again) as other:
        assert sorted(one.namelist()) == sorted(other.namelist())


def test_the_wheel_has_the_licence_of_everything_in_its_pages(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read("minigrad_webui/static/third-party-licences.txt").decode()
        assert any(name.endswith("licenses/LICENSE") for name in archive.namelist())
    for package, licence in BUNDLED.items():
        assert re.search(rf"^{re.escape(package)} [\d.]+ \({licence}\)$", text, re.MULTILINE), package
    assert "Eclipse Public License" in text, "Graphviz, which is compiled into a package, has a licence of its own"


def test_a_second_build_has_the_same_bytes(tmp_path: Path, wheel: Path, sdist: Path) -> None:
    assert build("wheel", ROOT, tmp_path / "wheel").read_bytes() == wheel.read_bytes()
    assert build("sdist", ROOT, tmp_path / "sdist").read_bytes() == sdist.read_bytes()


def test_what_is_uploaded_describes_itself_as_the_index_wants(tmp_path: Path, wheel: Path, sdist: Path) -> None:
    run(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist, folder=tmp_path)


@pytest.mark.parametrize(("python", "resolution"), INSTALLED)
def test_an_installed_wheel_runs_where_nothing_else_is(
    tmp_path: Path, wheel: Path, python: str, resolution: str
) -> None:
    installed = Installed.fresh(wheel, PYTHONS[python], resolution, tmp_path)
    outermost = (python, resolution) in (INSTALLED[0], INSTALLED[-1])
    for step in STEPS if outermost else QUICK:
        if step is not a_page_shows_a_run_and_a_lesson or chromium():
            step(installed)
