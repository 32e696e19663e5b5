"""One call of the program: what it is given, and what is known after it has run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from ... import events
from ..framework.base import plain
from .arguments import read
from .engine import Engine
from .graph import discover, edge_of, fold, known, node_of
from .nodes import KEY, Call, Inner
from .ops import op_of
from .reading import TORCH, version_of
from .saving import same, saved_by


class Begun:
    """A call that is about to run."""

    def __init__(self, engine: Engine, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.engine = engine
        name = getattr(func, "__name__", "")
        self.tensors = list(tensors_in((args, kwargs)))
        self.alive = {id(each) for each in self.tensors}
        self.target = args[0] if args and _writes(name) and isinstance(args[0], torch.Tensor) else kwargs.get("out")
        self.version = -1 if not isinstance(self.target, torch.Tensor) else version_of(self.target)
        arguments = read(func, args, kwargs)
        self.inputs = arguments.inputs
        edges = []
        grad = torch.is_grad_enabled()
        for _, value in self.inputs:
            if grad and isinstance(value, torch.Tensor) and value.requires_grad:
                meet(engine, value)
                edges.append(edge_of(value))
            else:
                edges.append(None)
        settings = {key: plain(value, TORCH) for key, value in arguments.settings.items()}
        self.call = Call(arguments.op, [called for called, _ in self.inputs], settings, edges)
        if self.tensors:
            engine.emit(events.OpEntered(self.call, tuple(value for _, value in self.inputs)))

    def tell(self, result: Any) -> None:
        """Emit the events of the call after it has run."""
        engine, call = self.engine, self.call
        made = [each for each in tensors_in(result) if id(each) not in self.alive]
        target = self.target if isinstance(self.target, torch.Tensor) else None
        if target is not None and version_of(target) != self.version:
            call.written, made = True, [target]
        if not made:
            return
        if not self.tensors:
            for each in made:
                engine.emit(events.TensorCreated(each))
            return
        more = fold(call, made, engine.hook)
        call.names += [called for called, _ in more]
        recorded = any(each.requires_grad and _made_by(each, call) for each in made)
        inputs = (*(value for _, value in self.inputs), *(value for _, value in more))
        if not recorded:
            call.edges = [None] * len(inputs)
        engine.emit(events.NodeRecorded(call, inputs, tuple(made), recorded))
        if recorded and engine.wants == "whole":
            self._tell_saved(made, inputs)
        if call.written:
            engine.emit(events.Mutated(made[0], call))

    def _tell_saved(self, made: list[Any], inputs: tuple[Any, ...]) -> None:
        """Emit events for the nodes' saved tensors, named after the arguments and results whose memory they share."""
        told = set()
        near = [each for each in (*inputs, *made) if isinstance(each, torch.Tensor)]
        names = [*self.call.names, *(["out"] if len(made) == 1 else [f"out[{i}]" for i in range(len(made))])]
        names = [name for name, each in zip(names, (*inputs, *made), strict=False) if isinstance(each, torch.Tensor)]
        for saved, name in saved_by(self.call, made):
            at = next((i for i, each in enumerate(near) if same(each, saved)), None)
            tensor, called = (saved, name) if at is None else (near[at], names[at])
            if at is None and saved.numel() == 1:
                continue  # a number among the arguments
            if id(tensor) not in told and called not in told:
                told |= {id(tensor), called}
                self.engine.emit(events.TensorSaved(self.call, called, tensor, version_of(tensor)))


def glance(engine: Engine, func: Any, given: Any, result: Any) -> None:
    """Look at a call in a step that needs only the loss and any NaN: emit its results without its arguments' names."""
    inputs = tuple(tensors_in(given))
    made = [each for each in tensors_in(result) if each.is_floating_point() and not any(each is one for one in inputs)]
    if not made or not inputs:
        return
    name = getattr(func, "__name__", "")
    call = Call(op_of(name), [f"input[{i}]" for i in range(len(inputs))], {}, [None] * len(inputs))
    recorded = False
    for index, each in enumerate(made):
        node = node_of(each) if each.requires_grad else None
        if node is not None and known(node) is None:
            node.metadata[KEY] = Inner(call, {each.output_nr: index}, [])
            recorded = True
    engine.emit(events.NodeRecorded(call, inputs, tuple(made), recorded))


def _made_by(tensor: Any, call: Call) -> bool:
    node = node_of(tensor)
    inner = None if node is None else known(node)
    return inner is not None and inner.call is call


def meet(engine: Engine, tensor: Any) -> None:
    """Emit events for the nodes behind `tensor` that had none: those of a Function, or of code that ran earlier."""
    node = node_of(tensor) if tensor.requires_grad else None
    if node is not None and known(node) is None:
        engine.record(discover(node, engine.hook), node, tensor)


def tensors_in(value: Any, depth: int = 4) -> Iterator[Any]:
    """The tensors among arguments or results, also in nested lists."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)) and depth:
        for each in value:
            yield from tensors_in(each, depth - 1)
    elif isinstance(value, dict) and depth:
        for each in value.values():
            yield from tensors_in(each, depth - 1)


def _writes(name: str) -> bool:
    return (name.endswith("_") and not name.endswith("__")) or name == "__setitem__" or name.startswith("__i")
