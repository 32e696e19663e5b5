"""Records of a backward pass."""

from __future__ import annotations

import math
import sys
from typing import Any, NamedTuple

from ... import events
from ..source.callsites import users_frame
from ..source.naming import NamesAtCalls
from ..source.optimisers import knows_optimiser
from .error_notes import add_note
from .forward import counted
from .identity import KnownNode, KnownTensor, Loss
from .ledger import Ledger, Record
from .reasons import SLOPES
from .steps import place_of
from .values import is_broken, plain_sum

MOST_ARRIVALS = 1_000
"""How many contributions to remember for one leaf."""


class Arrival(NamedTuple):
    """A contribution that reached a leaf: the record of the node that sent it, and the name of that node's input."""

    run: int
    node: Record
    input: str
    backward: Record | None

    def told(self) -> Record:
        """The fields that `explain` reports about this contribution."""
        node = self.node
        formula = node["gradients"].get(self.input, "")
        way = {"run": self.run, "op": node["op"], "input": self.input, "formula": formula}
        return {**way, "at": node.get("at"), "backward": self.backward}


class Run:
    """One run of the backward engine. It holds no reference to the graph."""

    __slots__ = (
        "number", "create", "captures", "at", "node", "entered", "sender", "leaves", "returned", "parameter",
        "last_total", "broken", "told",
    )  # fmt: skip

    def __init__(self, number: int, create: bool, captures: bool) -> None:
        self.number = number
        self.create = create
        self.captures = captures
        self.at: Record | None = None
        self.node: KnownNode | None = None
        """The node whose backward runs."""
        self.entered = 0
        self.sender: tuple[int, int] | None = None
        """The last gradient that was sent: the address of its edge, and the number of the node that sent it."""
        self.leaves: dict[int, KnownTensor] = {}
        """The leaves that this run has reached, by number."""
        self.returned: dict[int, Any] = {}
        """The values of the leaves' gradients, by number, if the run returns them."""
        self.parameter: int | None = None
        """The number of a parameter in its graph, if the run returns its gradients."""
        self.last_total: dict[int, int] = {}
        """Per leaf: the address of the sum that is about to be added to its ``.grad``."""
        self.broken = False
        self.told = False


class Backward:
    """Turn the engine's events into records."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.framework = ledger.framework
        self._runs: dict[int, Run] = {}
        self._names = NamesAtCalls()
        self._count = 0

    def open(self, event: events.BackwardStarted) -> Run:
        """Open a new run for the current thread and return it."""
        self._count += 1
        run = self._runs[event.run] = Run(self._count, event.create_graph, event.captures)
        if event.captures:
            run.parameter = self._parameter_under([edge[0] for edge, _ in event.roots])
        self.ledger.here.runs.append(run)
        return run

    def _parameter_under(self, nodes: list[Any]) -> int | None:
        """The number of a parameter that the graph of these nodes uses; None if there is none."""
        framework, seen = self.framework, set()
        while nodes:
            node = nodes.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            leaf = framework.leaf(node)
            if leaf is None:
                nodes.extend(edge[0] for edge in framework.edges(node) if edge is not None)
            elif framework.is_parameter(leaf):
                return self.ledger.tensors.get(leaf).id
        return None

    def _run(self, event: Any) -> Run:
        """The run that `event` belongs to. If the run began before the recording did, open it now."""
        run = self._runs.get(event.run)
        if run is None:
            self._count += 1
            run = self._runs[event.run] = Run(self._count, False, False)
        return run

    def captures(self, event: Any) -> bool:
        """Whether the run of `event` returns its gradients."""
        run = self._runs.get(event.run)
        return run is not None and run.captures

    def started(self, event: events.BackwardStarted) -> None:
        """Record the start of a backward run, with its roots."""
        ledger = self.ledger
        _, site = ledger.look(sys._getframe(1))
        roots = [self._root(edge, grad) for edge, grad in event.roots]
        run = self.open(event)
        run.at = None if site is None else site.place
        ledger.write("backward_started", run=run.number, roots=roots, create_graph=event.create_graph,
                     retain_graph=event.retain_graph, captures=event.captures, at=run.at)  # fmt: skip

    def _root(self, edge: Any, grad: Any) -> Record:
        ledger = self.ledger
        node, output = edge
        record: Record = {"output": output, "value": ledger.value(grad)}
        leaf = self.framework.leaf(node)
        if leaf is not None:
            record["tensor"] = ledger.tensor(leaf).id
        elif (known := self._known(node)) is not None:
            record["node"] = known.id
            if output < len(known.outputs):
                record["tensor"] = known.outputs[output].id
        self.note_loss(edge)
        return record

    def note_loss(self, edge: Any) -> None:
        """Remember the root's value as the loss, if the root has one element and is still alive."""
        node, output = edge
        tensor = self.framework.leaf(node)
        known = self.ledger.nodes.find(node)
        if known is not None and output < len(known.outputs):
            tensor = known.outputs[output].ref()
        one = self.framework.has_elements(tensor) and self.framework.size(tensor) == 1
        array = self.framework.array(tensor) if one else None
        if array is not None and array.size == 1:  # under vmap the array holds all examples
            number = array.item()
            number = abs(number) if isinstance(number, complex) else float(number)
            self._blame(number)
            name = self._names.of(tensor, users_frame(sys._getframe(1)))
            self.ledger.boundary.loss = Loss(self._count, number, name)

    def _blame(self, loss: float) -> None:
        """Report an anomaly if the loss is NaN and no op caused it: then the NaN was in the input data."""
        ledger = self.ledger
        if math.isnan(loss) and ledger.suspect is not None and not ledger.troubled:
            ledger.alarm()
            ledger.announce("anomaly_found", **ledger.suspect)

    def _known(self, node: Any) -> KnownNode | None:
        """The entry of `node` if this step has a record of it or can still get one.

        Otherwise count the event and return None.
        """
        known = self.ledger.node(node)
        if known.step == self.ledger.step:
            return known
        self.ledger.left_out += 1
        return None

    def ready(self, event: events.NodeReady) -> None:
        """Record that a node has received all gradients that it waits for."""
        if self.framework.leaf(event.node) is None and (known := self._known(event.node)) is not None:
            run = self._run(event)
            self.ledger.write("node_ready", run=run.number, node=known.id, waiting=event.waiting)

    def entered(self, event: events.NodeEntered) -> None:
        """Record that a node starts its backward."""
        run, known = self._run(event), self._known(event.node)
        run.node = known
        run.entered += 1
        if known is not None:
            values = [None if grad is None else self.ledger.value(grad) for grad in event.grads]
            run.broken = any(is_broken(value) for value in values)
            self.ledger.write("node_entered", run=run.number, node=known.id, grads=values)

    def reached(self, event: events.NodeEntered) -> None:
        """Note whose backward runs, in a step whose backward is not recorded: the ops that it records belong to it."""
        self._run(event).node = self.ledger.nodes.find(event.node)

    def computed(self, event: events.GradComputed) -> None:
        """Record that a node sends a gradient to one of its inputs."""
        ledger, run, known = self.ledger, self._run(event), self._known(event.node)
        if known is None:
            return
        node, output = event.edge
        run.sender = (id(event.edge), known.id)
        name = self._input_name(event.node, known, event.index)
        record: Record = {"run": run.number, "node": known.id, "index": event.index, "input": name}
        leaf = self.framework.leaf(node)
        if leaf is not None:
            entry = ledger.tensor(leaf)
            record["to_leaf"] = entry.id
            self._remember(run, entry, leaf, known, name)
        elif (target := self._known(node)) is not None:
            record.update(to_node=target.id, to_output=output)
        value = ledger.value(event.grad)
        ledger.write("grad_computed", **record, shape=self._shape(event.grad), value=value)
        if value is not None and is_broken(value) and not (run.broken or run.told or _came_broken(known)):
            run.told = True
            kind, what = "nan" if value["nan"] else "inf", counted(value)
            ledger.alarm()
            op = known.bare["op"]
            message = f"The backward of {op} made {what} for its input {name}, of finite gradients."
            if op in SLOPES:
                message += f" {SLOPES[op]}"
            ledger.announce("anomaly_found", kind=kind, node=known.id, message=message, at=known.bare.get("at"))

    def glanced(self, event: events.GradComputed) -> None:
        """Record a gradient of a step that is not recorded whole only if its node made a NaN or an infinity."""
        if self.breaks(event):
            self.ledger.alarm()
            self.computed(event)

    def breaks(self, event: events.GradComputed) -> bool:
        """Whether a node's backward makes a NaN or an infinity of finite gradients."""
        run, framework = self._run(event), self.framework
        if run.told or run.broken or not framework.has_elements(event.grad):
            return False
        loss = self.ledger.boundary.loss
        if math.isfinite(self.ledger.squares(event.grad)) or not (loss is None or math.isfinite(loss.value)):
            return False
        node = self.ledger.nodes.find(event.node)
        run.broken = node is not None and _came_broken(node)
        return not run.broken

    def _input_name(self, node: Any, known: KnownNode, index: int) -> str:
        inputs = known.bare["inputs"]
        if index < len(inputs):
            return str(inputs[index]["name"])
        return self.framework.input_names(node, len(self.framework.edges(node)))[index]

    def _remember(self, run: Run, entry: KnownTensor, leaf: Any, node: KnownNode, name: str) -> None:
        """Remember, for `explain`, which node sent a contribution to this leaf, and for which of its inputs."""
        if run.captures:
            return
        arrived = entry.arrived
        cleared = self.framework.grad(leaf) is None  # the `grad` of a text is a list and is never None
        if not isinstance(arrived, list) or (cleared and arrived[-1].run != run.number):
            arrived = entry.arrived = []
        if len(arrived) < MOST_ARRIVALS:
            arrived.append(Arrival(run.number, node.bare, name, run.at))

    def reduced(self, event: events.GradReduced) -> None:
        """Record that a gradient was summed down to the shape of its input."""
        known = self._known(event.node)
        if known is not None:
            self.ledger.write("grad_reduced", run=self._run(event).number, node=known.id, index=event.index,
                              before=self._shape(event.before), after=self._shape(event.after))  # fmt: skip

    def accumulated(self, event: events.GradAccumulated) -> None:
        """Record that a contribution was added to the gradients waiting at a node, or to a leaf's ``.grad``."""
        run = self._run(event)
        sender = run.sender[1] if run.sender is not None and run.sender[0] == id(event.edge) else None
        if event.leaf is not None:
            self._settled(event, run)
            return
        run.sender = None
        node, output = event.edge
        leaf = self.framework.leaf(node)
        if leaf is not None:
            self._at_leaf(event, run, leaf, sender)
            return
        known = self._known(node)
        if known is None:
            return
        ledger = self.ledger
        count = ledger.arrivals["node", known.id, output] = ledger.arrivals["node", known.id, output] + 1
        ledger.write("grad_accumulated", run=run.number, node=known.id, output=output, from_node=sender, count=count,
                     contribution=ledger.value(event.contribution), total=ledger.value(event.total))  # fmt: skip

    def _at_leaf(self, event: events.GradAccumulated, run: Run, leaf: Any, sender: int | None) -> None:
        """Record one contribution to a leaf.

        ``total`` is ``.grad`` including it; None if the run returns its gradients.
        """
        ledger = self.ledger
        ledger.tensor(leaf)
        known = self.reach(event, leaf)
        run.last_total[known.id] = id(event.total)
        count = ledger.arrivals["leaf", known.id, 0] = ledger.arrivals["leaf", known.id, 0] + 1
        total = None
        if not run.captures:
            total = ledger.value(event.total)
            before = self.framework.grad(leaf)
            if total is not None and before is not None:
                total = plain_sum(self.framework.array(before), self.framework.array(event.total))
        ledger.write("grad_accumulated", run=run.number, leaf=known.id, from_node=sender, count=count,
                     contribution=ledger.value(event.contribution), total=total)  # fmt: skip

    def reach(self, event: events.GradAccumulated, leaf: Any) -> KnownTensor:
        """The entry of a leaf that the run has reached; note the leaf in the run, and a gradient that is returned."""
        run, known = self._run(event), self.ledger.tensors.get(leaf)
        run.leaves[known.id] = known
        if run.captures and event.total is not None:
            run.returned[known.id] = self.ledger.used(event.total)
        return known

    def _settled(self, event: events.GradAccumulated, run: Run) -> None:
        """Record the final ``.grad`` of a leaf if a hook changed the gradient on its way there."""
        ledger, known = self.ledger, self.reach(event, event.leaf)
        if run.last_total.get(known.id, id(event.contribution)) != id(event.contribution):
            ledger.tensor(event.leaf)
            ledger.write("grad_accumulated", run=run.number, leaf=known.id, replaces=True,
                         count=ledger.arrivals["leaf", known.id, 0], contribution=ledger.value(event.contribution),
                         total=ledger.value(event.total))  # fmt: skip

    def hook_ran(self, event: events.HookRan) -> None:
        """Record that a hook ran, with the values before and after it."""
        ledger = self.ledger
        record: Record = {"kind": event.kind, "name": getattr(event.hook, "__name__", type(event.hook).__name__)}
        target = event.target[0] if isinstance(event.target, tuple) and event.target else event.target
        if self.framework.is_tensor(target):
            record["tensor"] = self._target(target)
        elif self.framework.is_node(target) and (leaf := self.framework.leaf(target)) is not None:
            record["tensor"] = ledger.tensor(leaf).id
        elif self.framework.is_node(target):
            known = self._known(target)
            record["node"] = None if known is None else known.id
        changed = event.before is not event.after
        before, after = self._first_tensor(event.before), self._first_tensor(event.after)
        ledger.write("hook_ran", **record, changed=changed,
                     before=ledger.value(before), after=ledger.value(after))  # fmt: skip

    def _target(self, tensor: Any) -> int | None:
        """The number of the tensor given to a pack hook; None if this step has no record of that tensor."""
        known = self.ledger.tensors.find(tensor)
        if known is None or known.step != self.ledger.step:
            return None
        return known.id

    def finished(self, event: events.BackwardFinished) -> None:
        """Record the end of a backward run."""
        ledger = self.ledger
        run = self._run(event)
        del self._runs[event.run]
        if run in ledger.here.runs:
            ledger.here.runs.remove(run)
        if ledger.sampling.writing:
            error = None if event.error is None else f"{type(event.error).__name__}: {event.error}"
            if event.error is not None:
                add_note(ledger, run.node, event.error)
            ledger.write("backward_finished", run=run.number, nodes=run.entered, error=error)
        for known in run.leaves.values():
            known.loss = ledger.boundary.loss
            if not (self.framework.tells_writes or run.captures):
                run.returned[known.id] = ledger.used(self.framework.grad(known.ref()))
        if run.leaves:
            if not self._is_aside(run):
                ledger.boundary.after_backward(run.leaves.values(), run.returned)
        elif run.captures and self.framework.in_transform(sys._getframe(1)):
            frame = users_frame(sys._getframe(1))
            ledger.boundary.returned_to = None if frame is None else place_of(frame)

    def _is_aside(self, run: Run) -> bool:
        """Whether a run returns the gradients of inputs, past the parameters that an optimiser moves.

        No step is made of them: an energy model, for example, draws its samples so.
        """
        if run.parameter is None or run.parameter in run.leaves:
            return False
        return bool(self.ledger.optimisers) or knows_optimiser(sys._getframe(2))

    def _shape(self, grad: Any) -> list[int]:
        return list(self.framework.shape(grad)) if self.framework.is_tensor(grad) else []

    def _first_tensor(self, value: Any) -> Any:
        """The first tensor among the arguments of a hook."""
        if isinstance(value, (tuple, list)):
            return next((each for each in value if self.framework.is_tensor(each)), None)
        return value


def _came_broken(node: KnownNode) -> bool:
    """Whether the node's outputs held a NaN or an infinity after forward: then its backward did not cause it."""
    return any(output.broken for output in node.outputs)
