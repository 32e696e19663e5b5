"""``python -m benchmarks [row ...]``: measure these rows, or all; print the table, write it as JSON, and draw it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .measure import measure
from .picture import PICTURE, picture
from .table import lines_of, save, show
from .workloads import ROWS


def main() -> int:
    names = ", ".join(row.name for row in ROWS)
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="minigrad beside its peers, as ratios")
    parser.add_argument("rows", nargs="*", help=f"which rows to measure: {names}; all where none is named")
    parser.add_argument("--seconds", type=float, default=0.15, help="how long a side's turn is (default 0.15)")
    parser.add_argument(
        "--threads",
        choices=("one", "default", "both"),
        default="both",
        help="with one thread, or with as many as the machine has where that matters (default: both)",
    )
    parser.add_argument("--json", type=Path, default=Path("benchmarks.json"), help="where to write the figures")
    parser.add_argument("--picture", type=Path, help=f"where to draw them; {PICTURE.name} where all rows are measured")
    parser.add_argument("--strict", action="store_true", help="fail where a target is missed")
    options = parser.parse_args()
    unknown = set(options.rows) - {row.name for row in ROWS}
    if unknown:
        parser.error(f"no row is called {', '.join(sorted(unknown))}; there are {names}")
    lines = []
    for row in ROWS:
        if not options.rows or row.name in options.rows:
            print(f"{row.name}: {row.what}", file=sys.stderr, flush=True)
            for one_thread in (True, False):
                if options.threads in ("both", "one" if one_thread else "default") and (one_thread or row.threaded):
                    lines += lines_of(row, measure(row, options.seconds, one_thread), one_thread)
    show(lines)
    found = save(lines, options.json)
    drawn = options.picture or (None if options.rows else PICTURE)
    if drawn is not None:
        drawn.write_text(picture(found))
        print(f"drawn: {drawn}")
    print("The explorer's own targets: python -m benchmarks.server (its server), make bench-ui (the page).")
    return int(
        options.strict and any(line.get("reached") is False or "results" in line.get("note", "") for line in lines)
    )


if __name__ == "__main__":
    sys.exit(main())
