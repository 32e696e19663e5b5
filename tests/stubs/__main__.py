"""``python -m tests.stubs`` writes the stub files; with ``--check`` it only reports outdated ones."""

from __future__ import annotations

import sys

from .files import ROOT, generated


def main(arguments: list[str]) -> int:
    """Write or check the stubs. Returns 0 if they are up to date or were written."""
    stale = [path for path, text in generated().items() if not path.exists() or path.read_text("utf-8") != text]
    for path in stale:
        if "--check" in arguments:
            print(f"{path.relative_to(ROOT.parent)} is stale: run `python -m tests.stubs`", file=sys.stderr)
        else:
            path.write_text(generated()[path], encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT.parent)}")
    return int(bool(stale) and "--check" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
