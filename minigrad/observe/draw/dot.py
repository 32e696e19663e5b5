"""A graph as Graphviz' DOT: cards for ops, pills for tensors, modules as frames around what runs in them.

With `twins`, each card has two halves, for values and for gradients, and a second, orange arrow runs against
each blue one.
"""

from __future__ import annotations

from typing import Any

from ..escaping import Html, in_html
from .diagram import Arrow, Box, Picture, amount, spoken
from .palette import ACCUMULATED, GRADIENT, INK, PAPER, QUIET, RULE, SAVED, VALUE

FONT = "Helvetica, Arial, sans-serif"

_HEAD = f"""\
digraph minigrad {{
  graph [bgcolor="transparent", rankdir=TB, nodesep=0.35, ranksep=0.42, fontname="{FONT}", fontsize=10,
         fontcolor="{QUIET}", pad=0.25]
  node [shape=plain, fontname="{FONT}", fontsize=11, fontcolor="{INK}"]
  edge [color="{VALUE}", penwidth=1.3, arrowsize=0.65, fontname="{FONT}", fontsize=9, fontcolor="{QUIET}"]
"""


def dot(picture: Picture, twins: bool = False) -> str:
    """The DOT text, from which Graphviz makes SVG, PNG or PDF."""
    names = {key: f"b{number}" for number, key in enumerate(picture.boxes)}
    root: dict[str, Any] = {}
    for box in picture.ordered():
        place = root
        for scope in filter(None, box.scope):
            place = place.setdefault(scope, {})
        place.setdefault("", []).append(box)
    lines = [_HEAD]
    _frames(lines, root, names, twins)
    for arrow in picture.arrows:
        lines += _arrows(arrow, names, picture.boxes[arrow.target], twins)
    return "\n".join([*lines, "}\n"])


def _frames(lines: list[str], root: dict[str, Any], names: dict[str, str], twins: bool) -> None:
    """Add the boxes and the nested frames around them to `lines`."""
    stack: list[Any] = [("open", "", root)]
    number = 0
    while stack:
        what, title, place = stack.pop()
        if what == "close":
            lines.append("  }")
            continue
        if title:
            number += 1
            name, _, kind = title.partition(":")
            lines.append(
                f'  subgraph cluster_{number} {{ style="rounded"; color="{RULE}"; labeljust=l; margin=12;\n'
                f"    label=<<B>{in_html(name)}</B> {in_html(kind)}>"
            )
        lines += [f"  {names[box.key]} [label={_card(box, twins) if box.kind == 'op' else _pill(box, twins)}]"
                  for box in place.get("", ())]  # fmt: skip
        if title:
            stack.append(("close", "", None))
        stack += [("open", scope, inner) for scope, inner in place.items() if scope]


def _card(box: Box, twins: bool) -> Html:
    """The card of an op: its name and notation; below, its output; in violet, the tensors that it saves."""
    detail = f' <FONT COLOR="{QUIET}">{in_html(box.detail)}</FONT>' if box.detail.lower() != box.title.lower() else ""
    number = f'<FONT POINT-SIZE="8" COLOR="{QUIET}">{in_html(f"#{box.number}")}</FONT>'
    rows = [f'<TR><TD ALIGN="LEFT" COLSPAN="2"><B>{in_html(box.title)}</B>{detail}  {number}</TD></TR>']
    out = " ".join(part for part in (box.name, spoken(box.shape)) if part)
    forward = "  ".join(part for part in (out, amount(box.value)) if part)
    if twins:
        back = amount(box.gradient) or "not yet"
        rows.append(f"<TR>{_half(forward or ' ', VALUE)}{_half(back, GRADIENT if box.gradient else QUIET)}</TR>")
    elif forward:
        rows.append(f'<TR><TD ALIGN="LEFT" COLSPAN="2"><FONT COLOR="{VALUE}">{in_html(forward)}</FONT></TD></TR>')
    if box.saved:
        colour = QUIET if box.released else SAVED
        word = "released" if box.released else "keeps"
        saved = in_html(", ".join(box.saved))
        font = f'<FONT POINT-SIZE="9" COLOR="{colour}">{word} {saved}</FONT>'
        rows.append(f'<TR><TD ALIGN="LEFT" COLSPAN="2">{font}</TD></TR>')
    return _table(rows, VALUE if box.recorded else QUIET, PAPER)


def _half(text: str, colour: str) -> str:
    return f'<TD ALIGN="LEFT" BORDER="1" COLOR="{RULE}"><FONT COLOR="{colour}">{in_html(text)}</FONT></TD>'


def _pill(box: Box, twins: bool) -> Html:
    wants = box.kind == "parameter"
    rows = [f"<TR><TD><B>{in_html(box.title)}</B></TD></TR>"]
    value = "  ".join(part for part in (spoken(box.shape), amount(box.value)) if part)
    if value:
        rows.append(f'<TR><TD><FONT COLOR="{QUIET}">{in_html(value)}</FONT></TD></TR>')
    if wants and (box.gradient or twins):
        grad = f"grad {amount(box.gradient)}" if box.gradient else "grad None"
        rows.append(f'<TR><TD><FONT COLOR="{ACCUMULATED if box.gradient else QUIET}">{in_html(grad)}</FONT></TD></TR>')
    return _table(rows, ACCUMULATED if wants else "#b5b5ae", "#f1f9f6" if wants else "#f6f6f4")


def _table(rows: list[str], edge: str, ground: str) -> Html:
    return Html(
        f'<<TABLE BORDER="1" CELLBORDER="0" CELLSPACING="2" CELLPADDING="3" STYLE="ROUNDED" COLOR="{edge}" '
        f'BGCOLOR="{ground}">{"".join(rows)}</TABLE>>'
    )


def _arrows(arrow: Arrow, names: dict[str, str], target: Box, twins: bool) -> list[str]:
    source, sink = names[arrow.source], names[arrow.target]
    label = f'label=" {in_html(spoken(arrow.shape))}"' if arrow.shape else ""
    style = "" if arrow.carries_gradient else f'color="#b5b5ae", style=dashed{", " if label else ""}'
    lines = [f"  {source} -> {sink} [{style}{label}]"]
    if twins and arrow.carries_gradient and target.gradient is not None:
        lines.append(f'  {sink} -> {source} [color="{GRADIENT}", constraint=false]')
    return lines
