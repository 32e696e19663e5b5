"""Make a computation of the records of one step: its leaves, its ops in order, and where backward began.

Every op is first run unchanged. If its results differ from the recorded ones, as for an op that draws random numbers,
the recorded ones are used instead, and no gradient is computed for what comes before the op.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ...autograd import backward, set_grad_enabled
from ...core.tensor import Tensor
from ...ops.create.factories import tensor as make_tensor
from .arguments import EARLIER, LARGEST, NotSaid, Record, array_of, literal, op_of, tensor_of

MOST_OPS = 4_000
"""A step with more ops than this is not computed again, since that must be fast enough for dragging."""

TOLERANCE = 2e-3
"""How far an op's result may be from the recorded one, relative to the largest element. Records are in single
precision."""


TOLD = ("tensor", "node", "detached", "backward_started", "mutated", "hook_ran")
"""The kinds of records that say what a step computes."""


class NotRerun(Exception):
    """The step cannot be computed again. The message gives the reason as a sentence."""


class Touch(NamedTuple):
    """The new value of one element, of a tensor or of the constant `input` of a node."""

    value: float
    tensor: int | None = None
    element: int = 0
    node: int | None = None
    input: int = 0


class Played(NamedTuple):
    """The results of computing a step."""

    tensors: dict[int, Tensor]
    """The tensor of each number; after writes, the last one."""
    outputs: dict[tuple[int, int], Tensor]
    """The outputs by node and index."""
    losses: list[Tensor]
    """One for each root of a backward."""
    moved: Tensor | None
    """The tensor whose element was changed."""
    leaves: dict[int, Tensor]

    def go_back(self) -> None:
        """Compute the gradients of all leaves, added up over the backwards of the step as in the program."""
        for loss in self.losses:
            if loss.requires_grad:
                backward(loss, retain_graph=True)


class RecordedStep:
    """A step that can be computed again, from its records in order."""

    def __init__(self, records: Iterable[Record]) -> None:
        kept = list(records)
        script = [record for record in kept if record["type"] in TOLD]
        last = max((i for i, record in enumerate(script) if _is_start(record)), default=len(script) - 1)
        self.script = script[: last + 1]
        self.after = script[last + 1 :]
        self.nodes = {record["id"]: record for record in self.script if record["type"] == "node"}
        self.facts: dict[int, Record] = {}
        for record in self.script:
            for facts in (record,) if record["type"] == "tensor" else record.get("outputs", ()):
                self.facts.setdefault(facts["id"], facts)
        self.held: dict[int, str] = {}
        """For each node that cannot be computed again, the reason."""
        self.has_backward = any(map(_is_start, self.script))
        self.unlike: list[int] = []
        """Leaves whose gradient in the program differs from the one computed here."""
        self._arrived = [each for each in kept if each["type"] == "grad_accumulated" and each.get("leaf") is not None]
        self._runs = {each["run"]: each.get("captures", False) for each in self.script if _is_start(each)}
        self._looked = False

    def find_held(self) -> None:
        """Run the step unchanged, once, to find the ops that cannot be computed again."""
        if self._looked:
            return
        if not self.nodes:
            raise NotRerun("No op of this step was recorded, only its numbers: choose a step that was kept whole.")
        if len(self.nodes) > MOST_OPS:
            raise NotRerun(f"This step has {len(self.nodes):,} ops; up to {MOST_OPS:,} are computed again.")
        for facts in self.facts.values():
            if (size := math.prod(facts["shape"])) > LARGEST:
                raise NotRerun(f"A tensor of this step has {size:,} elements, too many to compute with here.")
        played = self.play(None, checked=True)
        played.go_back()
        self.unlike = [number for number, array in self._gradients().items() if not _is_gradient(played, number, array)]
        self._looked = True

    def _gradients(self) -> dict[int, Any]:
        """The gradient of each leaf as recorded, if it was kept whole and no hook changed it."""
        found: dict[int, Any] = {}
        returned = all(self._runs.values())
        for record in self._arrived:
            facts = self.facts.get(record["leaf"])
            if facts is None or record.get("replaces") or self._runs.get(record["run"], True) != returned:
                continue
            array = array_of(record.get("contribution"), facts)
            found[record["leaf"]] = None if array is None else array + found.get(record["leaf"], 0.0)
        return {number: array for number, array in found.items() if array is not None}

    def affected(self, touch: Touch) -> set[int]:
        """The tensors that depend on the changed element. Raises NotRerun if one of them cannot be computed again."""
        found = set() if touch.tensor is None else {touch.tensor}
        for record in self.script:
            if record["type"] == "detached" and record["tensor"] in found:
                found.add(record["result"])
            elif record["type"] == "tensor" and record.get("base") in found and record["id"] not in found:
                raise NotRerun(f"{self.named(record['id'])} looks into the memory of {self.named(record['base'])}, "
                               "which the recording does not follow.")  # fmt: skip
            elif record["type"] == "node":
                mine = record["id"] == touch.node or any(each.get("tensor") in found for each in record["inputs"])
                if mine and record["id"] in self.held:
                    raise NotRerun(
                        f"{_begun(self.held[record['id']])}, so what follows from it cannot be computed again."
                    )
                if mine:
                    found.update(each["id"] for each in record["outputs"])
        return found

    def old(self, touch: Touch) -> float:
        """The recorded value of the element."""
        if touch.tensor is not None:
            facts = self.facts.get(touch.tensor)
            array = None if facts is None or facts.get("type") != "tensor" else array_of(facts.get("value"), facts)
            if array is None:
                raise NotRerun(f"Not every element of {self.named(touch.tensor)} was kept, so it cannot be moved here.")
            if not 0 <= touch.element < array.size:
                raise NotRerun(f"{self.named(touch.tensor)} has {array.size} elements; there is none {touch.element}.")
            return float(array.reshape(-1)[touch.element])
        inputs = self.nodes.get(touch.node or -1, {}).get("inputs", [])
        constant = literal(inputs[touch.input].get("constant") or "None") if touch.input < len(inputs) else None
        if isinstance(constant, bool) or not isinstance(constant, (int, float)):
            raise NotRerun("That is no number which can be moved.")
        return float(constant)

    def named(self, tensor: int) -> str:
        """The tensor's variable, or "a tensor"."""
        return self.facts.get(tensor, {}).get("name") or "a tensor"

    def play(self, touch: Touch | None, checked: bool = False) -> Played:
        """Run all ops once. `checked` compares each result with the recorded one, and holds the ops that differ."""
        return _Playing(self, touch, checked).run()


def _begun(words: str) -> str:
    """The words with a capital letter, to begin a sentence."""
    return words[:1].upper() + words[1:]


def _is_start(record: Record) -> bool:
    return record["type"] == "backward_started"


class _Playing:
    """One run through a step."""

    def __init__(self, step: RecordedStep, touch: Touch | None, checked: bool) -> None:
        self.step, self.touch, self.checked = step, touch, checked
        self.tensors: dict[int, Tensor] = {}
        self.outputs: dict[tuple[int, int], Tensor] = {}
        self.leaves: dict[int, Tensor] = {}
        self.detached: dict[int, int] = {}
        self.losses: list[Tensor] = []
        self.returned: list[Tensor] = []
        self.moved: Tensor | None = None

    def run(self) -> Played:
        for record in self.step.script:
            match record["type"]:
                case "tensor":
                    self._leaf(record)
                case "node":
                    self._node(record)
                case "detached":
                    self.detached[record["result"]] = record["tensor"]
                case "mutated":
                    self._written(record)
                case "backward_started":
                    self._start(record)
        if not self.losses:
            self.losses = self.returned
        if not self.losses:
            self._last_number()
        return Played(self.tensors, self.outputs, self.losses, self.moved, self.leaves)

    def _leaf(self, record: Record) -> None:
        number = record["id"]
        source = self.tensors.get(self.detached.get(number, -1))
        if source is not None:
            self.tensors[number] = source.detach()
            return
        array = array_of(record.get("value"), record)
        if array is None:
            return
        mine = self.touch is not None and self.touch.tensor == number
        if self.touch is not None and mine:
            array = array.copy()
            array.reshape(-1)[self.touch.element] = self.touch.value
        leaf = tensor_of(array, record, requires_grad=record.get("requires_grad", False) or mine)
        self.tensors[number] = self.leaves[number] = leaf
        if mine:
            self.moved = leaf

    def _written(self, record: Record) -> None:
        """Note a write by the program outside of any op."""
        facts = self.step.facts.get(record["tensor"])
        if record.get("grad") or record.get("node") is not None or facts is None:
            return
        array = array_of(record.get("value"), facts)
        self.tensors.pop(record["tensor"], None)
        if array is not None:
            self.tensors[record["tensor"]] = tensor_of(array, facts, requires_grad=False)

    def _node(self, record: Record) -> None:
        reason = self.step.held.get(record["id"])
        outputs: tuple[Tensor, ...] = ()
        if reason is None:
            try:
                outputs = self._computed(record)
            except (NotSaid, NotRerun) as error:
                reason = str(error)
            except Exception as error:  # the op may reject its arguments in any way
                reason = f"{record['op']} cannot be run from what was recorded of it ({type(error).__name__})"
            if reason is not None and not self.checked:
                raise NotRerun(f"{_begun(reason)}.")
        if reason is not None:
            self.step.held[record["id"]] = reason
            outputs = ()
        for k, facts in enumerate(record["outputs"]):
            if outputs:
                self._keep(record["id"], k, facts["id"], outputs[k])
                continue
            self.tensors.pop(facts["id"], None)
            array = array_of(facts.get("value"), facts)
            if array is not None:
                self.tensors[facts["id"]] = tensor_of(array, facts, requires_grad=False)

    def _keep(self, node: int, output: int, number: int, result: Tensor) -> None:
        if result.requires_grad and not result.is_leaf:
            result.retain_grad()
        self.tensors[number] = self.outputs[node, output] = result

    def _computed(self, record: Record) -> tuple[Tensor, ...]:
        op = op_of(record)
        inputs = [self._input(record, i, each) for i, each in enumerate(record["inputs"])]
        if op.contiguous_only:
            inputs = [each.contiguous() if isinstance(each, Tensor) else each for each in inputs]
        with set_grad_enabled(self._records(record)):
            result = op(*inputs)
        outputs = result if isinstance(result, tuple) else (result,)
        if len(outputs) != len(record["outputs"]):
            raise NotSaid(f"{record['op']} gave {len(outputs)} outputs again, where {len(record['outputs'])} came")
        for facts, mine in zip(record["outputs"], outputs, strict=True):
            if list(mine.shape) != facts["shape"]:
                raise NotSaid(f"{record['op']} gave another shape than was recorded")
            if self.checked and not _alike(mine, array_of(facts.get("value"), facts)):
                raise NotSaid(f"{record['op']} gave other numbers again than were recorded, as where it draws them")
        return outputs

    def _input(self, record: Record, index: int, said: Record) -> Any:
        touch = self.touch
        if touch is not None and touch.node == record["id"] and touch.input == index:
            return self._constant(record, touch.value)
        if said.get("tensor") is None:
            if said.get("constant") == EARLIER:
                raise NotSaid(f"{record['op']} used a result of an earlier step")
            return literal(said.get("constant") or "None")
        found = self.tensors.get(said["tensor"])
        if found is None:
            raise NotSaid(f"{record['op']} used {self.step.named(said['tensor'])}, of which not every element was kept")
        return found

    def _constant(self, record: Record, value: float) -> Any:
        """A constant of the program, as a tensor without dimensions so that it gets a gradient."""
        kind = record["outputs"][0]["dtype"]
        if kind not in ("float32", "float64"):
            return value
        self.moved = tensor_of(np.asarray(value), {"dtype": kind}, requires_grad=True)
        return self.moved

    def _records(self, record: Record) -> bool:
        """Whether gradients pass this op: not if it ran under no_grad with an input that requires a gradient."""
        if record.get("recorded", True):
            return True
        numbers = [each.get("tensor") for each in record["inputs"]]
        return not any(self.step.facts.get(number or -1, {}).get("requires_grad") for number in numbers)

    def _start(self, record: Record) -> None:
        for root in record["roots"]:
            found = self.tensors.get(root.get("tensor") or -1)
            facts = self.step.facts.get(root.get("tensor") or -1)
            if found is None or facts is None:
                continue
            seed = array_of(root.get("value"), facts)
            if seed is not None and not (seed == 1).all():
                found = found * make_tensor(seed, dtype=found.dtype)
            losses = self.returned if record.get("captures") else self.losses
            losses.append(found.sum() if found.ndim else found)

    def _last_number(self) -> None:
        """Without a backward, use the result of the last op with a single element as the loss."""
        for record in reversed(self.step.nodes.values()):
            found = self.outputs.get((record["id"], 0))
            if found is not None and found.numel() == 1 and found.dtype.is_floating_point:
                self.losses.append(found if found.ndim == 0 else found.sum())
                return


def _is_gradient(played: Played, number: int, recorded: Any) -> bool:
    leaf = played.leaves.get(number)
    return leaf is None or (leaf.grad is not None and _alike(leaf.grad, recorded))


def _alike(mine: Tensor, recorded: Any) -> bool:
    if recorded is None:
        return True
    ours = np.asarray(mine.detach().numpy(), dtype=np.float64)
    theirs = np.asarray(recorded, dtype=np.float64)
    finite = np.isfinite(theirs)
    if not np.array_equal(finite, np.isfinite(ours)):
        return False
    if not finite.any():
        return True
    size = max(1e-30, float(np.abs(theirs[finite]).max()))
    return bool(np.abs(ours[finite] - theirs[finite]).max() <= TOLERANCE * size)
