"""The outcome of a step: its loss, the gradient norm of each parameter, and the norm of all gradients together.

With an optimiser, these are the gradients that it has just used, after clipping. A program that moves its leaves by
hand does not announce it, and has often cleared their gradients before that is noticed: then it is the gradient that a
leaf had when it was last written to.

If the step takes values, every gradient was measured when it arrived, and its norm is known; else it is measured now.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from types import FrameType
from typing import TYPE_CHECKING, Any

from ..framework import Framework
from .identity import KnownTensor, Loss
from .steps import Leaf
from .values import said_loss

if TYPE_CHECKING:
    from .ledger import Ledger

Record = dict[str, Any]


def outcome(ledger: Ledger, optimizer: Any, frame: FrameType | None) -> Record:
    """The fields of the record that ends a step. If an `optimizer` took the step, `frame` is the user's frame."""
    name = None if optimizer is None else type(optimizer).__name__
    loss = ledger.boundary.loss if optimizer is None else loss_of(ledger, optimizer)
    called: Record = {} if loss is None or loss.name is None else {"loss_name": loss.name}
    if optimizer is not None and optimizer not in ledger.optimisers:
        ledger.optimisers.add(optimizer)
        called["optimizer_new"] = True
    value = None if loss is None else loss.value
    return {"optimizer": name, **said_loss(value), **called, **norms(ledger, optimizer, frame)}


def loss_of(ledger: Ledger, optimizer: Any) -> Loss | None:
    """The loss that moved the parameters of `optimizer`: of the last backward run that reached one of them.

    So the losses of two nets that are trained side by side are told apart. If no run reached any, it is the last loss
    of this step: of `autograd.grad`, for example.
    """
    reached: list[Loss] = []
    for parameter in parameters_of(optimizer, ledger.framework):
        known = ledger.tensors.find(parameter)
        if known is not None and known.loss is not None:
            reached.append(known.loss)
            known.loss = None
    return max(reached, default=ledger.boundary.loss)


def norms(ledger: Ledger, optimizer: Any, frame: FrameType | None) -> Record:
    """The fields ``grad_norm`` and ``grad_norms`` of the record that ends a step."""
    leaves, framework = ledger.boundary.leaves, ledger.framework
    values: list[tuple[KnownTensor, Record | None]]
    if optimizer is None:
        values = list(by_hand(leaves, ledger.gradient, framework))
    else:
        parameters = parameters_of(optimizer, framework)
        values = [(ledger.tensors.get(each), ledger.gradient(framework.grad(each))) for each in parameters]
    if ledger.sampling.mode == "none":
        squared = (value["norm"] for _, value in values if value is not None)
        return {"grad_norm": together(math.inf if length is None else length**2 for length in squared)}
    each, lengths = [], []
    for known, value in values:
        if ledger.sampling.taking and (tensor := known.ref()) is not None:
            ledger.tensor(tensor, frame)  # so that it has a record in this step
        each.append({"tensor": known.id, "name": known.name, **said_norm(value)})
        if value is not None:
            lengths.append(each[-1]["norm"])
    total = together(math.inf if length is None else length**2 for length in lengths)
    return {"grad_norm": total, "grad_norms": each} if each else {"grad_norm": total}


def parameters_of(optimizer: Any, framework: Framework) -> Iterable[Any]:
    """The parameters that an optimiser moves, or would move if they had a gradient, in its order."""
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            wanted = framework.has_elements(parameter)
            if wanted and (framework.requires_grad(parameter) or framework.grad(parameter) is not None):
                yield parameter


def by_hand(
    leaves: Iterable[Leaf], value: Callable[[Any], Any], framework: Framework
) -> Iterable[tuple[KnownTensor, Record]]:
    """The leaves that backward has reached, each with the gradient that moved it, or else with its current gradient."""
    for leaf in leaves:
        used = leaf.moved_by(value, framework)
        if used is not None:
            yield leaf.known, brief(used) if isinstance(used, float) else used


def brief(squares: float) -> Record:
    """The value of a gradient, from the sum of its squares alone.

    >>> brief(9.0)["norm"], brief(math.nan)["nan"]
    (3.0, 1)
    """
    finite = math.isfinite(squares)
    broken = {"nan": int(math.isnan(squares)), "inf": int(math.isinf(squares))}
    return {"norm": math.sqrt(squares) if finite else None, "min": 0.0, **broken}


def said_norm(value: Record | None) -> Record:
    """The norm of a measured gradient, as fields of a record: JSON cannot write NaN or infinity as numbers.

    >>> said_norm({"norm": 0.5, "nan": 0, "inf": 0}), said_norm({"norm": 0.5, "nan": 0, "inf": 2}), said_norm(None)
    ({'norm': 0.5}, {'norm': None, 'not_finite': 'inf'}, {'norm': None})
    """
    if value is None:
        return {"norm": None}
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
