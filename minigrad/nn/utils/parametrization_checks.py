"""Checks of what a parametrization and its ``right_inverse`` return."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.tensor import Tensor
from ...errors import ArgumentError


def check_alike(before: Any, after: Any) -> None:
    """Raise ArgumentError unless `after`, the first parametrized value, has the dtype and shape of `before`."""
    _must_be_tensor(after)
    for name in ("dtype", "shape"):
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            raise ArgumentError(
                f"Registering a parametrization may not change the {name} of the tensor, unless `unsafe` flag is "
                f"enabled.\nunparametrized {name}: {old}\nparametrized {name}: {new}"
            )


def check_start(original: Any, start: Any) -> None:
    """Raise ArgumentError unless `start`, which ``right_inverse(original)`` returned, is a tensor or several."""
    if isinstance(start, Tensor):
        if start.dtype is not original.dtype:
            raise ArgumentError(
                "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {start.dtype}"
            )
        return
    expected = "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got"
    if not isinstance(start, Sequence):
        raise ArgumentError(f"{expected} {type(start).__name__}")
    for i, each in enumerate(start):
        if not isinstance(each, Tensor):
            raise ArgumentError(f"{expected} element {i} of the sequence with type {type(each).__name__}.")


def check_further(name: str, before: Any, function: Any) -> None:
    """Raise ArgumentError unless `function` and its inverse keep the dtype and shape of ``module.<name>``."""
    after = function(before)
    _must_be_tensor(after)
    what = "Registering a parametrization may not change the {} of the tensor, unless the `unsafe` flag is enabled."
    _compare(what, name, before, f"parametrization(module.{name}).", after)
    if not hasattr(function, "right_inverse"):
        return
    try:
        back = function.right_inverse(after)
    except NotImplementedError:
        return
    if not isinstance(back, Tensor):
        raise ArgumentError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
    what = (
        f"The tensor returned by parametrization.right_inverse must have the same {{}} as module.{name}, unless the "
        "`unsafe` flag is enabled."
    )
    _compare(what, name, before, "returned ", back)


def check_assigned(originals: dict[str, Any], made: Any, one: bool) -> list[Any]:
    """Return the tensors that ``right_inverse`` made for the `originals`. ArgumentError if they do not fit."""
    if one and not isinstance(made, Tensor):
        raise ArgumentError(f"`right_inverse` should return a tensor. Got {type(made).__name__}")
    if not one and not isinstance(made, Sequence):
        raise ArgumentError(f"'right_inverse' must return a sequence of tensors. Got {type(made).__name__}.")
    several = [made] if one else list(made)
    if len(several) != len(originals):
        raise ArgumentError(
            f"'right_inverse' must return a sequence of tensors of length {len(originals)}. Got a sequence of length "
            f"{len(several)}."
        )
    for i, (each, (name, original)) in enumerate(zip(several, originals.items(), strict=True)):
        if not isinstance(each, Tensor):
            raise ArgumentError(
                f"'right_inverse' must return a sequence of tensors. Got element {i} of type {type(each).__name__}."
            )
        if each.dtype is not original.dtype:
            which = "The tensor" if one else f"Tensor {i}"
            raise ArgumentError(
                f"{which} returned by `right_inverse` has dtype {each.dtype} while `{name}` has dtype {original.dtype}"
            )
    return several


def _must_be_tensor(value: Any) -> None:
    if not isinstance(value, Tensor):
        raise ArgumentError(f"A parametrization must return a tensor. Got {type(value).__name__}.")


def _compare(what: str, name: str, before: Any, prefix: str, after: Any) -> None:
    for fact in ("dtype", "shape"):
        old, new = getattr(before, fact), getattr(after, fact)
        if old != new:
            raise ArgumentError(f"{what.format(fact)}\nmodule.{name}.{fact}: {old}\n{prefix}{fact}: {new}")
