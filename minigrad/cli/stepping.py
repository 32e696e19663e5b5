"""`--step`: walk through backward in the terminal, node by node, with the numbers put into the formulas.

A `Walk` reads the same records as the explorer. At every node of a backward it waits for Enter.
"""

from __future__ import annotations

import base64
import re
import struct
from collections.abc import Callable, Mapping
from typing import Any

from .console import BLUE, GREEN, ORANGE, number, out
from .formula import plain

Record = Mapping[str, Any]

LETTER = re.compile("[A-Za-z\u0391-\u03c9\u00d8-\u00f6\u00f8-\u024f]+\u0304?")
"""A name in a formula: x, ȳ, x̄, tanh."""

CONTINUE = {"c", "continue"}


class Walk:
    """A sink of records that tells them as a walk. `ask` returns what was typed; None where nobody can type."""

    def __init__(self, ask: Callable[[str], str] | None) -> None:
        self.ask = ask
        self.nodes: dict[int, Record] = {}
        self.tensors: dict[int, Record] = {}
        self.numbers: dict[int, float] = {}
        self.arrived: dict[int, str] = {}

    def __call__(self, record: Record) -> None:
        heard = getattr(self, f"_{record['type']}", None)
        if heard is not None:
            heard(record)

    # Forward

    def _tensor(self, record: Record) -> None:
        self.tensors[record["id"]] = record
        value = single(record.get("value"))
        if value is not None:
            self.numbers[record["id"]] = value

    def _mutated(self, record: Record) -> None:
        value = single(record.get("value"))
        if value is not None:
            self.numbers[record["tensor"]] = value

    def _node(self, record: Record) -> None:
        self.nodes[record["id"]] = record
        for output in record["outputs"]:
            self._tensor(output)

    # Backward

    def _backward_started(self, record: Record) -> None:
        line = _line(record)
        out().print(f"\n[bold]backward[/] {line}: from the result back to the leaves, each node when all its gradients have come")

    def _node_entered(self, record: Record) -> None:
        from rich.text import Text

        node = self.nodes.get(record["node"])
        if node is None:
            return
        if self.ask is not None and self.ask("").strip().lower() in CONTINUE:
            self.ask = None
        grads = [_shown(each) for each in record["grads"]]
        self.arrived[node["id"]] = grads[0] if grads else "?"
        written = (node.get("at") or {}).get("code", "")
        out().print(Text.assemble((f"{node['op']:<9}", "bold"), (f" {written}", "dim")))
        out().print(Text.assemble("  result    ", self._with_numbers(node, node["formula"], BLUE, self._result(node))))
        out().print(Text.assemble("  arrived   ", (f"ȳ = {', '.join(grads)}", ORANGE)))

    def _grad_computed(self, record: Record) -> None:
        from rich.text import Text

        node = self.nodes.get(record["node"])
        if node is None:
            return
        formula = node["gradients"].get(record["input"], "")
        goal = self._goal(record)
        sends = self._with_numbers(node, formula, ORANGE, _shown(record.get("value"), record["shape"]))
        out().print(Text.assemble(f"  to {goal:<7}", sends))

    def _grad_accumulated(self, record: Record) -> None:
        if record.get("leaf") is None:
            return
        total, came = single(record.get("total")), single(record.get("contribution"))
        name = self._name(record["leaf"])
        if total is None or came is None:
            out().print(f"    [{GREEN}]{name}.grad[/] took contribution {record['count']}")
        elif record["count"] == 1 and abs(total - came) < 1e-12:
            out().print(f"    [{GREEN}]{name}.grad = {number(total)}[/]")
        else:
            out().print(f"    [{GREEN}]{name}.grad = {number(total - came)} + {number(came)} = {number(total)}[/]")

    # Words

    def _goal(self, record: Record) -> str:
        if record.get("to_leaf") is not None:
            return self._name(record["to_leaf"])
        target = self.nodes.get(record.get("to_node") or -1)
        return str(target["op"]) if target is not None else "?"

    def _name(self, tensor: int) -> str:
        return (self.tensors.get(tensor) or {}).get("name") or f"tensor {tensor}"

    def _result(self, node: Record) -> str:
        first = node["outputs"][0]
        return _shown(first.get("value"), first["shape"])

    def _with_numbers(self, node: Record, formula: str, colour: str, result: str) -> Any:
        """``y = tanh x = tanh 0.05 = 0.04996``, as far as it can be said."""
        from rich.text import Text

        text = plain(formula)
        filled = put_in(text, self._known(node))
        steps = [text] if text else []
        if filled not in (text, result):
            steps.append(filled)
        return Text.assemble((" = ".join([*steps, result]), colour))

    def _known(self, node: Record) -> dict[str, str]:
        """What the letters of this node's formulas stand for, where that is one number."""
        known = {}
        for each in node["inputs"]:
            value = self.numbers.get(each["tensor"]) if each.get("tensor") is not None else _constant(each.get("constant"))
            if value is not None:
                known[each["name"]] = number(value)
        value = self.numbers.get(node["outputs"][0]["id"])
        if value is not None:
            known["y"] = number(value)
        if node["id"] in self.arrived:
            known["ȳ"] = self.arrived[node["id"]]
        known.update({plain("\\" + name): str(value) for name, value in node["params"].items() if _is_number(value)})
        return known


def put_in(formula: str, known: Mapping[str, str]) -> str:
    """The formula with numbers for letters.

    >>> put_in("ȳ ⊙ (1 - y²)", {"ȳ": "0.5000", "y": "-0.2000"})
    '0.5000 × (1 - (-0.2000)²)'
    """

    def number_for(match: re.Match[str]) -> str:
        text = known.get(match[0])
        if text is None:
            return match[0]
        alone = match.start() == 0 and formula[match.end() : match.end() + 1] in ("", " ")
        return f"({text})" if text.startswith("-") and not alone else text

    filled = LETTER.sub(number_for, formula)
    return filled if filled == formula else filled.replace("⊙", "×").replace("⊘", "/")


def single(value: Record | None) -> float | None:
    """The number in a value of one element."""
    if value is None or value.get("kind") != "full" or value.get("rows") != 1 or value.get("cols") != 1:
        return None
    return float(struct.unpack("<f", base64.b64decode(value["data"]))[0])


def _shown(value: Record | None, shape: Any = None) -> str:
    one = single(value)
    if one is not None:
        return number(one)
    if value is not None and value.get("norm") is not None:
        return f"a tensor{'' if shape is None else f' {list(shape)}'} of norm {number(value['norm'])}"
    return "none" if value is None else "a tensor"


def _constant(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _line(record: Record) -> str:
    place = record.get("at") or {}
    return f"in line {place['line']}" if place else ""
