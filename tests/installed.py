"""``python -m tests.installed``: test the wheel, installed alone, with each Python of this machine.

For each Python, with the lowest and the newest dependencies, a fresh environment gets the wheel, and nothing but that
environment is on PATH: no Node, no git, no compiler. Then it runs a user's first steps one by one, the last of them
in a browser, and prints a table of results. `tests/test_wheel.py` runs the same steps. Both need a network.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from minigrad import __version__
from tests import browser

ROOT = Path(__file__).parents[1]
VERSIONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
RESOLUTIONS = ("lowest-direct", "highest")
UV = (sys.executable, "-m", "uv")

PROGRAM = """\
import minigrad as mg

x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = (x * x).tanh().sum()
y.backward()
print(x.grad)
"""


def environment(folder: Path, path: str | None = None) -> dict[str, str]:
    """An environment without this checkout, only with the installed package; with `path`, also without the user's
    programs."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MINIGRAD_", "PYTHON"))}
    more = {"MINIGRAD_DATA_DIR": str(folder / "data"), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    return {**kept, **more, **({} if path is None else {"PATH": path, "HOME": str(folder)})}


def run(*command: object, folder: Path, path: str | None = None) -> str:
    """Run a command in `folder` and return its output. If it fails, the error contains the output."""
    arguments = [str(part) for part in command]
    ran = subprocess.run(arguments, cwd=folder, env=environment(folder, path), capture_output=True, text=True)
    assert ran.returncode == 0, f"{' '.join(arguments)}\n{ran.stdout}\n{ran.stderr}"
    return ran.stdout


def build(what: str, source: Path, folder: Path, path: str | None = None) -> Path:
    """The wheel or sdist of `source`, built with the tools of this environment and the programs on `path`."""
    folder.mkdir(exist_ok=True)
    command = (sys.executable, "-m", "build", f"--{what}", "--no-isolation", "--outdir", folder, source)
    run(*command, folder=folder, path=path)
    (made,) = folder.glob("*.whl" if what == "wheel" else "*.tar.gz")
    return made


def pythons() -> dict[str, str]:
    """The supported versions of Python on this machine: on PATH, or installed by pyenv or uv."""
    found: dict[str, str] = {}
    home = Path.home()
    keepers = (Path(os.environ.get("PYENV_ROOT", home / ".pyenv")) / "versions", home / ".local/share/uv/python")
    for version in VERSIONS:
        kept = [path for keeper in keepers for path in sorted(keeper.glob(f"*{version}.*/bin/python{version}"))]
        for each in (*kept, shutil.which(f"python{version}")):
            if each and subprocess.run([each, "-c", "import venv"], capture_output=True, check=False).returncode == 0:
                found.setdefault(version, str(each))
    return found


@dataclass(frozen=True)
class Installed:
    """A new environment with the wheel, and a folder for its data."""

    folder: Path
    binaries: Path

    @classmethod
    def fresh(cls, wheel: Path, python: str, resolution: str, folder: Path) -> Installed:
        """Install `wheel` for `python`, with the lowest or the highest versions of its dependencies."""
        made = cls(folder, folder / "venv" / ("Scripts" if os.name == "nt" else "bin"))
        run(*UV, "venv", "--quiet", "--no-python-downloads", "--python", python, folder / "venv", folder=folder)
        install = ("pip", "install", "--quiet", "--python", made.binaries / "python", "--resolution", resolution)
        run(*UV, *install, wheel, folder=folder)
        return made

    def minigrad(self, *arguments: object) -> str:
        """The output of ``minigrad ARGUMENTS``, with only the environment on PATH."""
        return run(self.binaries / "minigrad", *arguments, folder=self.folder, path=str(self.binaries))

    @contextmanager
    def explorer(self) -> Iterator[str]:
        """Start a server as ``minigrad serve`` does; yields its address."""
        command = [str(self.binaries / "minigrad"), "serve", "--port", "0", "--no-browser", "--token", "key"]
        settings = {**environment(self.folder, str(self.binaries)), "PYTHONUNBUFFERED": "1"}
        server = subprocess.Popen(command, cwd=self.folder, env=settings, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            told = next((found for line in server.stdout if (found := re.search(r"http://[^/]+", line))), None)
            assert told, f"the server ended with status {server.wait()}"
            yield told[0]
        finally:
            server.terminate()
            server.communicate()


def versions_are_told(installed: Installed) -> None:
    """`minigrad --version`"""
    assert __version__ in installed.minigrad("--version")


def doctor_finds_all(installed: Installed) -> None:
    """`minigrad doctor`"""
    told = installed.minigrad("doctor")  # it starts a server
    assert "All that minigrad needs is here." in told
    assert re.search(r"Node +not installed", told), told


def digits_are_learnt(installed: Installed) -> None:
    """`minigrad demo digits --headless`"""
    told = installed.minigrad("demo", "digits", "--headless", "--epochs", "1")
    assert re.search(r"\d", told), told


def lessons_are_there(installed: Installed) -> None:
    """`minigrad lesson run 1`"""
    assert "One number, one slope" in installed.minigrad("lesson", "list")
    assert "y 0.7616" in installed.minigrad("lesson", "run", "1", "--headless")


def a_page_shows_a_run_and_a_lesson(installed: Installed) -> None:
    """a run and a lesson opened in a browser"""
    binary = browser.chromium()
    assert binary, "no Chromium is installed"
    (installed.folder / "program.py").write_text(PROGRAM)
    with installed.explorer() as address, browser.opened(binary, installed.folder) as page:
        assert "tensor" in installed.minigrad("run", "--no-browser", "program.py")
        page.open(f"{address}/?token=key")
        page.wait_for(_CLICK.format(words="program.py"))
        page.wait_for("document.documentElement.dataset.idle === 'true' && !!window.minigradExplorer?.rectOf('n1')")
        page.open(f"{address}/lesson/01-one-number-one-slope")
        page.wait_for(_CLICK.format(words="Run from the top"))
        page.wait_for("document.body.innerText.includes('0.7616')")
        assert not page.problems, page.problems


_CLICK = """(() => {{
  const found = [...document.querySelectorAll('button')].find((each) => each.innerText.includes('{words}'));
  if (!found || found.disabled) return false;
  found.click();
  return true;
}})()"""

STEPS: tuple[Callable[[Installed], None], ...] = (
    versions_are_told,
    doctor_finds_all,
    digits_are_learnt,
    lessons_are_there,
    a_page_shows_a_run_and_a_lesson,
)

QUICK = (versions_are_told, digits_are_learnt, lessons_are_there)
"""Those of them that start no server."""


def main(arguments: list[str] | None = None) -> int:
    known = pythons()
    parser = argparse.ArgumentParser(prog="python -m tests.installed", description=__doc__)
    parser.add_argument("--python", action="append", choices=known, help="only this version; may be repeated")
    parser.add_argument("--resolution", choices=RESOLUTIONS, help="only these versions of what it needs")
    parser.add_argument("--wheel", type=Path, help="an existing wheel; else one is built")
    given = parser.parse_args(arguments)
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="minigrad-installed-") as name:
        folder = Path(name)
        wheel = given.wheel.resolve() if given.wheel else build("wheel", ROOT, folder / "wheel")
        print(f"{wheel.name}\n\n| Python | dependencies | {' | '.join(str(step.__doc__) for step in STEPS)} |")
        print("| --- " * (len(STEPS) + 2) + "|", flush=True)
        for version in given.python or known:
            for resolution in [given.resolution] if given.resolution else RESOLUTIONS:
                place = folder / f"{version}-{resolution}"
                place.mkdir()
                installed = Installed.fresh(wheel, known[version], resolution, place)
                cells = [_taken(step, installed, failures) for step in STEPS]
                full = run(
                    installed.binaries / "python", "-c", "import sys; print(sys.version.split()[0])", folder=place
                )
                print(f"| {full.strip()} | {resolution} | {' | '.join(cells)} |", flush=True)
                shutil.rmtree(place, ignore_errors=True)
    print("\n" + "\n\n".join(failures) if failures else "\nAll of it holds.")
    return 1 if failures else 0


def _taken(step: Callable[[Installed], None], installed: Installed, failures: list[str]) -> str:
    begun = time.monotonic()
    try:
        step(installed)
    except AssertionError as error:
        failures.append(f"{installed.folder.name}, {step.__doc__}:\n{error}")
        return "FAILED"
    return f"{time.monotonic() - begun:.1f} s"


if __name__ == "__main__":
    sys.exit(main())
