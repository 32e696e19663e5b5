"""What is handed out: a wheel that holds everything and runs where nothing else is."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

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
    assert "minigrad_webui/static/index.html" in names
    assert any(name.startswith("minigrad_webui/static/assets/") and name.endswith(".js") for name in names)
    lessons = {path.name for path in (ROOT / "lessons").iterdir() if path.suffix in (".py", ".toml", ".md")}
    assert "course.toml" in lessons
    packed = {name for name in names if name.startswith("minigrad/lessons/")}
    assert packed == {f"minigrad/lessons/{lesson}" for lesson in lessons}
    assert any("digits" in name and not name.endswith(".py") for name in names)
    assert not {name for name in names if name.startswith(("tests/", "webui/")) or "node_modules" in name}


def test_the_same_wheel_can_be_built_from_the_sdist_without_node(tmp_path: Path, wheel: Path) -> None:
    sdist = build("sdist", ROOT, tmp_path)
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "unpacked", **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    (source,) = (tmp_path / "unpacked").iterdir()
    (tmp_path / "again").mkdir()
    again = build("wheel", source, tmp_path / "again")
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(again) as other:
        assert sorted(one.namelist()) == sorted(other.namelist())


def test_an_installed_wheel_runs_the_demo_where_nothing_else_is(tmp_path: Path, wheel: Path) -> None:
    run(sys.executable, "-m", "venv", tmp_path / "venv", folder=tmp_path)
    binaries = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    run(binaries / "python", "-m", "pip", "install", "--quiet", wheel, folder=tmp_path)
    output = run(binaries / "minigrad", "demo", "digits", "--headless", "--epochs", "1", folder=tmp_path)
    assert output.strip()
    assert "0.1.0" in run(binaries / "minigrad", "--version", folder=tmp_path)
    assert "One number, one slope" in run(binaries / "minigrad", "lesson", "list", folder=tmp_path)
    assert "y 0.7616" in run(binaries / "minigrad", "lesson", "run", "1", "--headless", folder=tmp_path)
