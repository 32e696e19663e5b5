"""The text of a failed gradcheck: both Jacobians, the largest error in words, and the formula to suspect.

To find it, the function runs once more while a listener collects the ops it records. Each op is then checked by itself,
along one random direction for each of its inputs. An op whose gradient does not match its forward is named, with the
formula in the docstring of its gradient rule.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .. import events
from ..backend import CPU
from ..core.grad_mode import enable_grad
from ..core.node_call import op_class
from ..core.op import Op
from ..core.tensor import Tensor, wrap
from .gradcheck_compare import (
    Checked,
    GradcheckError,
    Matrix,
    Part,
    Settings,
    agree,
    pull,
    push,
    random_unit,
    slope_along,
    weighted,
)

HOW = {"backward": "backward", "forward": "forward mode"}


def mismatch(
    case: Checked, mode: str, part: Part, number: int, numerical: Matrix, found: Matrix, fast: Any = None
) -> GradcheckError:
    """Return the error for two Jacobians that differ."""
    lead = "Jacobian computed with forward mode mismatch" if mode == "forward" else "Jacobian mismatch"
    text = f"{lead} for output {part.output} with respect to input {number},\n"
    text = part.words + text
    if fast is not None:
        text += f"numerical:{fast[0]}\nanalytical:{fast[1]}\n\n"
        text += "These are products along a random direction, computed in fast mode. "
        text += "Element by element (slow mode):\n\n"
    text += f"numerical:{shown(numerical)}\nanalytical:{shown(found)}\n\n"
    text += in_words(case, mode, part, number, numerical, found) + "\n"
    return GradcheckError(text + "\n".join(advice(case, mode, number, numerical, found)))


def shown(matrix: Matrix) -> str:
    """Return a Jacobian as text: a row for each element of the input, a column for each of the output."""
    return repr(wrap(np.asarray(matrix), CPU))


def in_words(case: Checked, mode: str, part: Part, number: int, numerical: Matrix, found: Matrix) -> str:
    """Describe the element with the largest error in words."""
    place, x = case.moving[number]
    bad = ~np.isclose(found, numerical, rtol=case.settings.rtol, atol=case.settings.atol)
    size = np.where(np.isfinite(found - numerical), np.abs(found - numerical), np.inf)
    row, column = np.unravel_index(np.argmax(np.where(bad, size, -1)), bad.shape)
    true, said = numerical[row, column], found[row, column]
    where = _index(row, x.shape)
    return (
        f"In words: when {_called(case, place)}{where} moves, output {part.output}{_index(column, part.tensor.shape)} "
        f"moves {_number(true)} times as much, but {HOW[mode]} says {_number(said)}{_ratio(said, true)}. "
        f"{int(bad.sum())} of {bad.size} elements disagree; this one is furthest off."
    )


def advice(case: Checked, mode: str, number: int, numerical: Matrix, found: Matrix) -> Iterator[str]:
    """Yield hints on where to look, the likeliest first."""
    place, x = case.moving[number]
    if x.dtype.itemsize < (16 if x.dtype.is_complex else 8):
        yield (
            f"Look at the type: {_called(case, place)} is {x.dtype}, in which differences over {case.settings.eps:g} "
            "are mostly rounding. Use float64 inputs, or a larger eps with looser tolerances."
        )
        return
    named = list(suspects(case, mode))
    for each in named:
        yield (
            f"Look at {each.where}: checked by itself, it gives {_number(each.found)} where the differences give "
            f"{_number(each.numerical)}."
        )
    if not named and not np.any(found):
        yield (
            f"No gradient at all comes to {_called(case, place)}: the graph is cut somewhere. Look for detach(), "
            ".data, no_grad(), item(), or a Function whose backward returns None or is not recorded itself."
        )
    elif not named:
        yield (
            "Every op on the way agrees with its own formula when checked by itself. So look between them: at a "
            "detach() or no_grad() that cuts off a part, at a change in place behind autograd's back, or at a kink "
            f"(abs, max, round) within {case.settings.eps:g} of this very input, where there is no derivative to agree "
            "on."
        )


# Suspects -------------------------------------------------------------------------------------------------------------


class Suspect(NamedTuple):
    """A gradient rule that does not match its forward."""

    where: str
    numerical: complex
    found: complex


def suspects(case: Checked, mode: str) -> Iterator[Suspect]:
    """Run the function once, and return the ops whose gradient is wrong, each rule once."""
    seen: list[Any] = []
    with events.listening(seen.append), enable_grad():
        case.func(*case.inputs)
    known: set[str] = set()
    for event in seen:
        if isinstance(event, events.NodeRecorded) and event.recorded:
            for suspect in _checked(event.node, event.inputs, mode, case.settings):
                if suspect.where not in known:
                    known.add(suspect.where)
                    yield suspect


def _checked(node: Any, inputs: tuple[Any, ...], mode: str, settings: Settings) -> Iterator[Suspect]:
    """Check one op, or one user's Function, at the inputs it ran with."""
    call = node.again() if isinstance(node, Op) else node.user_function.apply
    generator = np.random.default_rng(0)
    for index, each in enumerate(inputs):
        if not (isinstance(each, Tensor) and each.requires_grad):
            continue
        copies = [x.detach().clone() if isinstance(x, Tensor) else x for x in inputs]
        copies[index].requires_grad_()
        fresh = (lambda *args: node.again()(*args)) if isinstance(node, Op) else call
        case = Checked(fresh, tuple(copies), settings._replace(fast=True))
        for number, part in enumerate(case.parts()):
            u, v = random_unit(generator, each.numel()), random_unit(generator, part.tensor.numel())
            x = case.moving[0][1]
            numerical = slope_along(case, number, x, u) @ v
            found = push(case, number, x, u) @ v if mode == "forward" else weighted(pull(part.tensor, x, v), u)
            if not agree(np.asarray(found), np.asarray(numerical), settings):
                yield Suspect(_rule(node, index, mode), numerical, found)
                break


def _rule(node: Any, index: int, mode: str) -> str:
    """Return the name, formula, file and line of the suspected gradient rule."""
    if not isinstance(node, Op):
        function = node.user_function
        method = "jvp" if mode == "forward" else function.rule().__name__
        return f"{function.__name__}.{method} ({type(node).__name__}), and in it at the gradient of input {index}"
    kind: Any = op_class(node)
    name = kind.inputs_named[min(index, len(kind.inputs_named) - 1)]
    if mode == "forward":
        return f"{kind.__name__}.jvp, for input {name!r}"
    rule = kind.backward if kind.backward is not None else kind.rule_of(index)
    formula = (inspect.getdoc(rule) or "").split("\n")[0]
    return f"{kind.__name__}.{rule.__name__} ({node.name()})" + (f", which says {formula}" if formula else "")


# Texts ----------------------------------------------------------------------------------------------------------------


def _called(case: Checked, place: int) -> str:
    """Return an input's number, and its name in the function's signature."""
    try:
        names = [
            each.name
            for each in inspect.signature(case.func).parameters.values()
            if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
        ]
    except (TypeError, ValueError):
        names = []
    return f"input {place}" + (f" ({names[place]})" if place < len(names) else "")


def _index(flat: Any, shape: tuple[int, ...]) -> str:
    """Return the element's index as text; "" for a scalar."""
    return "" if not shape else " at " + str([int(i) for i in np.unravel_index(flat, shape)])


def _number(value: Any) -> str:
    value = complex(value)
    return f"{value.real:.6g}" if not value.imag else f"{value.real:.6g}{value.imag:+.6g}j"


def _ratio(said: Any, true: Any) -> str:
    """Return the ratio of the two values as text; "" if it says nothing."""
    if not (np.isfinite(said) and np.isfinite(true)) or abs(true) < 1e-8 or said == 0:
        return ""
    ratio = said / true
    if abs(complex(ratio).imag) > 1e-6:
        return ""
    return f" ({complex(ratio).real:.4g} times the right number)"


# Other failures -------------------------------------------------------------------------------------------------------


def not_reentrant(case: Checked) -> GradcheckError:
    """Return the error for a backward that gives two different results."""
    return GradcheckError(
        "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives "
        "different values, although analytical gradient matches numerical gradient. The tolerance for nondeterminism "
        f"was {case.settings.nondet_tol}. Look for random numbers, or state that a backward changes; if the difference "
        "is only rounding that cannot be helped, pass nondet_tol=."
    )


def not_zero(case: Checked, number: int, numerical: Matrix) -> GradcheckError:
    """Return the error for outputs that require no gradient although they depend on an input."""
    place, _ = case.moving[number]
    return GradcheckError(
        "Numerical gradient for function expected to be zero: none of its outputs requires a gradient, and yet they "
        f"change when {_called(case, place)} does (numerical: "
        f"{shown(numerical) if np.ndim(numerical) else _number(numerical)}). Look for detach(), .data, no_grad() or "
        "item() on the way."
    )
