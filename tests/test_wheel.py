"""What is handed out: a wheel that holds everything and runs where nothing else is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from minigrad import __version__

ROOT = Path(__file__).parents[1]

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


def clean_environment(folder: Path) -> dict[str, str]:
    """Nothing of this checkout and of this user: only what an installed package brings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MINIGRAD_", "PYTHON"))}
    return {**kept, "MINIGRAD_DATA_DIR": str(folder / "data"), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def run(*command: object, folder: Path) -> str:
    """Run a command in `folder`; its output. What it said is in the failure if it fails."""
    arguments = [str(part) for part in command]
    ran = subprocess.run(arguments, cwd=folder, env=clean_environment(folder), capture_output=True, text=True)
    assert ran.returncode == 0, f"{' '.join(arguments)}\n{ran.stdout}\n{ran.stderr}"
    return ran.stdout


def build(what: str, source: Path, folder: Path) -> Path:
    """The wheel or sdist of `source`, built with the tools of this environment."""
    run(sys.executable, "-m", "build", f"--{what}", "--no-isolation", "--outdir", folder, source, folder=folder)
    (made,) = folder.glob("*.whl" if what == "wheel" else "*.tar.gz")
    return made


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


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


def test_the_same_wheel_can_be_built_from_the_sdist_without_node(tmp_path: Path, wheel: Path) -> None:
    sdist = build("sdist", ROOT, tmp_path)
    with tarfile.open(sdist) as archive:
        options: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        archive.extractall(tmp_path / "unpacked", **options)
    (source,) = (tmp_path / "unpacked").iterdir()
    (tmp_path / "again").mkdir()
    again = build("wheel", source, tmp_path / "again")
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(again) as other:
        assert sorted(one.namelist()) == sorted(other.namelist())


def test_the_wheel_has_the_licence_of_everything_in_its_pages(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read("minigrad_webui/static/third-party-licences.txt").decode()
        assert any(name.endswith("licenses/LICENSE") for name in archive.namelist())
    for package, licence in BUNDLED.items():
        assert re.search(rf"^{re.escape(package)} [\d.]+ \({licence}\)$", text, re.MULTILINE), package
    assert "Eclipse Public License" in text, "Graphviz, which is compiled into a package, has a licence of its own"


def test_what_is_uploaded_describes_itself_as_the_index_wants(tmp_path: Path, wheel: Path) -> None:
    run(sys.executable, "-m", "twine", "check", "--strict", wheel, build("sdist", ROOT, tmp_path), folder=tmp_path)


def installed_pythons() -> dict[str, str]:
    """The supported versions of Python on this machine: on PATH, or kept by pyenv."""
    found: dict[str, str] = {}
    for version in ("3.10", "3.11", "3.12", "3.13", "3.14"):
        kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
        for each in (*sorted(kept.glob(f"{version}.*/bin/python")), shutil.which(f"python{version}")):
            if each and subprocess.run([each, "-c", "import venv"], capture_output=True, check=False).returncode == 0:
                found.setdefault(version, str(each))
    return found


PYTHONS = installed_pythons() or {"this": sys.executable}


@pytest.mark.parametrize("resolution", ["lowest-direct", "highest"])
@pytest.mark.parametrize("python", PYTHONS)
def test_an_installed_wheel_runs_where_nothing_else_is(
    tmp_path: Path, wheel: Path, python: str, resolution: str
) -> None:
    uv = (sys.executable, "-m", "uv")
    run(
        *uv, "venv", "--quiet", "--no-python-downloads", "--python", PYTHONS[python], tmp_path / "venv", folder=tmp_path
    )
    binaries = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    install = ("pip", "install", "--quiet", "--python", binaries / "python", "--resolution", resolution)
    run(*uv, *install, wheel, folder=tmp_path)
    run(binaries / "minigrad", "doctor", folder=tmp_path)  # it starts a server
    output = run(binaries / "minigrad", "demo", "digits", "--headless", "--epochs", "1", folder=tmp_path)
    assert output.strip()
    assert __version__ in run(binaries / "minigrad", "--version", folder=tmp_path)
    assert "One number, one slope" in run(binaries / "minigrad", "lesson", "list", folder=tmp_path)
    assert "y 0.7616" in run(binaries / "minigrad", "lesson", "run", "1", "--headless", folder=tmp_path)
