"""The ledger writes the numbered records of a trace, and makes each step complete in itself.

A record may name a tensor or a node only if the same step has a record that introduces it. Most tensors and nodes are
introduced by the record of the op that makes them. One that is older than the step is introduced when it is first
named.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections import Counter, deque
from collections.abc import Callable
from time import perf_counter
from types import FrameType
from typing import Any

from ..framework import MINIGRAD, Framework
from ..source.calls import Call, Calls, path_of
from ..source.callsites import Places
from ..source.homes import Homes
from ..source.naming import Awaited, Parts, Paths, found_in, module_of, paths_in
from ..source.notation import snake
from .exchanges import Exchanges
from .flight import Flight
from .glimpse import Glimpse, glimpse
from .identity import KnownNode, KnownTensor, Loss, Table
from .jumps import Jumps
from .last_step import LastStep
from .norms import joined, loss_of, outcome, parameters_of
from .sampling import Mode, Sampling
from .steps import LARGEST, Boundary, runs_at
from .values import is_broken, measure

Record = dict[str, Any]

TOO_DEAR = "to record all ops of so large a step would slow the program down"

MOST_ALARMS = 3
"""How many times the last steps are kept because something went wrong."""


class Here(threading.local):
    """The state of each thread: the step, modules and backward runs it is in, and the results that wait for a name."""

    def __init__(self, new_boundary: Callable[[], Boundary], modules: tuple[str, ...]) -> None:
        self.boundary = new_boundary()
        self.scopes: list[tuple[str, Any]] = []
        self.path: list[str] = []
        self.calls = Calls(modules)
        self.runs: list[Any] = []
        self.awaited: Awaited | None = None
        self.saved: tuple[int, list[Record]] | None = None


class Ledger:
    """Write records into `queue`, oldest first. The recorder's lock protects everything in it."""

    def __init__(
        self, values: Mode = "auto", clock: Callable[[], float] = perf_counter, framework: Framework = MINIGRAD
    ) -> None:
        self.framework = framework
        self.queue: deque[Record] = deque()
        self.clock = clock
        self.began = clock()
        self.moment = self.began
        """The clock's time at the current event."""
        self.seq = 0
        self.step = 0
        self.rounds = 0
        """How many steps have ended with a backward. A step that a viewer or its size cut off goes on in the next."""
        self.tensors: Table[KnownTensor] = Table(KnownTensor)
        self.nodes: Table[KnownNode] = Table(KnownNode)
        self.places = Places(lambda file, text: self.remark("source", file=file, text=text))
        self.sampling = Sampling(values, clock)
        self.flight = Flight()
        self.last = LastStep(self)
        if values != "auto":  # every step is recorded in the same way, so the last needs no script
            self.last.broke()
        self.exchanges = Exchanges()
        self._boundaries: list[Boundary] = []
        """Of all threads that have recorded something."""
        self._marked = False
        self.has_modules = False
        """Whether a module has been called. Then plain objects around modules are not drawn."""
        self.homes = Homes()
        self.parts = Parts()
        self.paths = Paths()
        self._early: set[int] = set()
        """The numbers of the parameters that were named inside their module, before anything called it."""
        self.here = Here(self._new_boundary, framework.folders.modules)
        self.awaited: deque[Awaited] = deque()
        """The results, of all threads, that wait for a name."""
        self.alarms = 0
        self.troubled = False
        """Whether a NaN or an infinity was reported: later ones are consequences and are not reported."""
        self.suspect: Record | None = None
        """The warning to give if the loss of this step is NaN."""
        self._jumps = Jumps()
        self.optimisers = weakref.WeakSet[Any]()
        """The optimisers that have taken a step."""
        self._final = weakref.WeakSet[Any]()
        """Those that no other follows in their steps."""
        self.arrivals: Counter[tuple[str, int, int]] = Counter()
        self.nodes_in_step = 0
        self.crowded = False
        """Whether this step began because the one before was full: then nodes of earlier steps are not recorded again.
        """
        self.left_out = 0
        """How many events of this step have no record, because the step has too many nodes or is not recorded."""
        self._begun = False
        """Whether this step has a record already."""
        self._measured: dict[int, tuple[Any, int, Record]] = {}
        self._squares: dict[int, tuple[Any, int, float]] = {}

    def go_on_from(self, other: Ledger) -> None:
        """Continue the trace of another ledger that has recorded no op yet."""
        self.queue, self.seq, self.step = other.queue, other.seq, other.step
        self.clock, self.began, self.moment = other.clock, other.began, other.moment
        self.sampling = other.sampling

    # Records

    @property
    def now(self) -> float:
        """Seconds from the start of the run to the current event, in whole microseconds, which are shorter to write."""
        return int((self.moment - self.began) * 1e6) / 1e6

    def write(self, type: str, /, **fields: Any) -> Record:
        """Append a record and return it. It may be completed until it is taken from the queue.

        In a step that is held back, the record is held with the others of that step and gets no number yet.
        """
        if not self.sampling.holding:
            return self.announce(type, **fields)
        record = {"seq": 0, "t": self.now, "step": self.step, "type": type, **fields}
        self.flight.present.append(record)
        self._begun = True
        return record

    def announce(self, type: str, /, **fields: Any) -> Record:
        """Append a record even if the step is held back."""
        self.seq += 1
        record = {"seq": self.seq, "t": self.now, "step": self.step, "type": type, **fields}
        self.queue.append(record)
        self._begun = True
        if self.sampling.recording:
            self.last.wrote(record)
        self.troubled = self.troubled or fields.get("kind") in ("nan", "inf")
        return record

    def keep(self, past: bool = True) -> None:
        """Write the held records of this step, with `past` also of those before, and record its rest whole.

        The records of the past steps follow records of later moments; their times tell where they belong.
        """
        self._append(self.flight.take(past))
        if not self.sampling.recording:
            self.last.broke()
        self.sampling.ask()
        self._measured = {key: known for key, known in self._measured.items() if type(known[2]) is not Glimpse}

    def _append(self, records: list[Record]) -> None:
        for record in records:
            self.seq += 1
            record["seq"] = self.seq
            self.queue.append(record)

    def cut(self) -> None:
        """Stop recording the rest of this step, except its loss: recording it has cost as much as it may."""
        if self.sampling.recording:
            self.announce("dropped", count=1, reason=TOO_DEAR)
        self.sampling.cut()
        self.flight.forget()
        self.last.broke()
        self.last.present = None

    def complete(self, ending: bool) -> None:
        """Write the last step whole from its events, if they were kept: the current step if it is `ending`."""
        step = self.last.unfinished() if ending else self.last.past
        records = self.last.told(step, self.flight.held(past=not ending))
        if records:
            self.flight.drop(past=not ending)
            self._append(records)
        self.last.past = None

    def remark(self, type: str, /, **fields: Any) -> None:
        """Write a record that is no part of a graph. Between two steps it belongs to the one that has just ended."""
        self.moment = self.clock()
        begun = self._begun
        record = self.announce(type, **fields)
        if not begun and self.step:
            record["step"] = self.step - 1
            self._begun = False

    def alarm(self) -> None:
        """Keep the last steps because something went wrong. Only the first `MOST_ALARMS` times."""
        if self.alarms < MOST_ALARMS:
            self.alarms += 1
            self.keep()

    def look(self, frame: FrameType | None) -> Any:
        """The user's frame and site. Also look for the names that this thread waits for."""
        frame, site = self.places.look(frame)
        self.settle(frame)
        return frame, site

    def settle(self, frame: FrameType | None) -> None:
        """Look for the names of the results of this thread's last op."""
        awaited = self.here.awaited
        if awaited is not None:
            self.here.awaited = None
            awaited.settle(frame)

    # Values

    def value(self, tensor: Any) -> Record | None:
        """The current value of `tensor`, or None if this step takes no values. An unchanged tensor is measured once."""
        sampling = self.sampling
        if not (sampling.taking or sampling.holding):
            return None
        framework = self.framework
        if not framework.has_elements(tensor):
            return framework.text(tensor)
        version = framework.version(tensor)
        known = self._measured.get(id(tensor))
        if known is not None and known[0]() is tensor and known[1] == version:
            return known[2]
        value = (
            glimpse(framework.array(tensor)) if sampling.holding else measure(framework.array(tensor), sampling.roomy)
        )
        sampling.kept += len(value.get("data") or "")
        self._measured[id(tensor)] = (weakref.ref(tensor), version, value)
        return value

    def used(self, grad: Any) -> Record | float | None:
        """The value of a gradient that a step uses; if the step takes no values, only the sum of its squares."""
        whole = self.sampling.taking or not self.framework.has_elements(grad)
        return self.value(grad) if whole else self.squares(grad)

    def squares(self, tensor: Any) -> float:
        """The sum of the squares of a tensor, computed once in a step as long as the tensor does not change."""
        version = self.framework.version(tensor)
        known = self._squares.get(id(tensor))
        if known is None or known[0]() is not tensor or known[1] != version:
            known = self._squares[id(tensor)] = weakref.ref(tensor), version, self.framework.squares(tensor)
        return known[2]

    # Tensors

    def tensor(self, tensor: Any, frame: FrameType | None = None) -> KnownTensor:
        """The entry of `tensor`, with a record in this step."""
        known = self.tensors.get(tensor)
        if known.step != self.step:
            edge = self.framework.place(tensor)
            if edge is not None:
                self.node(edge[0])
            if known.step != self.step:
                self.introduce(tensor, known, frame)
        return known

    def named(self, tensor: Any) -> KnownTensor:
        """The entry of `tensor`, with a record in this step, but without the graph that it comes from."""
        known = self.tensors.get(tensor)
        if known.step != self.step:
            self.introduce(tensor, known, None)
        return known

    def introduce(self, tensor: Any, known: KnownTensor, frame: FrameType | None) -> None:
        """Write the record of a tensor that was not made by an op of this step."""
        record = self.described(tensor, known, frame)
        known.step = self.step
        grad = self.framework.grad(tensor)
        if grad is not None:
            record["grad"] = self.value(grad)
        if known.at is not None:
            record["at"] = known.at
        self.write("tensor", **record)

    def described(self, tensor: Any, known: KnownTensor, frame: FrameType | None = None) -> Record:
        """The fields of a tensor's record."""
        if known.name is None:
            known.name = self.name_of(tensor, frame)
        record = {"id": known.id, "name": known.name, **self.framework.facts(tensor)}
        base = self.framework.base(tensor)
        if base is not None:
            record["base"] = self.named(base).id
        value = record["value"] = self.value(tensor)
        known.broken = "" if value is None or not is_broken(value) else "data" if value["nan"] else "asked"
        return record

    def name_of(self, tensor: Any, frame: FrameType | None) -> str | None:
        """A parameter's path, or the name of the user's variable; None if there is neither."""
        if self.framework.is_parameter(tensor):
            holder = None if self.here.scopes else module_of(tensor, frame, self.framework)
            for called, module in self.here.scopes if holder is None else (holder,):
                if called == "self":
                    self._name_early(module)
                else:
                    self.name_parameters(module, called)
            name = self.tensors.get(tensor).name
            if name is not None:
                return name
        found = found_in(frame, tensor, self.framework)
        if found is None:
            return None
        name, where = found
        around = path_of(self.around(where)) if name.startswith("self.") else ""
        return around + name.removeprefix("self") if around else name

    def around(self, frame: FrameType | None) -> list[str]:
        """The scope of an op that runs in `frame` now: the modules, or the calls of plain objects."""
        here = self.here
        return list(here.path) if here.path or self.has_modules else self.call(frame).path

    def functions(self, frame: FrameType | None) -> list[str]:
        """The calls of the program's functions around an op that runs in `frame` now, inside the innermost module."""
        return self.call(frame).functions

    def call(self, frame: FrameType | None) -> Call:
        """The innermost call of a plain object or a function around an op that runs in `frame` now."""
        return self.here.calls.around(frame, self.rounds, over=bool(self.boundary.leaves))

    def write_scope(self, depth: int) -> None:
        """Write the record of a scope that has been entered, the outermost with all modules inside of it."""
        owner = self.here.scopes[0][1]
        tree = self.parts.tree(owner) if depth == 1 and owner is not None else None
        self.write("scope_entered", path=self.here.path[:depth], **({"modules": tree} if tree else {}))

    def name_parameters(self, module: Any, called: str) -> None:
        """Name the parameters of `module`, itself `called` so, after their paths, unless they have a name already."""
        self.paths.give([(path, known) for path, known in self._parameters_of(module) if self._may_name(known)], called)

    def _name_early(self, module: Any) -> None:
        """Name the parameters of `module`, in whose own code the program is, until a net around it is called."""
        for path, known in self._parameters_of(module):
            if self._may_name(known):
                known.name = path
                self._early.add(known.id)

    def _parameters_of(self, module: Any) -> list[tuple[str, KnownTensor]]:
        parts = paths_in(module) if hasattr(module, "named_parameters") else []
        return [(path, self.tensors.get(tensor)) for path, tensor in parts]

    def _may_name(self, known: KnownTensor) -> bool:
        return known.name is None or "." not in known.name or known.id in self._early

    # Nodes

    def node(self, node: Any) -> KnownNode:
        """The entry of `node`, with a record in this step if there is room for it."""
        known = self.nodes.get(node)
        if known.step != self.step:
            self.bring_back(node)
        return known

    def bring_back(self, node: Any) -> None:
        """Record a node of an earlier step again in this step, after the nodes that it was computed from."""
        if self.crowded:
            return
        framework = self.framework
        missing = {id(node): node}
        stack = [node]
        while stack:
            for edge in framework.edges(stack.pop()):
                if edge is None or id(edge[0]) in missing or framework.leaf(edge[0]) is not None:
                    continue
                entry = self.nodes.find(edge[0])
                if entry is None or entry.step != self.step:
                    missing[id(edge[0])] = edge[0]
                    stack.append(edge[0])
            if len(missing) + self.nodes_in_step > LARGEST:
                return
        for each in sorted(missing.values(), key=framework.sequence):
            self._bring_back_one(each, self.nodes.get(each))

    def _bring_back_one(self, node: Any, known: KnownNode) -> None:
        self.nodes_in_step += 1
        known.step = self.step
        if not known.bare:  # it ran before the recording began, or autograd made it
            known.bare = {"id": known.id, **self.framework.op_facts(node), "params": self.framework.settings(node)}
            known.bare.update(inputs=[], outputs=[{"id": output.id, "name": output.name} for output in known.outputs])
            known.bare["symbol"] = snake(known.bare["op"])
        inputs = self._inputs_again(node, known)
        outputs, bares = [], known.bare["outputs"]
        for i, output in enumerate(known.outputs):
            tensor = output.ref()
            output.step = self.step
            if tensor is not None:
                outputs.append(self.described(tensor, output))
                bares[i] = {name: fact for name, fact in outputs[-1].items() if name != "value"}
            elif "shape" in bares[i]:  # an input that was never recorded has no shape
                outputs.append(bares[i])
        self.write_node(known.bare, inputs, outputs)
        self.last.recalled(known.id)

    def write_node(self, bare: Record, inputs: list[Record], outputs: list[Record]) -> Record:
        """Write the record of a node, with its inputs and outputs of this step."""
        record = self.write("node", **{**bare, "inputs": inputs, "outputs": outputs})
        if self.sampling.mode == "auto":
            self.flight.ran(record)
        return record

    def _inputs_again(self, node: Any, known: KnownNode) -> list[Record]:
        """The inputs of a node that ran earlier. Inputs that are no longer alive have no tensor."""
        framework, edges = self.framework, self.framework.edges(node)
        told = known.bare.get("inputs")
        before = told or [{"name": name} for name in framework.input_names(node, len(edges))]
        again = []
        for record, edge in zip(before, [*edges, *[None] * len(before)], strict=False):
            if "constant" in record:
                again.append(record)
                continue
            record = {"name": record["name"]}
            if edge is not None and (leaf := framework.leaf(edge[0])) is not None:
                record["tensor"] = self.tensor(leaf).id
            elif edge is not None:
                entry = self.nodes.get(edge[0])
                record.update(node=entry.id, output=edge[1])
                if edge[1] < len(entry.outputs):
                    record["tensor"] = entry.outputs[edge[1]].id
            elif told:
                record["constant"] = "from an earlier step"
            else:
                continue
            again.append(record)
        return again

    def output_like(self, tensor: Any, node: KnownNode) -> KnownTensor | None:
        """The output of `node` that is `tensor`, or shares its memory; None if there is none."""
        memory = self.framework.memory(tensor)
        for output in node.outputs:
            alive = output.ref()
            if alive is not None and self.framework.memory(alive) == memory:
                return output
        return None

    # Steps

    @property
    def boundary(self) -> Boundary:
        """The step that this thread is in. Threads that train at the same time each have their own."""
        return self.here.boundary

    def _new_boundary(self) -> Boundary:
        new = Boundary(self.used, self.framework)
        self._boundaries = [new, *(each for each in self._boundaries if each.leaves)]
        return new

    def take_over(self) -> None:
        """If backward ran in another thread than the one that now ends the step, end that thread's step."""
        if not self.boundary.leaves:
            self.here.boundary = next((each for each in self._boundaries if each.leaves), self.boundary)

    def mark(self) -> None:
        """Begin a step at whatever is recorded next."""
        self._marked = True

    def crossed(self) -> bool:
        """Whether an op that is recorded now would begin a new step."""
        boundary = self.here.boundary
        if not (boundary.leaves or boundary.returned_to or self._marked):
            return False
        place = None if self.optimisers else boundary.returned_to
        again = place is not None and runs_at(place, sys._getframe(1))
        return again or self._marked or boundary.crossed(by_hand=not self.optimisers)

    @property
    def unfinished(self) -> bool:
        """Whether this thread's backward is over, and the step has not ended yet.

        A gradient that a transform returned is part of a step only if the program has made steps of that kind before.
        """
        boundary = self.boundary
        functional = boundary.returned_to is not None and self.step > 0 and not self.optimisers
        return bool(boundary.leaves) or functional

    def next_step(self, optimizer: Any = None, frame: FrameType | None = None) -> None:
        """End the current step and begin the next.

        If an `optimizer` has moved its parameters, `frame` is the user's frame.
        """
        self.take_over()
        loss = self._loss_of(optimizer)
        if self.boundary.moves and loss != self.boundary.moved_by:
            self._final.update(each for each, _ in self.boundary.moves)
            self._end_step(None)
            if optimizer is None:
                return
        came = outcome(self, optimizer, frame)
        followed = loss is not None and self._may_be_followed(optimizer, loss)
        self.boundary.moves.append((optimizer, came))
        if not followed:
            self._end_step(optimizer)

    def next_step_within(self) -> None:
        """Begin the next step at the op that runs now. It is told the scopes that are open in this thread."""
        self.next_step()
        if self.sampling.writing:
            for depth in range(1, len(self.here.path) + 1):
                self.write_scope(depth)

    def _loss_of(self, optimizer: Any) -> Loss | None:
        """The loss by which an optimiser moves its parameters, if another optimiser may have part in the step."""
        if optimizer is None or (optimizer in self._final and not self.boundary.moves):
            return None
        parameters = parameters_of(optimizer, self.framework)
        return loss_of(map(self.tensors.get, parameters), self.boundary.loss)

    def forget_losses(self, optimizer: Any) -> None:
        """Forget which losses reached the parameters of an optimiser: it moves them by one that is not known."""
        self.boundary.loss = None
        for parameter in parameters_of(optimizer, self.framework):
            self.tensors.get(parameter).loss = None

    def _may_be_followed(self, optimizer: Any, loss: Loss) -> bool:
        """Whether another optimiser may follow: the last backward reached leaves that this one did not move."""
        boundary = self.boundary
        if optimizer in self._final or loss != boundary.loss:
            return False
        boundary.moved_by = loss
        followed = boundary.moves_on(parameters_of(optimizer, self.framework))
        if not followed:
            self._final.add(optimizer)
        return followed

    def _end_step(self, optimizer: Any) -> None:
        """Write what the step came to, and begin the next. If other work began instead, there is no `optimizer`."""
        if self.left_out:
            self.announce("dropped", count=self.left_out, reason=f"a step shows at most {LARGEST:,} nodes")
        moves, self.boundary.moves = self.boundary.moves, []  # first: no step has them twice if an interrupt comes
        came = joined([came for _, came in moves])
        jump = self._jumps.look(None if optimizer is None else id(optimizer), came["loss"], came["grad_norm"])
        if jump is not None:
            self.alarm()
            self.announce("anomaly_found", kind=jump.kind, message=jump.message)
        self.rounds += optimizer is not None or self.unfinished
        self._close()
        self.announce("step_taken", **came, **self.exchanges.turn())
        self.last.turn(self.sampling.recording)
        self.flight.turn()
        self.step += 1
        self._begun = False
        self.suspect = None
        self.nodes_in_step = self.left_out = 0
        self.crowded = False
        self.arrivals.clear()
        self._measured.clear()
        self._squares.clear()
        leaves = [leaf.ref() for leaf in self.boundary.leaves]
        self.boundary.reset()
        self._marked = False
        self.sampling.next_step()
        if self.sampling.mode == "auto":
            self._turn_last(leaves)
        self.tensors.purge()
        self.nodes.purge()

    def _turn_last(self, leaves: list[Any]) -> None:
        """Write the held step before a step that is recorded whole, so that only the memory of the new step counts."""
        whole = self.sampling.recording
        if whole and self.last.past is not None:
            begun = self.clock()
            self.complete(ending=False)
            self.sampling.spent += self.clock() - begun
        self.last.begin(whole, leaves)

    def _close(self) -> None:
        """Write the numbers of a step that is held back. If it is the first with its ops, write its records instead."""
        sampling = self.sampling
        if sampling.mode != "auto" or not sampling.writing:
            return
        plan = self.flight.plan(self.step, whole=not sampling.holding)
        if sampling.holding and plan is not None and plan.step == self.step:
            self.last.unlike(list(self.flight.held(past=False)))
            self.keep(past=False)
        if sampling.holding:
            self.announce("numbers", **self.flight.numbers(plan))
