"""The outcome of a step: its loss, the gradient norm of each parameter, and the norm of all gradients together.

With an optimiser, these are the gradients that it has just used, after clipping. A program that moves its leaves by
hand does not announce it, and has often cleared their gradients before that is noticed: then it is the gradient that a
leaf had when it was last written to.

If the step takes values, every gradient was measured when it arrived, and its norm is known; else it is measured now.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any

from ..framework import Framework
from .identity import KnownTensor, Loss
from .steps import Leaf
from .values import said_loss

if TYPE_CHECKING:
    from .ledger import Ledger

Record = dict[str, Any]
Used = Record | float | None
"""The gradient that a step used: its measurement, or only the sum of its squares, or None if there is none."""


def outcome(ledger: Ledger, optimizer: Any, frame: FrameType | None) -> Record:
    """The fields of the record that ends a step. If an `optimizer` took the step, `frame` is the user's frame."""
    framework, loss = ledger.framework, ledger.boundary.loss
    if optimizer is None:
        used = list(by_hand(ledger.boundary.leaves, ledger.used, framework))
        return {"optimizer": None, **_said(loss), **norms(ledger, used, frame)}
    moved = [(ledger.tensors.get(each), framework.grad(each)) for each in parameters_of(optimizer, framework)]
    told = _said(loss_of([known for known, _ in moved], loss))
    for known, _ in moved:
        known.loss = None
    if optimizer not in ledger.optimisers:
        ledger.optimisers.add(optimizer)
        told["optimizer_new"] = True
    used = [(known, ledger.used(grad)) for known, grad in moved]
    return {"optimizer": type(optimizer).__name__, **told, **norms(ledger, used, frame)}


def _said(loss: Loss | None) -> Record:
    if loss is None:
        return said_loss(None)
    return {**said_loss(loss.value), **({} if loss.name is None else {"loss_name": loss.name})}


def loss_of(parameters: Iterable[KnownTensor], last: Loss | None) -> Loss | None:
    """The loss that moved these parameters of an optimiser: of the last backward run that reached one of them.

    So the losses of two nets that are trained side by side are told apart. If no run reached any, it is the `last` loss
    of this step: of `autograd.grad`, for example.
    """
    return max((known.loss for known in parameters if known.loss is not None), default=last)


def joined(moves: Sequence[Record]) -> Record:
    """The outcome of a step that several optimisers took one after the other on the gradients of one loss.

    >>> one, other = {"optimizer": "SGD", "loss": 2.0, "grad_norm": 3.0}, {"optimizer": "Adam", "grad_norm": 4.0}
    >>> joined([one, other]) == {"optimizer": "SGD + Adam", "loss": 2.0, "grad_norm": 5.0}
    True
    """
    if len(moves) == 1:
        return moves[0]
    both: Record = {}
    for move in moves:
        both = {**move, **both}
    each = [one for move in moves for one in move.get("grad_norms", ())]
    lengths = [move["grad_norm"] for move in moves if move["grad_norm"] is not None]
    broken = [math.inf for one in each if "not_finite" in one]
    names = dict.fromkeys(move["optimizer"] for move in moves if move["optimizer"] is not None)
    both |= {"optimizer": " + ".join(names) or None, "grad_norm": together([*(one * one for one in lengths), *broken])}
    return {**both, "grad_norms": each} if each else both


def norms(ledger: Ledger, used: Sequence[tuple[KnownTensor, Used]], frame: FrameType | None) -> Record:
    """The fields ``grad_norm`` and ``grad_norms`` of the record of a step that has `used` these gradients."""
    each, squared = [], []
    for known, value in used:
        if ledger.sampling.taking and (tensor := known.ref()) is not None:
            ledger.tensor(tensor, frame)  # so that it has a record in this step
        said = said_norm(value)
        each.append({"tensor": known.id, "name": known.name, **said})
        if value is not None:
            length = said["norm"]
            squared.append(math.inf if length is None else length * length)
    total = {"grad_norm": together(squared)}
    return {**total, "grad_norms": each} if each and ledger.sampling.mode != "none" else total


def parameters_of(optimizer: Any, framework: Framework) -> Iterable[Any]:
    """The parameters that an optimiser moves, or would move if they had a gradient, in its order."""
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            wanted = framework.grad(parameter) is not None or framework.requires_grad(parameter)
            if wanted and framework.has_elements(parameter):
                yield parameter


def by_hand(
    leaves: Iterable[Leaf], value: Callable[[Any], Any], framework: Framework
) -> Iterable[tuple[KnownTensor, Used]]:
    """The leaves that backward has reached, each with the gradient that moved it, or else with its current gradient."""
    for leaf in leaves:
        used = leaf.moved_by(value, framework)
        if used is not None:
            yield leaf.known, used


def said_norm(value: Used) -> Record:
    """The norm of a gradient, of which a measurement or the sum of its squares is known, as fields of a record.

    JSON cannot write NaN or infinity as numbers.

    >>> said_norm(9.0), said_norm({"norm": 0.5, "nan": 0, "inf": 0}), said_norm(None)
    ({'norm': 3.0}, {'norm': 0.5}, {'norm': None})
    >>> said_norm(math.nan), said_norm({"norm": 0.5, "nan": 0, "inf": 2})
    ({'norm': None, 'not_finite': 'nan'}, {'norm': None, 'not_finite': 'inf'})
    """
    if value is None:
        return {"norm": None}
    if isinstance(value, float):
        if math.isfinite(value):
            return {"norm": math.sqrt(value)}
        return {"norm": None, "not_finite": "nan" if math.isnan(value) else "inf"}
    if value["nan"] or value["inf"]:
        return {"norm": None, "not_finite": "nan" if value["nan"] else "inf"}
    if value["norm"] is None:  # no elements, or elements too large to be squared
        return {"norm": 0.0} if value["min"] is None else {"norm": None, "not_finite": "inf"}
    return {"norm": value["norm"]}


def together(squared: Iterable[float]) -> float | None:
    """The norm of several gradients together, from their squared norms; None if there are none, or if it is not finite.

    >>> together([9.0, 16.0]), together([]), together([1.0, math.inf])
    (5.0, None, None)
    """
    found = list(squared)
    total = math.fsum(found) if all(map(math.isfinite, found)) else math.inf
    return math.sqrt(total) if found and math.isfinite(total) else None
