"""The table of results: one line for each ratio, with its target."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .machine import facts
from .measure import Measured, agree
from .row import Row

COLUMNS = ("work", "against", "minigrad", "theirs", "unit", "ratio", "spread", "wall", "target", "")


def lines_of(row: Row, measured: list[Measured], one_thread: bool = True) -> list[dict[str, Any]]:
    """The comparisons of one row. With one thread CPU time decides, with the default number wall time."""
    ours, *others = measured
    name = row.name if one_thread else f"{row.name}, threads"
    lines = []
    for other in others:
        line: dict[str, Any] = {"work": name, "what": row.what, "against": other.side, "unit": row.unit}
        line["target"] = row.targets.get(other.side)
        if ours.missing or other.missing:
            line["note"] = f"not measured: {ours.missing or other.missing}"
        else:
            line |= compared(ours, other, not one_thread)
            if row.agree and not agree(ours.results, other.results):
                line["note"] = f"results differ: {ours.results} and {other.results}"
            elif line["target"] is not None:
                line["reached"] = line["ratio"] <= line["target"]
                line["held"] = sum(ratio <= line["target"] for ratio in line["ratios"])
        lines.append(line)
    return lines


def compared(ours: Measured, other: Measured, wall: bool) -> dict[str, Any]:
    """Medians, their ratio, and the ratio in each round, whose middle half is the spread."""
    ratios = [mine / theirs for mine, theirs in zip(ours.turns(wall), other.turns(wall), strict=False)]
    low, _, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
    return {
        "minigrad": ours.median(wall),
        "theirs": other.median(wall),
        "ratio": ours.median(wall) / other.median(wall),
        "wall": ours.median(True) / other.median(True),
        "spread": [low, high],
        "ratios": ratios,
        "runs": [sum(map(len, side.rounds)) for side in (ours, other)],
    }


def cells(line: dict[str, Any]) -> tuple[str, ...]:
    """A line as text, column by column."""
    if "ratio" not in line:
        return (line["work"], line["against"], "", "", line["unit"], "", "", "", _number(line["target"]), line["note"])
    verdict = line.get("note") or {True: "reached", False: "missed", None: ""}[line.get("reached")]
    if "held" in line:
        verdict += f", held in {line['held']} of {len(line['ratios'])} rounds"
    numbers = (_number(line["minigrad"]), _number(line["theirs"]))
    return (
        line["work"],
        line["against"],
        *numbers,
        line["unit"],
        f"{line['ratio']:.2f}",
        "{:.2f} to {:.2f}".format(*line["spread"]),
        f"{line['wall']:.2f}",
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
        table.add_column(column, justify="left" if column in ("work", "against", "unit", "") else "right")
    for row in rows:
        table.add_row(*row, style="red" if row[-1].startswith("missed") else "")
    Console(width=None if sys.stdout.isatty() else 140).print(table)


def save(lines: list[dict[str, Any]], path: Path) -> dict[str, Any]:
    """Write the lines, and what they were measured on, as JSON. Returns what was written."""
    found = {"measured_on": facts(), "rows": lines}
    path.write_text(json.dumps(found, indent=1) + "\n")
    return found
