"""``python -m benchmarks.notes benchmarks.json [...]``: put the figures of a run into NOTES.md, between its two marks.

With several files, rows of later ones replace those of earlier ones, so that a few rows can be measured again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .workloads import find

NOTES = Path(__file__).with_name("NOTES.md")
BEGIN, END = "<!-- figures: written by python -m benchmarks.notes -->", "<!-- end of figures -->"
HEAD = (
    "| row | against | here | there | ratio | middle half | wall | target | held in rounds |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
)


def merged(runs: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Merge runs: the machine of the last one, and for each row its latest figures, with the current target."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    found: dict[str, Any] = {}
    for run in runs:
        found = run["measured_on"]
        for line in run["rows"]:
            if "ratio" in line:
                target = find(line["work"].removesuffix(", threads")).targets.get(line["against"])
                rows[line["work"], line["against"]] = {**line, "target": target}
    return {"measured_on": found, "rows": list(rows.values())}


def table(run: dict[str, Any]) -> str:
    """The lines that have a target, as a Markdown table, and the machine that they were measured on."""
    on = run["measured_on"]
    packages = ", ".join(f"{name} {version}" for name, version in on["packages"].items() if version)
    where = f"{on['day']}, {on['processor']}, {on['cores']} cores, Python {on['python']} ({on['build']}), {packages}."
    lines = [line for line in run["rows"] if line["target"] is not None]
    reached = sum(line["ratio"] <= line["target"] for line in lines)
    return "\n".join([where, "", f"{reached} of {len(lines)} targets reached.", "", HEAD, *map(_row, lines)])


def _row(line: dict[str, Any]) -> str:
    ratio, target = f"{line['ratio']:.2f}", line["target"]
    if line["ratio"] > target:
        ratio = f"**{ratio}**"
    low, high = line["spread"]
    held = sum(each <= target for each in line["ratios"])
    cells = (
        line["work"],
        line["against"],
        f"{line['minigrad']:.4g} {line['unit']}",
        f"{line['theirs']:.4g}",
        ratio,
        f"{low:.2f} to {high:.2f}",
        f"{line['wall']:.2f}",
        f"{target:g}",
        f"{held} of {len(line['ratios'])}",
    )
    return f"| {' | '.join(cells)} |"


def put(text: str, figures: str) -> str:
    """`text` with these figures between the marks.

    >>> put(f"before\\n{BEGIN}\\nold\\n{END}\\nafter", "new") == f"before\\n{BEGIN}\\n\\nnew\\n\\n{END}\\nafter"
    True
    """
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{figures}\n\n{END}{rest.partition(END)[2]}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.notes", description="put a run's figures into NOTES.md")
    parser.add_argument("runs", nargs="+", type=Path, help="what `python -m benchmarks` wrote, older runs first")
    figures = table(merged(json.loads(path.read_text()) for path in parser.parse_args().runs))
    NOTES.write_text(put(NOTES.read_text(), figures))


if __name__ == "__main__":
    main()
