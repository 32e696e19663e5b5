"""Rules about the optimiser: which parameters it has, and when it is called."""

from __future__ import annotations

from collections.abc import Iterator

from .finding import Finding
from .steps import Record, Step, Steps

ENOUGH = 3
"""A finding must hold in this many steps."""


def called_amiss(steps: Steps) -> Iterator[Finding]:
    """Find an optimiser that steps without a gradient, twice for one backward, or never."""
    taken = [step for step in steps.all if step.optimizer]
    if not taken:
        yield from _never(steps)
        return
    if len(taken) >= ENOUGH and all(_has_no_gradient(step) and step.backward is None for step in taken):
        if any(step.backward for step in steps.all):
            words = "The optimiser's step() comes before backward(): it never finds a gradient."
            yield Finding("order", words, _at_backward(steps), "The order is zero_grad(), backward(), step().")
        else:
            words = f"The optimiser took {steps.count} steps, and backward() never ran: no parameter has a gradient."
            yield Finding("no_backward", words, None, "Call loss.backward() before step().")
        return
    again = [step for step in taken[1:] if _is_a_second(steps, step)]
    if len(again) >= ENOUGH:
        at = next((each.at for each in again[-1].writes if each.at), None)
        words = f"step() is called twice for one backward: the same gradients move all again ({len(again)} times seen)."
        yield Finding("double_step", words, at, "Call step() once after each backward.")


def made_anew(steps: Steps) -> Iterator[Finding]:
    """Find a program that makes a new optimiser for each step, and so loses its state."""
    taken = [step for step in steps.all if step.optimizer not in (None, "SGD")]
    moved = [{each["tensor"] for each in step.norms} for step in taken]
    new = [bool(step.ended and step.ended.get("optimizer_new")) for step in taken]
    if len(taken) > ENOUGH and all(new) and all(each and each == moved[0] for each in moved):
        words = f"Each step has a new {taken[-1].optimizer}: what it remembers of earlier gradients begins anew."
        yield Finding("optimiser_anew", words, None, "Make the optimiser once, before the loop.")


def _has_no_gradient(step: Step) -> bool:
    return all(each.get("norm") is None and not each.get("not_finite") for each in step.norms)


def _is_a_second(steps: Steps, step: Step) -> bool:
    """Whether nothing was computed since the step before, by the same optimiser with the same gradients."""
    every = steps.all
    before = every[every.index(step) - 1]
    if before.number != step.number - 1:
        return False
    if step.nodes or step.backward or not step.norms or before.optimizer != step.optimizer or before.backward is None:
        return False
    return [(each["tensor"], each.get("norm")) for each in step.norms] == [
        (each["tensor"], each.get("norm")) for each in before.norms
    ]


def _at_backward(steps: Steps) -> Record | None:
    return next((step.backward.get("at") for step in reversed(steps.all) if step.backward), None)


def _never(steps: Steps) -> Iterator[Finding]:
    """Find a program that computes and clears gradients but never steps."""
    passes = [step for step in steps.all if step.arrived]
    if len(passes) < ENOUGH + 1:
        return
    leaves = set(passes[0].arrived)
    if leaves & steps.written:
        return
    same = all(set(step.arrived) == leaves for step in passes)
    trained = all(steps.is_parameter(leaf) for leaf in leaves)
    if not (same and trained and all(_begins_anew(step, leaf) for step in passes for leaf in leaves)):
        return
    if any(
        step.values[leaf] != passes[0].values[leaf]
        for step in passes
        for leaf in leaves
        if _known(step, passes[0], leaf)
    ):
        return
    words = f"Gradients come in {len(passes)} passes and are cleared each time, but nothing moves the parameters."
    yield Finding("no_step", words, _at_backward(steps), "Call optimizer.step() after backward.")


def _begins_anew(step: Step, leaf: int) -> bool:
    new, total = (step.arrived[leaf].get(each) or {} for each in ("contribution", "total"))
    return bool(new.get("norm") == total.get("norm") is not None)


def _known(step: Step, first: Step, leaf: int) -> bool:
    return leaf in step.values and leaf in first.values


def unowned(steps: Steps) -> Iterator[Finding]:
    """Find parameters that get gradients, but that no optimiser has."""
    taken = [step for step in steps.all if step.optimizer and step.nodes]
    if len(taken) < ENOUGH:
        return
    if not steps.moved:
        yield from _moves_nothing(steps, taken)
        return
    fresh = _new_each_time(steps, taken)
    if fresh is not None:
        words = f"{fresh[0]} is new in every step: what it learns is lost."
        yield Finding("not_registered", words, fresh[1], "Make the module once, in __init__.")
        return
    left = [leaf for leaf in taken[-1].arrived if all(_is_left(steps, step, leaf) for step in taken[-ENOUGH:])]
    left = [leaf for leaf in left if leaf not in steps.asked or steps.is_parameter(leaf)]
    idle = [leaf for leaf in steps.moved if not any(leaf in step.uses for step in steps.all)]
    for leaf in left:
        use = taken[-1].uses[leaf][0]
        name = steps.name(leaf)
        more = f" (and {len(left) - 1} more)" if len(left) > 1 else ""
        if not steps.is_parameter(leaf):
            words = f"{name}{more} gets gradients, but no optimiser moves it: it is no nn.Parameter."
            yield Finding(
                "not_registered", words, use.get("at"), "Make it an nn.Parameter, or give it to the optimiser."
            )
            return
        if _is_unregistered(steps, use):
            words = (
                f"{name}{more} gets gradients, but no optimiser moves it: its module is not registered in {_root(use)}."
            )
            advice = "Keep modules in nn.ModuleList, nn.ModuleDict or as attributes: not in a list or dict."
            yield Finding("not_registered", words, use.get("at"), advice)
            return
        if idle:
            words = f"{name}{more} gets gradients, but no optimiser moves it"
            words += f"; the optimiser moves {len(idle)} parameters that nothing uses: it was made for other modules."
            yield Finding("unowned", words, use.get("at"), "Make the optimiser after the net has its last form.")
            return
    if left and _is_a_last_layer(steps, taken, left):
        use = taken[-1].uses[left[0]][0]
        names = " and ".join(map(steps.name, left))
        verb = "gets gradients" if len(left) == 1 else "get gradients"
        words = f"{names} {verb}, but no optimiser moves it: it has the {len(steps.moved)} parameters before it alone."
        yield Finding("unowned", words, use.get("at"), "Give the optimiser this layer's parameters too, or freeze it.")


def _moves_nothing(steps: Steps, taken: list[Step]) -> Iterator[Finding]:
    """Find optimisers that have frozen parameters alone, while others get gradients."""
    last = taken[-1]
    left = [leaf for leaf in last.arrived if steps.is_parameter(leaf) and _is_left(steps, last, leaf)]
    if not left or not steps.enough(ENOUGH) or not all(step.arrived for step in taken):
        return
    others = f" and {len(left) - 1} more get" if len(left) > 1 else " gets"
    words = f"{last.optimizer} moves nothing: all its parameters are frozen. {steps.name(left[0])}{others} gradients, "
    words += f"and no optimiser has {'them' if len(left) > 1 else 'it'}."
    advice = "Give the optimiser the parameters that are to learn: those with requires_grad=True."
    yield Finding("unowned", words, last.uses[left[0]][0].get("at"), advice)


def _is_left(steps: Steps, step: Step, leaf: int) -> bool:
    return leaf in step.arrived and leaf in step.uses and leaf not in steps.moved and leaf not in steps.written


def _is_a_last_layer(steps: Steps, taken: list[Step], left: list[int]) -> bool:
    """Whether these are one layer, used once, after at least two whole layers that the optimiser moves.

    So a net through which a prompt, an adapter or an image is trained is not reported: more than its last layer is
    left.
    """
    step = taken[-1]
    moved = [leaf for leaf in steps.moved if leaf in step.arrived and leaf in step.uses]
    weights = [leaf for leaf in moved if _is_weight(steps, leaf)]
    if sum(_is_weight(steps, leaf) for leaf in left) != 1 or len(weights) < 2:
        return False
    if any(len(step.uses[leaf]) != 1 for leaf in left) or not all(map(steps.is_parameter, left)):
        return False
    if len({use["id"] for leaf in left for use in step.uses[leaf]}) != 1 or any(map(_is_given, _values(taken, left))):
        return False
    return step.uses[left[0]][0]["id"] > max(use["id"] for leaf in moved for use in step.uses[leaf])


def _is_weight(steps: Steps, leaf: int) -> bool:
    return len(steps.shape(leaf)) >= 2


def _values(taken: list[Step], left: list[int]) -> Iterator[list[Record]]:
    """The values of each of these leaves, step by step, where they are known."""
    return ([step.values[leaf] for step in taken if leaf in step.values] for leaf in left)


def _is_given(values: list[Record]) -> bool:
    """Whether the program has put other elements into the leaf."""
    return any(each != values[0] for each in values[1:])


def _root(use: Record) -> str:
    return str((use.get("scope") or ["the net"])[0].partition(":")[0])


def _is_unregistered(steps: Steps, use: Record) -> bool:
    scope = use.get("scope") or []
    if len(scope) < 2 or scope[0] not in steps.modules:
        return False
    path = ".".join(each.rpartition(":")[0] for each in scope[1:])
    last = scope[-1].rpartition(":")[0]
    return path not in steps.modules[scope[0]] and last not in steps.modules[scope[0]]


def _new_each_time(steps: Steps, taken: list[Step]) -> tuple[str, Record | None] | None:
    """A parameter that a module creates anew in each step, so that no optimiser moves it; None if there is none."""
    for leaf in taken[-1].arrived:
        use = next(iter(taken[-1].uses.get(leaf, ())), None)
        if use is None or leaf in steps.moved or not steps.is_parameter(leaf):
            continue
        alike = 0
        for step in taken[-ENOUGH - 1 : -1]:
            others = [one for one in step.arrived if _is_alike(steps, step, one, leaf, use)]
            alike += bool(others) and leaf not in step.uses
        if alike == min(ENOUGH, len(taken) - 1) and _is_unregistered(steps, use):
            return steps.name(leaf), use.get("at")
    return None


def _is_alike(steps: Steps, step: Step, one: int, leaf: int, use: Record) -> bool:
    uses = step.uses.get(one, ())
    return (
        steps.shape(one) == steps.shape(leaf)
        and one not in steps.moved
        and any(each.get("at") == use.get("at") for each in uses)
    )
