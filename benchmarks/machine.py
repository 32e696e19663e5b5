"""The machine on which a run was measured, without which its figures say little."""

from __future__ import annotations

import os
import platform
import sys
import sysconfig
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "torch", "autograd", "mygrad", "micrograd")


def facts() -> dict[str, Any]:
    """The day, processor, interpreter and packages."""
    return {
        "day": datetime.now(timezone.utc).date().isoformat(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "build": build(),
        "system": platform.platform(),
        "packages": {name: _version(name) for name in PACKAGES},
    }


def processor() -> str:
    """The processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


def build() -> str:
    """Whether the interpreter was compiled with profile-guided optimisation (PGO): without it, Python code is a quarter
    slower.

    A distribution's own Python has it, but its settings do not show it.
    """
    if "--enable-optimizations" in str(sysconfig.get_config_var("CONFIG_ARGS")):
        return "PGO"
    return "the system's" if sys.base_prefix == "/usr" else "no PGO"


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
