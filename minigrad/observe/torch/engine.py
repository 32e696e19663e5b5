"""Report a backward run of PyTorch's engine by hooks on its nodes.

PyTorch reports when a node begins and what it has computed. It does not report how many nodes wait, nor the sums inside
the engine: they are left out.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any, Literal

import torch

from ... import events
from .graph import discover, edge_of, known, leaves_behind, node_of
from .nodes import HERE, KEY, SINKS, Call, Edge, Inner, Sink
from .ops import op_of

Emit = Callable[[Any], None]
Wants = Literal["whole", "numbers", "loss"]

_numbers = itertools.count(1)


class Run:
    """One run of the backward engine."""

    def __init__(self, create: bool, retain: bool, captures: bool) -> None:
        self.number = next(_numbers)
        self.create = create
        self.retain = retain
        self.captures = captures
        self.entered: set[int] = set()
        """The calls whose backward has begun, by number."""
        self.arrived: dict[tuple[int, int], int] = {}
        """The number of gradients that have arrived at each place, by the number of its call or sink."""
        self.leaves: dict[int, Sink] = {}
        """The leaves that gradients have arrived at, by number."""
        self.behind: dict[int, Sink] = {}
        """The leaves behind the roots. Those without an event are announced when the run ends."""


_newest: list[Run] = []
"""All active runs, for the threads of the engine."""


class Engine:
    """Installs hooks on nodes, and emits the events of backward."""

    def __init__(self, emit: Emit, guard: Callable[[Callable[..., None]], Callable[..., None]]) -> None:
        self.emit = emit
        self.wants: Wants = "whole"
        """Which part of this step is wanted. Backward events are emitted only if the whole step is wanted."""
        self._guard = guard
        self._alarmed = False
        self.stepping = 0
        """How many optimisers announce the end of a step."""

    def forget(self) -> None:
        """Forget how the program trains."""
        self.stepping, self._alarmed = 0, False

    # A run

    def begin(self, roots: list[tuple[Any, Any]], create: bool, retain: bool, captures: bool) -> Run:
        """Begin a run at these tensors, with these gradients."""
        run = Run(create, retain, captures)
        found = []
        for tensor, grad in roots:
            if self.wants == "loss":
                self._only_loss(tensor)
            if self.stepping != 1 and not captures:  # else the one optimiser knows what it moves
                run.behind |= leaves_behind(tensor)
            edge = edge_of(tensor)
            if edge is not None:
                grad = torch.ones_like(tensor) if grad is None and tensor.numel() == 1 else grad
                found.append((edge, grad))
        HERE.runs.append(run)
        _newest.append(run)
        self.emit(events.BackwardStarted(run.number, tuple(found), create, retain, captures))
        for edge, grad in found if self.wants == "whole" else ():
            self._arrive(run, edge, grad)
        return run

    def _only_loss(self, tensor: Any) -> None:
        """In a step that is not searched for NaN, still find the loss, and whether it is NaN."""
        node = node_of(tensor) if tensor.requires_grad else None
        if node is None or known(node) is not None:
            return
        call = Call(op_of(node.name()), ["input"], {}, [None])
        node.metadata[KEY] = Inner(call, {tensor.output_nr: 0}, [])
        self.emit(events.NodeRecorded(call, (tensor,), (tensor,), True))
        if tensor.numel() == 1 and not math.isfinite(abs(tensor.detach().item())) and not self._alarmed:
            self._alarmed = True
            words = "The loss is not finite. This step was not looked through, so the op that began it is not known."
            self.emit(events.AnomalyFound("nan", None, words))

    def end(self, run: Run, error: BaseException | None) -> None:
        """End a run, perhaps with an error. The leaves have their gradients now."""
        if run in HERE.runs:
            HERE.runs.remove(run)
        if run in _newest:
            _newest.remove(run)
        for number in run.behind.keys() - run.leaves.keys():
            sink = run.behind[number]
            leaf = sink.ref()
            if leaf is not None and leaf.grad is not None:
                self.emit(events.GradAccumulated(run.number, (sink, 0), None, leaf.grad, leaf))
        for sink in run.leaves.values():
            leaf = sink.ref()
            if leaf is None or leaf.grad is None or run.captures:
                continue
            if run.arrived[sink.number, 0] > 1 or leaf._backward_hooks or leaf._post_accumulate_grad_hooks:
                self.emit(events.GradAccumulated(run.number, (sink, 0), None, leaf.grad, leaf))
        self.emit(events.BackwardFinished(run.number, len(run.entered), error))

    def returned(self, run: Run, inputs: list[Any], grads: tuple[Any, ...]) -> None:
        """Announce the gradients of leaves that a run returns, where no event has told of the whole gradient."""
        for leaf, grad in zip(inputs, grads, strict=True) if self.stepping != 1 else ():
            sink = SINKS.of(leaf) if isinstance(leaf, torch.Tensor) and leaf.is_leaf else None
            if sink is not None and grad is not None and run.arrived.get((sink.number, 0)) != 1:
                self.emit(events.GradAccumulated(run.number, (sink, 0), None, grad, leaf))

    def _run(self) -> Run | None:
        if HERE.runs:
            return HERE.runs[-1]
        return _newest[-1] if _newest else None

    def _unannounced(self, inner: Inner, grads: tuple[Any, ...]) -> Run:
        """Begin a backward pass that was not announced, such as one from C++, at its first node."""
        run = Run(torch.is_grad_enabled(), torch.is_grad_enabled(), False)
        HERE.runs.append(run)
        _newest.append(run)
        roots = tuple(((inner.call, index), grads[number]) for number, index in inner.outputs.items())
        self.emit(events.BackwardStarted(run.number, roots, run.create, run.retain, False))
        torch.autograd.Variable._execution_engine.queue_callback(self._guard(lambda: self.end(run, None)))
        return run

    # Nodes

    def hook(self, node: Any, inner: Inner) -> None:
        """Install hooks for when `node` begins, and for the gradients that leave its call there."""
        if self.wants != "whole":
            return
        if inner.outputs:
            node.register_prehook(self._guard(lambda grads: self._entered(inner, grads)))
        if inner.outputs or any(each is not None for each in inner.inputs):
            node.register_hook(self._guard(lambda sent, _: self._left(inner, sent)))

    def _entered(self, inner: Inner, grads: tuple[Any, ...]) -> None:
        run = self._run() or self._unannounced(inner, grads)
        call = inner.call
        if call.number in run.entered:
            return
        run.entered.add(call.number)
        arrived: list[Any] = [None] * (1 + max(inner.outputs.values()))
        for number, index in inner.outputs.items():
            if number < len(grads):
                arrived[index] = grads[number]
        self.emit(events.NodeEntered(run.number, call, tuple(arrived)))

    def _left(self, inner: Inner, sent: tuple[Any, ...]) -> None:
        run = self._run()
        if run is None:
            return
        call = inner.call
        if inner.outputs:
            if not run.retain:
                call.released = True
                self.emit(events.SavedReleased(call))
            self.emit(events.NodeLeft(run.number, call))
        for grad, leaving in zip(sent, inner.inputs, strict=False):
            if grad is None or leaving is None:
                continue
            if run.create and grad.requires_grad:
                self._record_rule(grad)
            index, edge = leaving
            self.emit(events.GradComputed(run.number, call, index, edge, grad))
            self._arrive(run, edge, grad)

    def _arrive(self, run: Run, edge: Edge, grad: Any) -> None:
        """Emit that a gradient arrived. If several arrive, the engine sums them, and the sum is unknown."""
        key = edge[0].number, edge[1]
        count = run.arrived[key] = run.arrived.get(key, 0) + 1
        if isinstance(edge[0], Sink):
            run.leaves[edge[0].number] = edge[0]
        self.emit(events.GradAccumulated(run.number, edge, grad, grad if count == 1 else None))

    def _record_rule(self, grad: Any) -> None:
        """Emit the ops that computed a gradient, if they make a graph of their own."""
        node = node_of(grad)
        if node is not None and known(node) is None:
            self.record(discover(node, self.hook), node, grad)

    def record(self, calls: list[Call], node: Any, tensor: Any) -> None:
        """Emit events for calls that were found afterwards; `tensor` is the result of the last one."""
        for call in calls:
            inputs = tuple(_value(edge) for edge in call.edges)
            outputs = tuple(call.unseen.values())
            if call is calls[-1] and known(node) is not None:
                outputs = tuple(tensor if i == tensor.output_nr else each for i, each in enumerate(outputs)) or (
                    tensor,
                )
            call.names[:] = ["input"] if len(inputs) == 1 else [f"input[{i}]" for i in range(len(inputs))]
            self.emit(events.NodeRecorded(call, inputs, outputs))


def _value(edge: Edge | None) -> Any:
    """The tensor at an edge: a leaf, or an unseen result; None without an edge."""
    if edge is None:
        return None
    target, number = edge
    return target.ref() if isinstance(target, Sink) else target.output(number)
