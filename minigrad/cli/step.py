"""`--step`: walk through backward in the terminal, node by node, with the numbers put into the formulas.

A `Walk` reads the same records as the explorer. They arrive in another thread, which only stores them. In the
program's own thread, `walking` prints them and waits for Enter whenever the engine enters a node.
"""

from __future__ import annotations

import base64
import contextlib
import struct
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..observe.explain.formula import plain
from .console import BLUE, GREEN, ORANGE, out
from .substitution import ARRIVED, put_in, short

Record = Mapping[str, Any]

LETTERS = {"exponent": "p", "start": "a", "end": "b", "weight": "w", "value": "v", "input": "x"}
"""The symbols in formulas for inputs whose names are words."""

CONTINUE = {"c", "continue"}


@contextlib.contextmanager
def walking(walk: Walk, flush: Callable[[], None]) -> Iterator[None]:
    """Print records as a walk while the block runs. `flush` makes the recorder deliver all its records."""
    from minigrad import events

    def listen(event: Any) -> None:
        if isinstance(event, (events.NodeEntered, events.BackwardFinished)):
            flush()
            walk.tell()

    out().print("Enter: the next node. c and Enter: on to the end.", style="dim")
    with events.listening(listen):
        yield


def ask() -> Callable[[str], str] | None:
    """A function that asks the user for a line; None if there is no user at the terminal."""
    return input if sys.stdin.isatty() else None


class Walk:
    """A sink that prints records one by one, as a walk. `ask` returns what was typed, or None without a terminal."""

    def __init__(self, ask: Callable[[str], str] | None) -> None:
        self.ask = ask
        self.came: deque[Record] = deque()
        self.nodes: dict[int, Record] = {}
        self.tensors: dict[int, Record] = {}
        self.numbers: dict[int, float] = {}
        self.arrived: dict[int, float] = {}

    def send(self, record: Record) -> None:
        """Keep a record until it is printed."""
        self.came.append(record)

    def close(self) -> None:
        """Nothing to do."""

    def tell(self) -> None:
        """Print all records that have arrived."""
        while self.came:
            record = self.came.popleft()
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
        if value is not None and not record.get("grad"):
            self.numbers[record["tensor"]] = value

    def _node(self, record: Record) -> None:
        self.nodes[record["id"]] = record
        for output in record["outputs"]:
            self._tensor(output)

    # Backward

    def _backward_started(self, record: Record) -> None:
        out().print(f"\n[bold]backward[/]{_line(record)}")

    def _node_entered(self, record: Record) -> None:
        from rich.text import Text

        node = self.nodes.get(record["node"])
        if node is None:
            return
        self._wait()
        arrived = single(record["grads"][0]) if record["grads"] else None
        if arrived is not None:
            self.arrived[node["id"]] = arrived
        grads = [_shown(each) for each in record["grads"]]
        written = (node.get("at") or {}).get("code", "")
        out().print(Text.assemble((f"{node['op']:<9}", "bold"), (f" {written}", "dim")))
        out().print(Text.assemble("  result    ", self._with_numbers(node, node["formula"], BLUE, self._result(node))))
        out().print(Text.assemble("  arrived   ", (f"ȳ = {', '.join(grads)}", ORANGE)))

    def _wait(self) -> None:
        """Wait until the user wants to go on. The end of the input means to go on to the end."""
        if self.ask is None:
            return
        try:
            typed = self.ask("")
        except EOFError:
            typed = "continue"
        if typed.strip().lower() in CONTINUE:
            self.ask = None

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
            out().print(f"    [{GREEN}]{name}.grad = {short(total)}[/]")
        else:
            added = f"({short(came)})" if came < 0 else short(came)
            out().print(f"    [{GREEN}]{name}.grad = {short(total - came)} + {added} = {short(total)}[/]")

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
        """``tanh x = tanh 0.05 = 0.04996``, as far as the numbers are known."""
        from rich.text import Text

        steps = [plain(formula), put_in(formula, self._known(node)) if node.get("elementwise") else None, result]
        said = [each for i, each in enumerate(steps) if each and each not in steps[i + 1 :]]
        between = "   →   " if "=" in said[0] else " = "
        return Text(between.join(said), colour)

    def _known(self, node: Record) -> dict[str, float]:
        """The numbers for the letters of this node's formulas, where the value is a single number."""
        known: dict[str, float | None] = {ARRIVED: self.arrived.get(node["id"])}
        for each in node["inputs"]:
            constant = each.get("constant")
            known[each["name"]] = self.numbers.get(each["tensor"]) if constant is None else _number(constant)
        known["y"] = self.numbers.get(node["outputs"][0]["id"])
        known.update({name: _number(value) for name, value in node["params"].items()})
        found = {name: value for name, value in known.items() if value is not None}
        return found | {
            letter: found[name] for name, letter in LETTERS.items() if name in found and letter not in found
        }


def single(value: Record | None) -> float | None:
    """The number in a value of one element, else None."""
    if value is None or value.get("kind") != "full" or value.get("rows") != 1 or value.get("cols") != 1:
        return None
    return float(struct.unpack("<f", base64.b64decode(value["data"]))[0])


def _shown(value: Record | None, shape: Any = None) -> str:
    one = single(value)
    if one is not None:
        return short(one)
    if value is not None and value.get("norm") is not None:
        return f"a tensor{'' if shape is None else f' {list(shape)}'} of norm {short(value['norm'])}"
    return "none" if value is None else "a tensor"


def _number(value: Any) -> float | None:
    try:
        return None if value is None or isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return None


def _line(record: Record) -> str:
    place = record.get("at") or {}
    return f" in line {place['line']}" if place else ""
