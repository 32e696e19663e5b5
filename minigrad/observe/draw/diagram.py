"""A graph as boxes and arrows, whatever it was made from: a living tensor, or the records of one step.

The three ways of drawing it (`draw_dot`, `draw_text`, `draw_mermaid`) start from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from ...errors import ArgumentError
from ..record.description import facts, input_names, leaf_of, op_name, place_in_graph, saved_tensors, snake
from ..source.naming import tensor_in

Record = dict[str, Any]


@dataclass
class Box:
    """An op, or a tensor that no op of the graph made. ``shape`` is that of what comes out."""

    key: str
    kind: str
    """op, parameter (wants a gradient), or constant"""
    title: str
    name: str = ""
    shape: tuple[int, ...] | None = None
    detail: str = ""
    number: int | None = None
    value: Record | None = None
    gradient: Record | None = None
    saved: list[str] = field(default_factory=list)
    released: bool = False
    scope: tuple[str, ...] = ()
    recorded: bool = True
    at: Record | None = None


@dataclass(frozen=True)
class Arrow:
    """What flows from one box into another, as the input of that name."""

    source: str
    target: str
    name: str = ""
    shape: tuple[int, ...] | None = None
    carries_gradient: bool = True


@dataclass
class Picture:
    """All boxes, in the order in which they came to be, and the arrows between them."""

    boxes: dict[str, Box] = field(default_factory=dict)
    arrows: list[Arrow] = field(default_factory=list)
    roots: list[str] = field(default_factory=list)

    def ordered(self) -> list[Box]:
        """What no op made, then the ops in the order in which they ran."""
        return sorted(self.boxes.values(), key=lambda box: box.kind == "op")

    def into(self) -> dict[str, list[Arrow]]:
        """The arrows that lead into each box."""
        found: dict[str, list[Arrow]] = {key: [] for key in self.boxes}
        for arrow in self.arrows:
            found[arrow.target].append(arrow)
        return found

    def find_roots(self) -> None:
        """The boxes whose result nobody uses."""
        used = {arrow.source for arrow in self.arrows}
        self.roots = [key for key, box in self.boxes.items() if key not in used and box.kind == "op"]
        self.roots = self.roots or list(self.boxes)[-1:]


# From a living tensor -------------------------------------------------------------------------------------------------


def of_tensors(tensors: Sequence[Any], frame: FrameType | None = None) -> Picture:
    """The graph that leads to `tensors`, with the names that `frame` knows."""
    picture = Picture()
    nodes = _reachable(tensors)
    for number, node in enumerate(nodes, 1):
        kind = type(node)
        box = Box(f"n{id(node)}", "op", op_name(kind), number=number, detail=snake(op_name(kind)))
        box.saved = [name for name, _, _ in saved_tensors(node)]
        box.released = getattr(node, "saved", ()) is None
        picture.boxes[box.key] = box
        for index, (name, edge) in enumerate(zip(input_names(node, len(node.edges)), node.edges, strict=True)):
            if edge is None:
                continue
            leaf = leaf_of(edge[0])
            source = f"n{id(edge[0])}" if leaf is None else _leaf_box(picture, leaf, frame)
            picture.arrows.append(Arrow(source, box.key, name, _shape_of_input(node, index, name, leaf)))
    for tensor in tensors:
        edge = place_in_graph(tensor)
        key = _leaf_box(picture, tensor, frame) if edge is None else f"n{id(edge[0])}"
        box = picture.boxes[key]
        box.name = box.name or tensor_in(frame, tensor) or ""
        box.shape = tuple(facts(tensor)["shape"])
        picture.roots.append(key)
    picture.roots = list(dict.fromkeys(picture.roots))
    return picture


def _reachable(tensors: Sequence[Any]) -> list[Any]:
    """All nodes that lead to `tensors`, in the order in which they were made."""
    found: dict[int, Any] = {}
    stack = [edge[0] for tensor in tensors if (edge := place_in_graph(tensor)) is not None]
    while stack:
        node = stack.pop()
        if id(node) not in found and leaf_of(node) is None:
            found[id(node)] = node
            stack.extend(edge[0] for edge in node.edges if edge is not None)
    return sorted(found.values(), key=lambda node: node.seq)


def _leaf_box(picture: Picture, leaf: Any, frame: FrameType | None) -> str:
    key = f"t{id(leaf)}"
    if key not in picture.boxes:
        known = facts(leaf)
        name = tensor_in(frame, leaf) or ""
        kind = "parameter" if known["requires_grad"] else "constant"
        title = name or ("leaf" if known["requires_grad"] else "tensor")
        box = Box(key, kind, title, name, tuple(known["shape"]))
        picture.boxes[key] = box
    return key


def _shape_of_input(node: Any, index: int, name: str, leaf: Any) -> tuple[int, ...] | None:
    """Known for leaves, for what was saved, and where a gradient must be fitted."""
    if leaf is not None:
        return tuple(facts(leaf)["shape"])
    metas = getattr(node, "metas", None)
    if metas is not None and index < len(metas) and metas[index] is not None:
        return tuple(metas[index][0])
    kept = {saved: value for saved, value, _ in saved_tensors(node)}
    return tuple(kept[name]._array.shape) if name in kept else None


# From records ---------------------------------------------------------------------------------------------------------


def of_records(records: Iterable[Record], step: int | None = None) -> Picture:
    """The graph of one step: the given one, or the last in which an op ran."""
    everything = list(records)
    ran = [record["step"] for record in everything if record["type"] == "node"]
    if not ran:
        raise ArgumentError("there is no op in these records, and so nothing to draw")
    step = ran[-1] if step is None else step
    if step not in set(ran):
        raise ArgumentError(f"no op ran in step {step}; there are ops in steps {min(ran)} to {max(ran)}")
    return _Folder([record for record in everything if record["step"] == step]).picture


class _Folder:
    """Goes through the records of a step."""

    def __init__(self, records: list[Record]) -> None:
        self.picture = Picture()
        self.tensors = {record["id"]: record for record in records if record["type"] == "tensor"}
        self.makers: dict[int, str] = {}
        for record in records:
            take = getattr(self, "_" + record["type"], None)
            if take is not None:
                take(record)
        self.picture.find_roots()

    def _node(self, record: Record) -> None:
        if record.get("made_by") is not None and not record.get("recorded", True):
            return
        output = record["outputs"][0] if record["outputs"] else {}
        box = Box(
            f"n{record['id']}", "op", record["op"], output.get("name") or "", tuple(output.get("shape", ())) or None,
            record.get("symbol", ""), record["id"], output.get("value"), scope=tuple(record.get("scope", ())),
            recorded=record.get("recorded", True), at=record.get("at"),
        )  # fmt: skip
        box.shape = tuple(output["shape"]) if output else None
        self.picture.boxes[box.key] = box
        for each in record["inputs"]:
            source = self._source(each)
            if source is not None:
                shape = self.tensors.get(each.get("tensor"), {}).get("shape")
                grad = self.picture.boxes[source].kind != "constant" and box.recorded
                self.picture.arrows.append(
                    Arrow(source, box.key, each["name"], None if shape is None else tuple(shape), grad)
                )
        for each in record["outputs"]:
            self.makers[each["id"]] = box.key
            self.tensors[each["id"]] = each

    def _source(self, each: Record) -> str | None:
        key = f"n{each['node']}" if each.get("node") is not None else self.makers.get(each.get("tensor", -1))
        if key in self.picture.boxes:
            return key
        record = self.tensors.get(each.get("tensor", -1))
        if record is None:
            return None
        key = f"t{record['id']}"
        if key not in self.picture.boxes:
            wants = record.get("requires_grad", False)
            name = record.get("name") or ""
            self.picture.boxes[key] = Box(
                key, "parameter" if wants else "constant", name or f"tensor {record['id']}", name,
                tuple(record["shape"]), value=record.get("value"), gradient=record.get("grad"), at=record.get("at"),
            )  # fmt: skip
        return key

    def _saved(self, record: Record) -> None:
        box = self.picture.boxes.get(f"n{record['node']}")
        if box is not None:
            box.saved += [each["name"] for each in record["saved"]]

    def _released(self, record: Record) -> None:
        box = self.picture.boxes.get(f"n{record['node']}")
        if box is not None:
            box.released = True

    def _node_entered(self, record: Record) -> None:
        box = self.picture.boxes.get(f"n{record['node']}")
        if box is not None and record["grads"]:
            box.gradient = record["grads"][0]

    def _grad_accumulated(self, record: Record) -> None:
        box = self.picture.boxes.get(f"t{record.get('leaf')}")
        if box is not None and record.get("total") is not None:
            box.gradient = record["total"]


def spoken(shape: tuple[int, ...] | None) -> str:
    """A shape as the explorer writes it: 4×2; nothing for a scalar."""
    return "" if not shape else "×".join(map(str, shape))


def amount(value: Record | None) -> str:
    """A scalar's value, or the length of anything else."""
    if value is None or value.get("norm") is None:
        return ""
    if value.get("rows") == 1 and value.get("cols") == 1:
        return f"{value['mean']:.4g}"
    return f"‖{value['norm']:.3g}‖"
