"""`minigrad ops`: print the reference of all ops, from their docstrings."""

from __future__ import annotations

import json
from difflib import get_close_matches
from typing import Annotated, Any

import typer

from .console import BLUE, ORANGE, Problem, out


def ops(
    name: Annotated[str | None, typer.Argument(help="One op, or a part of its name.", show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, with the formulas in LaTeX.")] = False,
) -> None:
    """List the ops: what each computes, and the gradient of each of its inputs."""
    from minigrad.observe.explain.op_reference import described

    chosen = [described(op) for op in _chosen(name)]
    if as_json:
        print(json.dumps(chosen, indent=1))
    elif name is not None and len(chosen) == 1:
        _card(chosen[0])
    else:
        _table(chosen)


def _chosen(name: str | None) -> list[Any]:
    from minigrad.observe.explain.op_reference import every_op

    ours = every_op()
    if name is None:
        return list(ours.values())
    exact = [op for each, op in ours.items() if each.lower() == name.lower()]
    found = exact or [op for each, op in ours.items() if name.lower() in each.lower()]
    if not found:
        near = get_close_matches(name.lower(), [each.lower() for each in ours], n=3)
        meant = [each for each in ours if each.lower() in near]
        raise Problem(
            f"There is no op called {name!r}. "
            + (f"Did you mean {', '.join(meant)}?" if meant else "All: minigrad ops")
        )
    return found


def _table(chosen: list[dict[str, Any]]) -> None:
    from rich.table import Table
    from rich.text import Text

    from minigrad.observe.explain.formula import plain

    table = Table(
        box=None, pad_edge=False, header_style="bold", row_styles=("", "on grey7") if out().is_terminal else ()
    )
    table.add_column("Op", no_wrap=True, style="bold")
    table.add_column("Result", style=BLUE)
    table.add_column("Gradients", style=ORANGE)
    for op in chosen:
        gradients = "\n".join(f"{each}: {plain(text)}" for each, text in op["gradients"].items())
        table.add_row(op["name"], Text(plain(op["formula"])), Text(gradients))
    out().print(table)
    out().print(f"\n{len(chosen)} ops. One of them: minigrad ops {chosen[0]['name']}", style="dim")


def _card(op: dict[str, Any]) -> None:
    from rich.padding import Padding
    from rich.text import Text

    from minigrad.observe.explain.formula import plain

    given = ", ".join((*op["inputs"], *(f"{each}=…" for each in op["settings"])))
    out().print(Text.assemble((op["name"], "bold"), (f"({given})", "dim")))
    out().print(Padding(Text(op["about"]), (0, 0, 1, 2)))
    if op["formula"]:
        out().print(Text.assemble("  result      ", (plain(op["formula"]), BLUE)))
    for each, text in op["gradients"].items():
        out().print(Text.assemble(f"  grad {each:<6} ", (plain(text), ORANGE)))
    if not op["gradients"]:
        out().print("  no gradient")
    if op["view"]:
        out().print("  The result looks into the memory of its input.", style="dim")
