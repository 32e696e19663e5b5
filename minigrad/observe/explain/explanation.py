"""`mg.explain(x)`: explain in plain words why ``x.grad`` is None, or how it came to be.

The answer comes from the tensor, the graphs in memory, and the variables of the caller. If the program is recorded, the
answer also names the lines.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from ...core.tensor import Tensor
from ...errors import ArgumentTypeError
from ..framework import MINIGRAD, Framework, framework_of, framework_of_module
from ..record.recorder import ACTIVE
from ..source.callsites import caller
from ..source.naming import tensor_in
from .formula import plain
from .paths import Path, cut_of, detached_after, paths_to, recorded_place, was_walked


@dataclass
class Explanation:
    """The answer. ``verdict`` is one word for programs: accumulated, not_yet, unused, detached, no_grad, ..."""

    verdict: str
    summary: str
    details: list[str] = field(default_factory=list)
    advice: str = ""

    def __str__(self) -> str:
        lines = [self.summary, *(f"  · {each}" for each in self.details)]
        if self.advice:
            lines.append(f"  → {self.advice}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        details = "".join(f"\n- {each}" for each in self.details)
        return f"**{self.summary}**{details}" + (f"\n\n{self.advice}" if self.advice else "")


def explain(x: Any, name: str | None = None) -> Explanation:
    """Why ``x.grad`` is None, or how it came to be. `name` is what the answer calls `x`, by default its variable.

    >>> import minigrad as mg
    >>> w = mg.tensor(2.0, requires_grad=True)
    >>> loss = w * w
    >>> mg.explain(w)
    w.grad is None, because backward has not run yet.
      · loss is computed from w: as a of Mul, as b of Mul.
      → Call loss.backward().
    """
    framework = _framework(x)
    if framework is None:
        hint = ". For why a .grad is None, give the tensor itself, without .grad" if x is None else ""
        raise ArgumentTypeError(f"explain takes a tensor, not {type(x).__name__}{hint}.")
    question = Question(x, caller(), name, framework)
    if framework.grad(x) is not None:
        return question.how_it_came()
    return question.why_none()


def _framework(x: Any) -> Framework | None:
    """The framework of the tensor `x`: minigrad, or PyTorch, watched or not; None if `x` is no tensor."""
    if isinstance(x, Tensor):
        return MINIGRAD
    if type(x).__module__.partition(".")[0] == "torch" and "torch" in sys.modules:
        framework_of_module(sys.modules["torch"])
    framework = framework_of(x)
    return None if framework is MINIGRAD else framework


class Question:
    """A question about one tensor, with the variables of the caller."""

    def __init__(self, x: Any, frame: FrameType | None, name: str | None, framework: Framework) -> None:
        self.x = x
        self.frame = frame
        self.framework = framework
        self.lib = "mg" if framework is MINIGRAD else framework.name
        """The name under which the program imports the framework."""
        self.name = name or tensor_in(frame, x, framework) or self._recorded_name() or "x"

    # The tensor has a gradient

    def how_it_came(self) -> Explanation:
        """The contributions to the gradient: as recorded, or else as found in the graphs in memory."""
        grad = self.framework.grad(self.x)
        assert grad is not None
        told = self._recorded()
        paths = told or self._paths_from_variables()
        size = self._size(grad)
        if not self.x.is_leaf:
            head = f"{self.name}.grad is {size}: {self.name} is not a leaf, but retain_grad() keeps its gradient."
            return Explanation("retained", head, [_spoken(path) for path in paths])
        count = "one contribution" if paths else "what was put there"
        count = f"the sum of {len(paths)} contributions" if len(paths) > 1 else count
        details = [_spoken(path) for path in paths]
        runs = len({path["run"] for path in told})
        advice = ""
        if runs > 1:
            details.append(f"They came in {runs} backward passes: .grad keeps adding up until it is cleared.")
            clear = f"optimizer.zero_grad(), or {self.name}.grad = None"
            advice = f"If that was not meant, clear it before each backward: {clear}."
        elif not told:
            watch = f"minigrad.watch({self.lib})" if self.lib != "mg" else "mg.watch() or mg.observe.record()"
            advice = f"With {watch} on, every contribution is known with its line."
        return Explanation("accumulated", f"{self.name}.grad is {size}: {count}.", details, advice)

    # The tensor has no gradient

    def why_none(self) -> Explanation:
        """Why there is no gradient: the first reason that applies."""
        x, name = self.x, self.name
        if hasattr(type(x), "materialize"):
            head = f"{name}.grad is None, because its lazy layer has not been called: {name} has no shape yet."
            advice = "Call the layer in forward; or leave it out if it is not needed."
            return Explanation("shapeless", head, [], advice)
        dtype = self.framework.facts(x)["dtype"]
        if not dtype.startswith(("float", "bfloat", "complex")):
            head = f"{name}.grad is None, because {name} holds {dtype}: only floating-point and complex tensors"
            make = f"{self.lib}.tensor(..., dtype={self.lib}.float32, requires_grad=True)"
            advice = f"Make it one of floats if it is meant to be learnt: {make}."
            return Explanation("integer", f"{head} have gradients.", [], advice)
        if not x.requires_grad:
            return self._wants_none()
        if not x.is_leaf:
            return self._not_a_leaf()
        return self._leaf_without()

    def _not_a_leaf(self) -> Explanation:
        place = self.framework.place(self.x)
        assert place is not None
        made = self.framework.op_name(place[0])
        made = f"{self.name} is the result of {made}{_at(recorded_place(place[0]))}, not a leaf."
        if self.x.retains_grad:
            return self._no_backward_yet("not_yet", [made, "retain_grad() is on, so backward will leave it here."])
        other = "" if self.name == "loss" else f", or {self.lib}.autograd.grad(loss, {self.name}) to get it"
        advice = f"Call {self.name}.retain_grad() before backward to keep it{other}."
        return Explanation(
            "not_a_leaf", f"{self.name}.grad is None, because {self.name} is not a leaf.",
            [made, "Backward passes gradients through such a tensor, and leaves them only at leaves."], advice,
        )  # fmt: skip

    def _wants_none(self) -> Explanation:
        """The answer for a tensor that does not require a gradient: detached, made without recording, or just data."""
        x, name = self.x, self.name
        head = f"{name}.grad is None, because {name} does not require a gradient."
        cut = cut_of(x)
        if cut is not None:
            other_name, place = cut
            detail = f"{name} was cut off from {'the graph' if other_name == name else other_name}{_at(place)}."
            return Explanation("detached", head, [detail], "Use what stands before the cut where it shall flow.")
        for other_name, other in self._variables():
            if other is not x and other.requires_grad and self.framework.shares_memory(other, x):
                return Explanation(
                    "detached", head,
                    [f"{name} shares its memory with {other_name}, which does: it was cut off from it by detach()."],
                    f"Use {other_name} where the gradient shall flow.",
                )  # fmt: skip
        record = self._recorded_node()
        if record is not None and not record["recorded"]:
            sources = [each for each in record["inputs"] if each.get("tensor") is not None]
            cause = "its inputs needed none, or no_grad() was on" if sources else "nothing in it needed one"
            detail = f"It came out of {record['op']}{_at(record.get('at'))}, which was not recorded: {cause}."
            advice = "Compute it outside of no_grad(), from tensors with requires_grad=True."
            return Explanation("no_grad", head, [detail], advice)
        base = self.framework.base(x)
        if base is not None and base.requires_grad:
            return Explanation("no_grad", head, ["It is a view of a tensor that does, made under no_grad()."])
        causes = "It is plain data, or was computed under no_grad(), or left the graph by detach()."
        advice = f"If it is to be learnt: {name}.requires_grad_() before it is used."
        return Explanation("no_requires_grad", head, [causes], advice)

    def _leaf_without(self) -> Explanation:
        told = self._recorded()
        if told:
            return Explanation(
                "cleared", f"{self.name}.grad is None, because it was cleared after backward.",
                [_spoken(path) for path in told], "zero_grad() and .grad = None do that. Read it before.",
            )  # fmt: skip
        found = list(self._results())
        if self.framework.target(self.x) is not None:
            walked = [name for name, other, _ in found if was_walked(other)]
            return self._left_without(walked) if walked else self._no_backward_yet("not_yet", [])
        results = [name for name, other in self._variables() if not other.is_leaf]
        verb = "does" if len(results) == 1 else "do"
        details = [f"{_listed(results)} {verb} not depend on {self.name}."] if results else []
        details += self._cuts()
        details.append("Nothing was computed from it yet, or the result and its graph are gone, or what was computed "
                       "went through detach() or no_grad().")  # fmt: skip
        head = f"{self.name}.grad is None, because no living graph leads to {self.name}."
        advice = "Check that the loss is computed from this very tensor, not from a copy or an older one of that name."
        return Explanation("unused", head, details, advice)

    def _left_without(self, walked: list[str]) -> Explanation:
        """The answer if a backward has run but left no gradient, and no recording says why."""
        head = f"{self.name}.grad is None, though backward has run: it was cleared, or never left there."
        details = [f"Backward has been through the graph of {_listed(walked)}: what that had saved is released."]
        advice = "zero_grad() and .grad = None clear it: read it before. autograd.grad() returns it instead."
        return Explanation("cleared", head, details, advice)

    def _no_backward_yet(self, verdict: str, details: list[str]) -> Explanation:
        results = []
        for name, _, paths in self._results():
            results.append(name)
            uses = _listed([f"as {path['input']} of {path['op']}" for path in paths[:4]])
            details = [*details, f"{name} is computed from {self.name}: {uses}."]
        if len(details) > 4:
            details = [*details[:3], f"and {len(details) - 3} more variables."]
        details = [*details, *self._cuts()]
        advice = "Call backward() on the loss that is computed from it."
        advice = f"Call {results[-1]}.backward()." if results else advice
        return Explanation(verdict, f"{self.name}.grad is None, because backward has not run yet.", details, advice)

    # Where to look

    def _variables(self) -> Iterator[tuple[str, Any]]:
        """The tensors among the variables of the caller."""
        if self.frame is None:
            return
        seen = set()
        for variables in (self.frame.f_locals, self.frame.f_globals):
            for name, value in list(variables.items()):
                if self.framework.has_elements(value) and id(value) not in seen and not name.startswith("_"):
                    seen.add(id(value))
                    yield name, value

    def _results(self) -> Iterator[tuple[str, Any, list[Path]]]:
        """The variables that are computed from `x`, each with the paths to `x`."""
        for name, other in self._variables():
            paths = list(paths_to(other, self.x))
            if other is not self.x and paths:
                yield name, other, paths

    def _cuts(self) -> list[str]:
        """Sentences about the places where values computed from `x` were detached."""
        detached = detached_after(self.x)
        return [f"No gradient comes back through what was cut off from {name}{_at(at)}." for name, at in detached]

    def _paths_from_variables(self) -> list[Path]:
        found: dict[tuple[int, str], Path] = {}
        for _, other in self._variables():
            for path in paths_to(other, self.x):
                found[path["node"], path["input"]] = path
        return list(found.values())

    def _size(self, grad: Any) -> str:
        if not self.framework.has_elements(grad):
            return str(list(grad.shape))
        if grad.numel() == 1:
            return f"{grad.item():.6g}"
        return f"{list(grad.shape)}, of norm {self.framework.squares(grad) ** 0.5:.4g}"

    def _recorded(self) -> list[Path]:
        """The contributions to the gradient that a recorder has seen."""
        for recorder in reversed(ACTIVE):
            known = recorder.trace.ledger.tensors.find(self.x)
            if known is not None and known.arrived:
                return [arrival.told() for arrival in known.arrived]
        return []

    def _recorded_name(self) -> str | None:
        for recorder in reversed(ACTIVE):
            known = recorder.trace.ledger.tensors.find(self.x)
            if known is not None and known.name:
                return known.name
        return None

    def _recorded_node(self) -> Path | None:
        """The record of the op that made `x`, or None."""
        for recorder in reversed(ACTIVE):
            ledger = recorder.trace.ledger
            known = ledger.tensors.find(self.x)
            for node in ledger.nodes if known is not None else ():
                if known in node.outputs:
                    return node.bare
        return None


def _spoken(path: Path) -> str:
    formula = f": {plain(path['formula'])}" if path.get("formula") else ""
    return f"{path['op']}, whose {path['input']} it is{formula}{_at(path.get('at'))}"


def _at(place: Path | None) -> str:
    if not place:
        return ""
    code = f"  `{place['code']}`" if place.get("code") else ""
    return f"  ({place['file']}:{place['line']}{code})"


def _listed(words: list[str]) -> str:
    return ", ".join(words[:5]) + (f" and {len(words) - 5} more" if len(words) > 5 else "")
