"""Rules about gradients: those that never come, are never cleared, or whose tensors were overwritten too early."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .finding import Finding, place
from .steps import Record, Step, Steps, Write
from .units import is_clipped

ENOUGH = 2
"""A gradient must be missing, or left from the step before, in this many steps."""

COUNTED = frozenset(
    ("Argmax", "Argmin", "Gt", "Ge", "Lt", "Le", "Eq", "Ne", "Multinomial", "Bernoulli", "OneHot", "Isnan", "Heaviside")
)
"""Ops whose results are choices or counts, so that they have no gradient."""


def missing(steps: Steps) -> Iterator[Finding]:
    """Find parameters that never had a gradient, grouped by the first reason that applies."""
    if not any(step.backward for step in steps.kept):
        return
    without = [tensor for tensor in steps.moved if tensor not in steps.reached]
    if not steps.moved:
        yield from _leaves_without(steps)
        return
    if not without or not steps.enough(ENOUGH) or len(steps.kept) < ENOUGH:
        return
    for kind, words, at, advice, tensors in _grouped(steps, without):
        names = ", ".join(steps.name(each) for each in tensors[:4])
        more = f" and {len(tensors) - 4} more" if len(tensors) > 4 else ""
        verb = "has" if len(tensors) == 1 else "have"
        if len(tensors) > 1:
            words, advice = of_several(words), of_several(advice)
        yield Finding(kind, f"{names}{more} never {verb} a gradient: {words}.", at, advice)


SEVERAL = {
    "what is computed from it was detached": "what is computed from them was detached",
    "what is computed from it goes into": "what is computed from them goes into",
    "it was detached": "they were detached",
    "no op takes it": "no op takes them",
    "it is used under no_grad() only": "they are used under no_grad() only",
    "it is used, but nothing of it reaches the loss": "they are used, but nothing of them reaches the loss",
    "Use it in forward, or leave it out of the net.": "Use them in forward, or leave them out of the net.",
    "Compute it outside of no_grad().": "Compute them outside of no_grad().",
}
"""Words for one tensor, with the words for several."""


def of_several(words: str) -> str:
    """Turn a phrase about one tensor into one about several.

    >>> of_several("no op takes it")
    'no op takes them'
    """
    for one, several in SEVERAL.items():
        words = words.replace(one, several)
    return words


def _grouped(steps: Steps, without: list[int]) -> list[tuple[str, str, Any, str, list[int]]]:
    groups: dict[tuple[str, str], tuple[str, str, Any, str, list[int]]] = {}
    for tensor in without:
        reason = _reason(steps, tensor)
        if reason is None:
            continue
        kind, words, at, advice = reason
        key = kind, place(at) if at else ""
        groups.setdefault(key, (kind, words, at, advice, []))[4].append(tensor)
    return list(groups.values())


def _reason(steps: Steps, tensor: int) -> tuple[str, str, Record | None, str] | None:
    """Why the tensor has no gradient, with the place and the advice; None if it is right that it has none."""
    for step in reversed(steps.kept):
        cut = _cut(step, tensor)
        if cut is not None:
            words = "what is computed from it was detached" if cut["tensor"] != tensor else "it was detached"
            return "detached", words, cut.get("at"), "Use what stands before the cut where the gradient shall flow."
    uses = [use for step in steps.kept for use in step.uses.get(tensor, ())]
    if not uses:
        return "unused", "no op takes it", None, "Use it in forward, or leave it out of the net."
    recorded = [use for use in uses if use["recorded"]]
    if not recorded:
        return "no_grad", "it is used under no_grad() only", uses[-1].get("at"), "Compute it outside of no_grad()."
    counted = next((at for step in reversed(steps.kept) if (at := _counted(step, tensor)) is not None), None)
    if counted is not None:
        words = f"what is computed from it goes into {counted['op']}, which has no gradient"
        return "not_differentiable", words, counted.get("at"), COUNTING
    if _is_new(steps):
        words = "backward began at a leaf: a new tensor, which hangs on nothing"
        advice = "Call backward() of what was computed, and not of a tensor made of its numbers."
        return "detached", words, (steps.kept[-1].backward or {}).get("at"), advice
    if any(not step.reached(tensor)[1].isdisjoint(step.roots) for step in steps.kept):
        return None  # autograd.grad() began at what it goes into, and only slopes of that are used, as of an energy
    words = "it is used, but nothing of it reaches the loss"
    return "not_in_loss", words, recorded[-1].get("at"), "Check which result the loss is computed from."


COUNTING = "Use a loss of the scores themselves, such as cross_entropy: a comparison or argmax has no slope."


def _counted(step: Step, tensor: int) -> Record | None:
    """The first op without a gradient that uses a value computed from `tensor`."""
    tensors, nodes = step.reached(tensor)
    for node in step.nodes.values():
        counts = node["op"] in COUNTED or (node["op"] == "ToCopy" and "int" in "".join(node["dtypes"][:1]))
        if counts and any(each.get("tensor") in tensors or each.get("node") in nodes for each in node["inputs"]):
            return node
    return None


def _is_new(steps: Steps) -> bool:
    """Whether every backward began at a tensor that no op had made."""
    roots = [root for step in steps.kept if step.backward for root in step.backward["roots"]]
    return bool(roots) and not any(root.get("node") is not None for root in roots)


def _cut(step: Step, tensor: int) -> Record | None:
    """The ``detached`` record of a value computed from `tensor` in this step; None if no such value was detached."""
    if not step.detached:
        return None
    reached, nodes = {tensor}, set()
    for node in step.nodes.values():
        if node["recorded"] and any(
            each.get("tensor") in reached or each.get("node") in nodes for each in node["inputs"]
        ):
            nodes.add(node["id"])
            reached.update(node["outputs"])
    return next((cut for cut in step.detached if cut["tensor"] in reached), None)


def _leaves_without(steps: Steps) -> Iterator[Finding]:
    """Without an optimiser, find leaves whose results were detached and that never had a gradient."""
    if steps.finished is None:
        return  # an optimiser may still follow, or a backward that reaches these leaves
    for step in steps.kept:
        for tensor in step.uses:
            known = steps.tensors.get(tensor, {})
            if tensor in steps.reached or not (known.get("leaf") and known.get("requires_grad")):
                continue
            cut = _cut(step, tensor)
            if cut is not None and step.backward is not None and not step.backward["captures"]:
                words = f"{steps.name(tensor)} has no gradient: what is computed from it was detached."
                yield Finding("detached", words, cut.get("at"), "Use what stands before the cut.")
                return


def nothing_to_learn(steps: Steps) -> Iterator[Finding]:
    """Find a backward of a loss that requires no gradient."""
    error = (steps.finished or {}).get("error") or ""
    if "does not require" not in error and "not require grad" not in error:
        return
    step = steps.kept[-1] if steps.kept else Step(0)
    if step.detached:
        words = "The loss needs no gradient: what it is computed from was detached."
        yield Finding("detached", words, step.detached[-1].get("at"), "Use what stands before the cut.")
        return
    for node in step.nodes.values():
        wanted = [
            each["tensor"] for each in node["inputs"] if steps.tensors.get(each.get("tensor"), {}).get("requires_grad")
        ]
        if node["op"] in COUNTED and any(step.maker(each) for each in node["inputs"]):
            words = f"The loss needs no gradient: it was computed from the result of {node['op']}, which has none."
            yield Finding("not_differentiable", words, node.get("at"), COUNTING)
            return
        if not node["recorded"] and wanted:
            words = f"The loss needs no gradient: {node['op']} was computed under no_grad()."
            yield Finding("no_grad", words, node.get("at"), "Compute it outside of no_grad().")
            return
    used = [tensor for tensor in step.uses if steps.is_parameter(tensor)]
    if used and not any(steps.tensors[tensor].get("requires_grad") for tensor in used):
        words = f"The loss needs no gradient: all {len(used)} parameters that it was computed from are frozen."
        at = step.uses[used[0]][0].get("at")
        yield Finding("frozen", words, at, "Set requires_grad to True for those that are to learn.")
        return
    ends = [node for node in step.nodes.values() if node["recorded"] and not step.users(node)]
    if ends:  # minigrad's own ops that count or choose are not recorded
        words = f"The loss needs no gradient: what was made of the result of {ends[-1]['op']} has none."
        yield Finding("not_differentiable", words, ends[-1].get("at"), COUNTING)


def uncleared(steps: Steps) -> Iterator[Finding]:
    """Find gradients that are added to those of the step before, or cleared before they are used."""
    left, early, last = 0, 0, None
    for step in steps.valued():
        mine = [each["tensor"] for each in step.norms if each["tensor"] in step.arrived]
        stale = [tensor for tensor in mine if _added_to_old(step.arrived[tensor])]
        if step is not steps.kept[0] and mine and len(stale) >= 0.5 * len(mine):
            left, last = left + 1, step
        nothing = [each for each in step.norms if not each.get("norm") and not each.get("not_finite")]
        moved = [_length(step.arrived[tensor].get("contribution")) for tensor in mine]
        if len(nothing) == len(step.norms) and any(moved) and not is_clipped(step):
            early += 1
    if left >= ENOUGH and last is not None and last.backward is not None:
        words = "Gradients are not cleared: each backward adds to what earlier steps left in .grad."
        yield Finding("uncleared", words, last.backward.get("at"), "Call optimizer.zero_grad() before backward.")
    if early >= ENOUGH:
        words = "Gradients are cleared before the optimiser uses them: its step moves nothing."
        yield Finding("cleared_early", words, None, "Call zero_grad() before backward, or after step().")


def _added_to_old(arrived: Record) -> bool:
    new, total = arrived.get("contribution"), arrived.get("total")
    if not new or not total or new.get("norm") is None or total.get("norm") is None:
        return False
    scale = max(abs(total["norm"]), abs(new["norm"]), 1e-30)
    same = abs(new["norm"] - total["norm"]) <= 1e-4 * scale and abs(new["mean"] - total["mean"]) <= 1e-4 * scale
    return not same


def _length(value: Record | None) -> float:
    return (value or {}).get("norm") or 0.0


def overwritten(steps: Steps) -> Iterator[Finding]:
    """Find writes to a leaf or a saved tensor between its use and backward."""
    error = (steps.finished or {}).get("error") or ""
    for step in steps.kept:
        broken = step.error or error
        for write in step.writes:
            known = steps.tensors.get(write.tensor, {})
            leaf = known.get("leaf") and known.get("requires_grad")
            if leaf and not write.after_backward and step.goes_back_through(write.users):
                words = f"{steps.name(write.tensor)} is a leaf and was overwritten between its use and backward."
                yield Finding("in_place", words, write.at, "Change it after backward, under no_grad(), or use a copy.")
                return
        stale = any(each["kind"] in ("stale", "written") for each in step.anomalies)
        if stale or "modified by an inplace" in broken:
            at = next((each.get("at") for each in step.anomalies if each.get("at")), None)
            at = at or next((write.at for write in reversed(step.writes)), None)
            words = "A tensor that backward needs was overwritten after it was saved."
            yield Finding("in_place", words, at, _out_of_place(at))
            return
        hidden = next((write for write in step.writes if _behind_the_back(step, write)), None)
        if hidden is not None:
            words = "A result that backward needs was overwritten through .data: the gradients are wrong."
            advice = "Leave out the .data: with the op that makes a new tensor, the gradient is right."
            yield Finding("in_place", words, hidden.at, advice)
            return
    if "leaf" in error and ("in-place" in error or "in place" in error):
        words = "A leaf that requires a gradient is changed in place outside of no_grad()."
        yield Finding("in_place", words, (steps.finished or {}).get("at"), "Do it under no_grad().")


KEEPS_ITS_RESULT = frozenset(("Sigmoid", "Tanh", "Exp", "Softmax", "LogSoftmax", "Sqrt", "Rsqrt", "Relu"))
"""Ops whose gradient is computed from their own result. That of others is a straight-through estimate after a write."""


def _behind_the_back(step: Step, write: Write) -> bool:
    """Whether a result that its op needs in backward was overwritten through its ``.data``."""
    source = next((cut for cut in step.detached if cut.get("result") == write.tensor), None)
    if source is None or write.after_backward or ".data" not in ((source.get("at") or {}).get("code") or ""):
        return False
    maker = step.makers.get(source["tensor"])
    if maker is None or not maker["recorded"] or maker["op"] not in KEEPS_ITS_RESULT:
        return False
    return step.goes_back_through(frozenset((maker["id"],)))


AUGMENTED = re.compile(r"^\s*([\w.]+) (\+|-|\*|/|//|%|\*\*|@)= (.+)$")
"""`v += x`: the name, the sign, and the rest."""


def _out_of_place(at: Record | None) -> str:
    """How to write the line so that it makes a new tensor."""
    line = AUGMENTED.match((at or {}).get("code") or "")
    if line is None:
        return "Use the op that makes a new tensor: without the underscore."
    name, sign, rest = line.groups()
    rest = f"({rest})" if re.search(r" [-+*/%@] ", rest) and sign not in "+" else rest
    return f"Write {name} = {name} {sign} {rest}, which makes a new tensor."
