"""The checks of `autograd.functional`: arguments, what the user's function returns, and strictness.

In strict mode an output that does not depend on an input is an error; otherwise its derivative is zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.further import zeros_like
from ..core.tensor import Tensor
from ..errors import ArgumentError, ArgumentTypeError, GradError, MissingRuleError, ShapeError

OUTPUTS = "outputs of the user-provided function"


def as_tuple(given: Any, what: str, who: str) -> tuple[bool, tuple[Tensor, ...]]:
    """Return whether `given` is a tuple, and `given` as a tuple. TypeError if it holds anything but tensors."""
    several = isinstance(given, tuple)
    tensors = given if several else (given,)
    for index, each in enumerate(tensors):
        if not isinstance(each, Tensor):
            place = f"the value at index {index}" if several else f"the given {what}"
            raise ArgumentTypeError(
                f"The {what} given to {who} must be either a Tensor or a tuple of Tensors but {place} has type "
                f"{type(each)}."
            )
    return several, tensors


def unpacked(tensors: Sequence[Any], several: bool) -> Any:
    """Return a tuple if the user passed or returned one, else the only element."""
    return tuple(tensors) if several else tensors[0]


def check_v(v: Sequence[Tensor], others: Sequence[Tensor], several: bool) -> None:
    """Raise unless `v` has as many tensors as `others`, of the same shapes."""
    if several and len(v) != len(others):
        raise GradError(f"v is a tuple of invalid length: should be {len(others)} but got {len(v)}.")
    if not several and len(v) != 1:
        raise GradError(f"The given v should contain a single Tensor, and it has {len(v)}.")
    for index, (each, other) in enumerate(zip(v, others, strict=True)):
        if each.shape != other.shape:
            entry = f"Entry {index} in " if several else ""
            raise ShapeError(f"{entry}v has invalid size: should be {other.shape} but got {each.shape}.")


def check_no_v(others: Sequence[Tensor], what: str) -> None:
    """Raise unless `others` is a single element: only then does a missing `v` mean 1."""
    if len(others) != 1 or others[0].numel() != 1:
        raise GradError(f"The vector v can only be None if {what} a single Tensor with a single element.")


def check_single(several: bool, outputs: Sequence[Tensor], who: str) -> Tensor:
    """Return the output of a function that must return one tensor with one element; raise otherwise."""
    if several:
        raise GradError(
            f"The function given to {who} should return a single Tensor, and it returned a tuple of {len(outputs)}."
        )
    if outputs[0].numel() != 1:
        raise GradError(
            f"The Tensor returned by the function given to {who} should contain a single element, "
            f"but its shape is {list(outputs[0].shape)}."
        )
    return outputs[0]


_NEEDS_GRAPH = {
    "outputs": (
        "Output {} of the user-provided function does not require gradients. The outputs must be computed in a "
        "differentiable manner from the input when running in strict mode."
    ),
    "grad_inputs": (
        "The gradient with respect to input {} is independent of the inputs of the user-provided function. This is not "
        "allowed in strict mode."
    ),
    "jacobian": (
        "While computing the hessian, found that the jacobian of the user-provided function with respect to input {} "
        "is independent of the input. This is not allowed in strict mode. You should ensure that your function is "
        "twice differentiable and that the jacobian depends on the inputs (this would be violated by a linear "
        "function for example)."
    ),
    "hessian": (
        "The hessian of the user-provided function with respect to input {} is independent of the input. This is not "
        "allowed in strict mode: the function must be three times differentiable."
    ),
}


def check_depends(tensors: Sequence[Tensor], what: str, strict: bool) -> None:
    """In strict mode, raise unless each of `tensors` was computed from the inputs."""
    if strict:
        for index, each in enumerate(tensors):
            if not each.requires_grad:
                raise GradError(_NEEDS_GRAPH[what].format(index))


_UNUSED = {
    "back": "The output of the user-provided function is independent of input {}.",
    "back_trick": "The gradient with respect to the input is independent of entry {} in the grad_outputs.",
    "double_back": "The jacobian of the user-provided function is independent of input {}.",
    "double_back_trick": "The hessian of the user-provided function is independent of entry {} in the grad_jacobian.",
}


def filled(
    grads: Sequence[Tensor | None], like: Sequence[Tensor], strict: bool, create_graph: bool, stage: str
) -> tuple[Tensor, ...]:
    """Return `grads` with zeros for None. In strict mode, None is an error, and so is a missing graph."""
    result = []
    for index, (each, other) in enumerate(zip(grads, like, strict=True)):
        if strict and each is None:
            raise GradError(_UNUSED[stage].format(index) + " This is not allowed in strict mode.")
        if strict and create_graph and each is not None and not each.requires_grad:
            which = "hessian" if "double" in stage else "jacobian"
            raise GradError(
                f"The {which} of the user-provided function is independent of input {index}. This is not allowed in "
                "strict mode when create_graph=True."
            )
        result.append(zeros_like(other) if each is None else each)
    return tuple(result)


class StrategyError(ArgumentError, AssertionError):
    """The error for an unknown strategy."""


def check_strategy(strategy: str, create_graph: bool, strict: bool, vectorize: bool) -> None:
    """Raise if the arguments of `jacobian` contradict each other."""
    if strategy not in ("forward-mode", "reverse-mode"):
        raise StrategyError(
            f'Expected strategy to be either "forward-mode" or "reverse-mode", got {strategy!r}. Hint: If your '
            'function has more outputs than inputs, "forward-mode" tends to be more performant, otherwise '
            '"reverse-mode".'
        )
    who = "autograd.functional.jacobian"
    if strategy == "forward-mode":
        for name, on in (("create_graph", create_graph), ("strict", strict)):
            if on:
                kind = MissingRuleError if name == "create_graph" else GradError
                raise kind(
                    f'{who}: `{name}=True` and `strategy="forward-mode"` are not supported together (yet). Please '
                    f'either set `{name}=False` or `strategy="reverse-mode"`.'
                )
        if not vectorize:
            raise MissingRuleError(
                "Computing Jacobian using forward-AD or forward-over-reverse Hessian is only implemented for "
                "`vectorize=True`."
            )
    if strict and vectorize:
        raise GradError(
            f"{who}: `strict=True` and `vectorized=True` are not supported together. Please either set `strict=False` "
            "or `vectorize=False`."
        )
