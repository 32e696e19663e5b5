"""The outcome of a step: its loss, and its gradient norms, each parameter's and that of all of them together.

With an optimiser they are the gradients that it has just moved by, clipped where they were clipped. A program that
moves its leaves by hand says nothing of it, and has often cleared their gradients when that is noticed: then it is the
gradient that a leaf had when it was last written to.

Where values are taken, every gradient was measured when it arrived, and its length is known; else it is looked up now.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from types import FrameType
from typing import TYPE_CHECKING, Any

from ..framework import Framework
from .steps import Leaf
from .values import said_loss

if TYPE_CHECKING:
    from .ledger import Ledger

Record = dict[str, Any]


def outcome(ledger: Ledger, optimizer: Any, frame: FrameType | None) -> Record:
    """The fields of the record that ends a step, which `optimizer` took, if any, in the user's `frame`."""
    name = None if optimizer is None else type(optimizer).__name__
    called: Record = {} if ledger.loss_name is None else {"loss_name": ledger.loss_name}
    if optimizer is not None and optimizer not in ledger.optimisers:
        ledger.optimisers.add(optimizer)
        called["optimizer_new"] = True
    return {"optimizer": name, **said_loss(ledger.loss), **called, **norms(ledger, optimizer, frame)}


def norms(ledger: Ledger, optimizer: Any, frame: FrameType | None) -> Record:
    """The fields ``grad_norm`` and ``grad_norms`` of the record that ends a step."""
    leaves, framework = ledger.boundary.leaves, ledger.framework
    taking = ledger.sampling.taking
    values: list[tuple[Any, Record | None]]
    if optimizer is None:
        values = list(by_hand(leaves, ledger.gradient, framework))
    else:
        values = [(each, ledger.gradient(framework.grad(each))) for each in parameters_of(optimizer, framework)]
    if ledger.sampling.mode == "none":
        squared = (value["norm"] for _, value in values if value is not None)
        return {"grad_norm": together(math.inf if length is None else length**2 for length in squared)}
    each, lengths = [], []
    for tensor, value in values:
        each.append((said_of(ledger, tensor, frame) if taking else called(ledger, tensor)) | said_norm(value))
        if value is not None:
            lengths.append(each[-1]["norm"])
    total = together(math.inf if length is None else length**2 for length in lengths)
    return {"grad_norm": total, "grad_norms": each} if each else {"grad_norm": total}


def parameters_of(optimizer: Any, framework: Framework) -> Iterable[Any]:
    """The parameters that an optimiser moves, or would if there came a gradient, in its order."""
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            wanted = framework.has_elements(parameter)
            if wanted and (framework.requires_grad(parameter) or framework.grad(parameter) is not None):
                yield parameter


def by_hand(leaves: Iterable[Leaf], value: Callable[[Any], Any], framework: Framework) -> Iterable[tuple[Any, Record]]:
    """The leaves that backward has reached, each with the gradient that it was moved by, or else has."""
    for leaf in leaves:
        tensor = leaf.ref()
        used = leaf.used if tensor is None or leaf.used is not None else value(framework.grad(tensor))
        if tensor is not None and used is not None:
            yield tensor, brief(used) if isinstance(used, float) else used


def said_of(ledger: Ledger, tensor: Any, frame: FrameType | None) -> Record:
    """The tensor's number; one that this step did without is introduced now."""
    known = ledger.tensor(tensor, frame)
    return {"tensor": known.id, "name": known.name}


def called(ledger: Ledger, tensor: Any) -> Record:
    """The tensor's number, where the step does without its record."""
    known = ledger.tensors.get(tensor)
    return {"tensor": known.id, "name": known.name}


def brief(squares: float) -> Record:
    """The value of a gradient of which nothing is known but that its squares add up so.

    >>> brief(9.0)["norm"], brief(math.nan)["nan"]
    (3.0, 1)
    """
    finite = math.isfinite(squares)
    broken = {"nan": int(math.isnan(squares)), "inf": int(math.isinf(squares))}
    return {"norm": math.sqrt(squares) if finite else None, "min": 0.0, **broken}


def said_norm(value: Record | None) -> Record:
    """The length of a gradient that was measured; JSON has no number for one with a NaN or an infinity in it.

    >>> said_norm({"norm": 0.5, "nan": 0, "inf": 0}), said_norm({"norm": 0.5, "nan": 0, "inf": 2}), said_norm(None)
    ({'norm': 0.5}, {'norm': None, 'not_finite': 'inf'}, {'norm': None})
    """
    if value is None:
        return {"norm": None}
    if value["nan"] or value["inf"]:
        return {"norm": None, "not_finite": "nan" if value["nan"] else "inf"}
    if value["norm"] is None:  # of no elements, or of such as are too large to be squared
        return {"norm": 0.0} if value["min"] is None else {"norm": None, "not_finite": "inf"}
    return {"norm": value["norm"]}


def together(squared: Iterable[float]) -> float | None:
    """The length of gradients of which each is so long, squared; None where there are none, or it is no number.

    >>> together([9.0, 16.0]), together([]), together([1.0, math.inf])
    (5.0, None, None)
    """
    found = list(squared)
    total = math.fsum(found) if all(map(math.isfinite, found)) else math.inf
    return math.sqrt(total) if found and math.isfinite(total) else None
