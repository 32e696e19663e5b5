"""Plans: what an op saves and which gradients it computes, worked out once for each set of inputs that need one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .op import Op

NOTHING: tuple[Any, ...] = ()


class Plan:
    """What an op saves and computes if exactly these inputs need a gradient. Created at first use, once per op class.

    saves     the names of what the op keeps
    sources   for each of these, its place among inputs and outputs
    only      the place of the only thing that is kept, if that is an input; else None
    rest      the number of the first input from which all inputs are kept, for ops with any number of them, else None
    remade    the kept values that are outputs, as (place, output number)
    rules     (input number, gradient method, what picks its arguments from kept values and gradients)
    joint     the one method for all gradients, for ops that have it
    lone      the only rule, if there is just one and it asks for at most one kept value, and whether it does; `Op.run`
              then needs no lists
    """

    __slots__ = ("saves", "sources", "only", "rest", "rules", "remade", "joint", "lone")

    def __init__(self, op: type[Op], needed: Sequence[int]) -> None:
        self.joint = op.backward
        methods = [(i, op.rule_of(i)) for i in needed] if self.joint is None else [(0, self.joint)]
        self.saves: list[str] = []
        for _, method in methods:
            for name in parameters_of(method)[0]:
                if not name.startswith("grad_") and name not in self.saves:
                    self.saves.append(name)
        known = (*op.inputs_named, *op.outputs_named)
        self.rest = op.inputs_named.index(op.many) if op.many in self.saves else None
        self.sources = tuple(known.index(name) for name in self.saves if name != op.many)
        inputs = len(op.inputs_named)
        self.remade = tuple((i, s - inputs) for i, s in enumerate(self.sources) if s >= inputs)
        self.only = self.sources[0] if self.rest is None and len(self.sources) == 1 > len(self.remade) else None
        places = {name: i for i, name in enumerate(self.saves)}
        for i, name in enumerate(op.outputs_named[1:]):
            places["grad_" + name] = len(self.saves) + i
        asked = [[places[name] for name in parameters_of(method)[0]] for _, method in methods]
        self.rules = tuple((i, method, picking(wanted)) for (i, method), wanted in zip(methods, asked, strict=True))
        alone = self.joint is None and len(self.rules) == 1 and len(op.outputs_named) == 1 and len(self.saves) <= 1
        self.lone = (*methods[0], bool(self.saves)) if alone else None

    def kept(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> list[Any]:
        """Return the values to save, chosen from the inputs and outputs."""
        known = (*inputs, *outputs)
        values = [known[i] for i in self.sources]
        return values if self.rest is None else [*values, *inputs[self.rest :]]


def picking(places: list[int]) -> Callable[[Any], Sequence[Any]]:
    """Return a function that picks the values at these places, as a sequence."""
    if len(places) > 1:
        return itemgetter(*places)
    return itemgetter(slice(places[0], places[0] + 1) if places else slice(0))


def parameters_of(method: Any) -> tuple[tuple[str, ...], str]:
    """Return a method's parameters after the first two, and the name of the one that takes any number of values.

    `inspect.signature` would take twenty times as long, for a thousand methods at every import.
    """
    code = method.__code__
    count = code.co_argcount
    many = code.co_varnames[count] if code.co_flags & inspect.CO_VARARGS else ""
    return code.co_varnames[2 : count + bool(many)], many
