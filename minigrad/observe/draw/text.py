"""A graph as a tree of text, from the result at the top down to what it was computed from.

    ● loss = tanh                    #3
    ● b = add
    ├── a
    ● mul
    ├── a
    └── a

An op whose inputs are several ops has its smaller branches drawn to the right of it, and goes on below with the
largest. So the indentation grows with the logarithm of the number of ops, and a chain of any length stays a column.
"""

from __future__ import annotations

from ..escaping import one_line
from .diagram import Arrow, Box, Picture, amount, spoken


def text(picture: Picture) -> str:
    """The tree, one line for each op and for each use of a tensor that no op made."""
    into = picture.into()
    children = _spanning_tree(picture, into)
    sizes = _sizes(picture, children)
    lines: list[str] = []
    stack: list[tuple[str, str, bool]] = [("", key, False) for key in reversed(picture.roots)]
    while stack:
        rail, key, branches_off = stack.pop()
        if branches_off:
            lines.append(rail + "├─╮")
            rail += "│ "
        lines.append(f"{rail}● {_op(picture.boxes[key])}")
        below = sorted(children[key], key=lambda child: sizes[child])
        others = _others(into[key], below)
        for number, arrow in enumerate(others):
            last = number == len(others) - 1 and not below
            lines.append(f"{rail}{'└' if last else '├'}── {_use(arrow, picture.boxes[arrow.source])}")
        if below:
            stack.append((rail, below.pop(), False))
        stack += [(rail, child, True) for child in reversed(below)]
    return "\n".join(map(one_line, lines))


def _others(arrows: list[Arrow], below: list[str]) -> list[Arrow]:
    """The inputs that are not drawn as branches: tensors, ops drawn elsewhere, and second uses of a branch."""
    branches, others = set(below), []
    for arrow in arrows:
        if arrow.source in branches:
            branches.remove(arrow.source)
        else:
            others.append(arrow)
    return others


def _spanning_tree(picture: Picture, into: dict[str, list[Arrow]]) -> dict[str, list[str]]:
    """For each op the ops that are drawn as its branches: each op once, under the first that is met."""
    children: dict[str, list[str]] = {key: [] for key in picture.boxes}
    seen = set(picture.roots)
    stack = list(reversed(picture.roots))
    while stack:
        key = stack.pop()
        for arrow in into[key]:
            if arrow.source not in seen and picture.boxes[arrow.source].kind == "op":
                seen.add(arrow.source)
                children[key].append(arrow.source)
                stack.append(arrow.source)
    return children


def _sizes(picture: Picture, children: dict[str, list[str]]) -> dict[str, int]:
    """The number of ops in the tree below each op."""
    order: list[str] = []
    stack = list(picture.roots)
    while stack:
        key = stack.pop()
        order.append(key)
        stack += children[key]
    sizes: dict[str, int] = {}
    for key in reversed(order):
        sizes[key] = 1 + sum(sizes[child] for child in children[key])
    return sizes


def _op(box: Box) -> str:
    if box.kind != "op":
        return _tensor(box)
    parts = [f"{box.name} = {box.title}" if box.name else box.title, spoken(box.shape)]
    if box.scope:
        parts.append("in " + ".".join(each.partition(":")[0] for each in box.scope))
    if box.saved:
        parts.append(("released " if box.released else "keeps ") + ", ".join(box.saved))
    if not box.recorded:
        parts.append("not in the graph")
    parts += _numbers(box)
    if box.at is not None:
        parts.append(f"{box.at['file']}:{box.at['line']}")
    return "  ".join(part for part in [*parts, f"#{box.number}"] if part)


def _tensor(box: Box) -> str:
    parts = [box.title, spoken(box.shape), "requires grad" if box.kind == "parameter" else "", *_numbers(box)]
    return "  ".join(part for part in parts if part)


def _numbers(box: Box) -> list[str]:
    value, gradient = amount(box.value), amount(box.gradient)
    return [f"value {value}" if value else "", f"grad {gradient}" if gradient else ""]


def _use(arrow: Arrow, box: Box) -> str:
    return f"see #{box.number} {box.title}" if box.kind == "op" else _tensor(box)
