"""The course as the tests read it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "lessons"
COURSE: dict[str, Any] = tomllib.loads((FOLDER / "course.toml").read_text(encoding="utf-8"))
LESSONS = [FOLDER / name for name in COURSE["lessons"]]


def run(script: Path, seconds: float) -> subprocess.CompletedProcess[str]:
    """Run a lesson as a learner does, in a process of its own; TimeoutExpired where it takes longer."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    settings = {**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-W", "error", str(script)]
    return subprocess.run(
        command, cwd=script.parent, env=settings, timeout=seconds, capture_output=True, encoding="utf-8"
    )
