"""The table: one line for each ratio, with what was hoped for."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .machine import facts
from .measure import Measured, agree
from .row import Row

COLUMNS = ("work", "against", "minigrad", "theirs", "unit", "ratio", "target", "")


def lines_of(row: Row, measured: list[Measured]) -> list[dict[str, Any]]:
    """The comparisons of one row."""
    ours, *others = measured
    lines = []
    for other in others:
        line: dict[str, Any] = {"work": row.name, "what": row.what, "against": other.side, "unit": row.unit}
        line["target"] = row.targets.get(other.side)
        if ours.missing or other.missing:
            line["note"] = f"not measured: {ours.missing or other.missing}"
        else:
            line |= {"minigrad": ours.median, "theirs": other.median, "ratio": ours.median / other.median}
            line["runs"] = [len(ours.costs), len(other.costs)]
            if row.agree and not agree(ours.results, other.results):
                line["note"] = f"results differ: {ours.results} and {other.results}"
            elif line["target"] is not None:
                line["reached"] = line["ratio"] <= line["target"]
        lines.append(line)
    return lines


def cells(line: dict[str, Any]) -> tuple[str, ...]:
    """A line as text, column by column."""
    if "ratio" not in line:
        return (line["work"], line["against"], "", "", line["unit"], "", _number(line["target"]), line["note"])
    verdict = line.get("note") or {True: "reached", False: "missed", None: ""}[line.get("reached")]
    numbers = (_number(line["minigrad"]), _number(line["theirs"]))
    return (
        line["work"],
        line["against"],
        *numbers,
        line["unit"],
        f"{line['ratio']:.2f}",
        _number(line["target"]),
        verdict,
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def show(lines: Iterable[dict[str, Any]]) -> None:
    """Print the table, with Rich where it is installed."""
    rows = [cells(line) for line in lines]
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        widths = [max(len(row[i]) for row in [COLUMNS, *rows]) for i in range(len(COLUMNS))]
        for row in [COLUMNS, *rows]:
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        return
    table = Table(title="minigrad / other, medians")
    for column in COLUMNS:
        table.add_column(column, justify="right" if column in ("minigrad", "theirs", "ratio", "target") else "left")
    for row in rows:
        colour = {"missed": "red", "reached": "green"}.get(row[-1], "")
        table.add_row(*row, style=colour if row[-1] == "missed" else "")
    Console(width=None if sys.stdout.isatty() else 110).print(table)


def save(lines: list[dict[str, Any]], path: Path) -> dict[str, Any]:
    """Write the lines, and what they were measured on, as JSON. Returns what was written."""
    found = {"measured_on": facts(), "rows": lines}
    path.write_text(json.dumps(found, indent=1) + "\n")
    return found
