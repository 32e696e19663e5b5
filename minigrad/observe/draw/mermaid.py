"""A graph as Mermaid text, which GitHub, GitLab and many note-taking programs can draw."""

from __future__ import annotations

from ..escaping import in_mermaid
from .diagram import Box, Picture, spoken
from .palette import ACCUMULATED, INK, PAPER, SAVED, VALUE

_CLASSES = (
    f"classDef op fill:{PAPER},stroke:{VALUE},color:{INK},stroke-width:1.5px",
    f"classDef parameter fill:#eaf6f1,stroke:{ACCUMULATED},color:{INK},stroke-width:1.5px",
    f"classDef constant fill:#f6f6f4,stroke:#9a9a94,color:{INK}",
    f"classDef keeps fill:#f4eefa,stroke:{SAVED},color:{INK},stroke-width:1.5px",
)


def mermaid(picture: Picture) -> str:
    """A flowchart from the inputs down to the result; ops that keep tensors for backward are violet."""
    names = {key: f"b{number}" for number, key in enumerate(picture.boxes)}
    lines = ["flowchart TD"]
    open_scopes: tuple[str, ...] = ()
    for box in picture.ordered():
        open_scopes = _move(lines, open_scopes, box.scope, len(lines))
        lines.append("  " * (len(open_scopes) + 1) + _box(names[box.key], box))
    _move(lines, open_scopes, (), 0)
    for arrow in picture.arrows:
        line = "-->" if arrow.carries_gradient else "-.->"
        label = f"|{in_mermaid(spoken(arrow.shape))}|" if arrow.shape else ""
        lines.append(f"  {names[arrow.source]} {line}{label} {names[arrow.target]}")
    return "\n".join([*lines, *("  " + each for each in _CLASSES)])


def _move(lines: list[str], now: tuple[str, ...], wanted: tuple[str, ...], number: int) -> tuple[str, ...]:
    """Close and open subgraphs until those of `wanted` are open. `number` makes their names unique."""
    common = 0
    while common < min(len(now), len(wanted)) and now[common] == wanted[common]:
        common += 1
    lines += ["  " * depth + "end" for depth in range(len(now), common, -1)]
    for depth in range(common, len(wanted)):
        name, _, kind = wanted[depth].partition(":")
        lines.append("  " * (depth + 1) + f'subgraph s{number}_{depth} ["{in_mermaid(f"{name} {kind}".strip())}"]')
    return wanted


def _box(name: str, box: Box) -> str:
    parts = [
        f"<b>{in_mermaid(box.title)}</b>",
        in_mermaid(box.name) if box.kind == "op" else "",
        in_mermaid(spoken(box.shape)),
    ]
    label = "<br/>".join(part for part in parts if part)
    kind = "keeps" if box.kind == "op" and box.saved and not box.released else box.kind
    return f'{name}["{label}"]:::{kind}' if box.kind == "op" else f'{name}(["{label}"]):::{kind}'
