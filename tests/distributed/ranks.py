"""Programs on several ranks, as a launcher starts them: on minigrad by MPI, on PyTorch by gloo."""

from __future__ import annotations

import ast
import functools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).with_name("programs")
PATIENCE = 120
"""Seconds for a whole program: a slow machine may need them."""
LAUNCHERS = ("OMPI_", "PMI_", "PMIX_", "SLURM_", "HYDRA_", "MPI_", "RANK", "WORLD_SIZE")


def _mpiexec() -> str | None:
    """The launcher installed beside this Python, or another one."""
    beside = Path(sys.executable).with_name("mpiexec")
    return str(beside) if beside.exists() else shutil.which("mpiexec")


MPIEXEC = _mpiexec()
needs_mpi = pytest.mark.skipif(
    find_spec("mpi4py") is None or MPIEXEC is None,
    reason="no MPI is installed: pip install 'minigrad-live[mpi]'",
)


@dataclass(frozen=True)
class Ended:
    """How a program on several ranks ended."""

    status: int
    out: str
    err: str
    seconds: float

    @property
    def said(self) -> str:
        """All output of the program."""
        return self.out + self.err


def environment_of_ranks(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHERS)}
    search = os.pathsep.join(map(str, (ROOT, ROOT / "webui")))
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    as_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    yielding = {"OMPI_MCA_mpi_yield_when_idle": "1"}
    return {**kept, "PYTHONPATH": search, **threads, **as_root, **yielding, **more}


@functools.cache
def of_open_mpi() -> bool:
    """Whether the launcher is Open MPI's, rather than MPICH's or a relative of it."""
    assert MPIEXEC is not None
    told = subprocess.run([MPIEXEC, "--version"], capture_output=True, text=True).stdout.upper()
    return "MPICH" not in told and "HYDRA" not in told


def start(size: int, *command: str, cwd: Path | None = None, **environment: str) -> subprocess.Popen[str]:
    """``mpiexec -n size python command`` in a new session."""
    assert MPIEXEC is not None
    more = ["--oversubscribe"] if of_open_mpi() else []
    return subprocess.Popen(
        [MPIEXEC, *more, "-n", str(size), sys.executable, *command],
        cwd=cwd,
        env=environment_of_ranks(**environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def end(process: subprocess.Popen[str], began: float) -> Ended:
    """Wait until it has ended. If it does not, kill all its processes and raise AssertionError."""
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        raise AssertionError(f"still running after {PATIENCE} s\n{out}\n{err}") from None
    return Ended(process.returncode, out, err, time.monotonic() - began)


def run(size: int, *command: str, cwd: Path | None = None, **environment: str) -> Ended:
    """Run it to its end."""
    began = time.monotonic()
    return end(start(size, *command, cwd=cwd, **environment), began)


def checks_of(program: str) -> list[str]:
    """The names of the checks in a program."""
    tree = ast.parse((PROGRAMS / f"{program}.py").read_text())
    return [each.name for each in tree.body if isinstance(each, ast.FunctionDef) and each.name.startswith("check_")]


@functools.cache
def outcomes(program: str, size: int) -> dict[str, list[str]]:
    """For each check of the program, the error on each rank; "" if it passed."""
    if size == 1:
        command = [sys.executable, str(PROGRAMS / f"{program}.py")]
        ran = subprocess.run(command, env=environment_of_ranks(), capture_output=True, text=True, timeout=PATIENCE)
        return _read(ran.stdout, ran.stderr, size)
    ended = run(size, str(PROGRAMS / f"{program}.py"))
    return _read(ended.out, ended.err, size)


@functools.cache
def outcomes_on_pytorch(program: str, size: int) -> dict[str, list[str]]:
    """The same program with PyTorch instead of minigrad, and gloo instead of MPI."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    world = {"WORLD_SIZE": str(size), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "LIBRARY": "torch"}
    ranks = [
        subprocess.Popen(
            [sys.executable, str(PROGRAMS / f"{program}.py")],
            env=environment_of_ranks(RANK=str(rank), **world),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(size)
    ]
    said = [rank.communicate(timeout=PATIENCE) for rank in ranks]
    return _read("".join(out for out, _ in said), "".join(err for _, err in said), size)


def _read(out: str, err: str, size: int) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in out.splitlines():
        if line.startswith('{"check"'):
            told = json.loads(line)
            found.setdefault(told["check"], [f"never said\n{err}"] * size)[told["rank"]] = told["trouble"]
    assert found, f"it checked nothing\n{out}\n{err}"
    return found
