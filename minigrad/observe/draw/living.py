"""The picture of the graph that leads to tensors in memory."""

from __future__ import annotations

from collections.abc import Sequence
from types import FrameType
from typing import Any

from ..framework import Framework, framework_of
from ..framework.minigrad import MINIGRAD
from ..source.naming import tensor_in
from ..source.notation import snake
from .diagram import Arrow, Box, Picture


def of_tensors(tensors: Sequence[Any], frame: FrameType | None = None) -> Picture:
    """The graph that leads to `tensors`, all of one framework. `frame` has the variables that name them."""
    return _Graph(framework_of(tensors[0]) or MINIGRAD, frame).picture_of(tensors)


class _Graph:
    """Walks a graph backwards, from its results."""

    def __init__(self, framework: Framework, frame: FrameType | None) -> None:
        self.framework = framework
        self.frame = frame
        self.picture = Picture()

    def picture_of(self, tensors: Sequence[Any]) -> Picture:
        for number, node in enumerate(self._reachable(tensors), 1):
            self._op(node, number)
        for tensor in tensors:
            edge = self.framework.place(tensor)
            key = self._leaf(tensor) if edge is None else f"n{id(edge[0])}"
            box = self.picture.boxes[key]
            box.name = box.name or self._name(tensor)
            box.shape = tuple(self.framework.shape(tensor))
            self.picture.roots.append(key)
        self.picture.roots = list(dict.fromkeys(self.picture.roots))
        return self.picture

    def _reachable(self, tensors: Sequence[Any]) -> list[Any]:
        """All nodes that lead to `tensors`, in the order in which they were made."""
        framework, found = self.framework, dict[int, Any]()
        stack = [edge[0] for tensor in tensors if (edge := framework.place(tensor)) is not None]
        while stack:
            node = stack.pop()
            if id(node) not in found and framework.leaf(node) is None:
                found[id(node)] = node
                stack.extend(edge[0] for edge in framework.edges(node) if edge is not None)
        return sorted(found.values(), key=framework.sequence)

    def _op(self, node: Any, number: int) -> None:
        framework, name = self.framework, self.framework.op_name(node)
        box = Box(f"n{id(node)}", "op", name, number=number, detail=snake(name))
        box.saved = [saved for saved, _, _ in framework.saved(node) or ()]
        box.released = framework.released(node)
        self.picture.boxes[box.key] = box
        edges = framework.edges(node)
        for index, (name, edge) in enumerate(zip(framework.input_names(node, len(edges)), edges, strict=True)):
            if edge is not None:
                leaf = framework.leaf(edge[0])
                source = f"n{id(edge[0])}" if leaf is None else self._leaf(leaf)
                self.picture.arrows.append(Arrow(source, box.key, name, self._shape_of_input(node, index, name, leaf)))

    def _leaf(self, leaf: Any) -> str:
        key = f"t{id(leaf)}"
        if key not in self.picture.boxes:
            wants, name = self.framework.requires_grad(leaf), self._name(leaf)
            kind, title = ("parameter", name or "leaf") if wants else ("constant", name or "tensor")
            self.picture.boxes[key] = Box(key, kind, title, name, tuple(self.framework.shape(leaf)))
        return key

    def _name(self, tensor: Any) -> str:
        return tensor_in(self.frame, tensor, self.framework) or ""

    def _shape_of_input(self, node: Any, index: int, name: str, leaf: Any) -> tuple[int, ...] | None:
        """The shape of an input if the graph has it: of a leaf, a saved tensor, or an input that was broadcast."""
        shape = self.framework.shape(leaf) if leaf is not None else self.framework.input_shape(node, index)
        if shape is None:
            kept = {saved: value for saved, value, _ in self.framework.saved(node) or ()}
            shape = self.framework.shape(kept[name]) if name in kept else None
        return None if shape is None else tuple(shape)
