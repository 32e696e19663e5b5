"""Forward mode as in PyTorch: dual tensors inside one level.

>>> import minigrad as mg
>>> import minigrad.autograd.forward_ad as forward_ad
>>> with forward_ad.dual_level():
...     x = forward_ad.make_dual(mg.tensor(2.0), mg.tensor(1.0))
...     y = forward_ad.unpack_dual(x**3)
>>> y.primal, y.tangent
(tensor(8.), tensor(12.))

Every op gives its result a tangent: its directional derivative along the tangents of the dual inputs. Tangents are
ordinary tensors; computed from tensors that require a gradient, they have a graph and can be differentiated. There is
only one level, as in PyTorch; `minigrad.func.jvp` nests to any depth.
"""

from __future__ import annotations

from functools import wraps
from typing import Any, NamedTuple

from ..core.forward import ForwardLevel, Paused, apart, check_tangent
from ..core.gradients import dense
from ..core.state import STATE
from ..core.tensor import Tensor, wrap
from ..errors import ArgumentError, ArgumentTypeError, GradError

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]


class UnpackedDualTensor(NamedTuple):
    """The two parts of a dual tensor; `tangent` is None for a tensor without one."""

    primal: Tensor
    tangent: Tensor | None


def __getattr__(name: str) -> int:
    """Compute the attribute ``_current_level``: 0 inside a dual level, -1 outside."""
    if name == "_current_level":
        return -1 if _open_level() is None else 0
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class dual_level(ForwardLevel):
    """The context in which dual tensors exist: ``with dual_level(): ...``."""

    duals = True

    def __enter__(self) -> int:
        if _open_level() is not None:
            raise GradError(
                "Nested forward mode AD is not supported at the moment: a dual level is already open. "
                "Use minigrad.func.jvp, which nests to any depth."
            )
        super().__enter__()
        return 0

    def __call__(self, function: Any) -> Any:
        """Decorate `function`: every call of it runs in a new level."""

        @wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with dual_level():
                return function(*args, **kwargs)

        return inside


def _open_level() -> ForwardLevel | None:
    """Return the dual level that this thread is in, or None."""
    return next((scope for scope, _ in STATE.mode.entries if type(scope) is dual_level), None)


def enter_dual_level() -> int:
    """Begin a level of forward mode and return its number, 0. RuntimeError inside another level."""
    return dual_level().__enter__()


def exit_dual_level(*, level: int | None = None) -> None:
    """End the level: tensors lose their tangents."""
    current = _open_level()
    if current is None:
        raise GradError(
            "Dual level must be a positive number: there is no dual level to exit. Call enter_dual_level() first."
        )
    if level not in (None, 0):
        raise GradError(
            f"Trying to exit a forward AD level that was not the last one that was created ({level}; the open one is "
            "0). This is not supported."
        )
    current.exit()


class _set_fwd_grad_enabled(Paused):
    """Inside, with `mode` False, the innermost forward-mode level computes no tangents."""

    def __init__(self, mode: bool) -> None:
        levels = [each for each in STATE.mode.interpreters if isinstance(each, ForwardLevel)]
        super().__init__(levels[-1] if levels and not mode else None)


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """Return a dual tensor: a view of all of `tensor`, with `tangent` as its tangent.

    Both must have the same shape (else RuntimeError) and be floating point or complex (else ValueError). A tangent
    whose strides differ from those of `tensor` is copied. An in-place change of the dual tensor changes its tangent,
    too.
    """
    current = _level_for("create a dual Tensor for forward AD", level)
    for name, each in (("primal", tensor), ("tangent", tangent)):
        if not isinstance(each, Tensor):
            raise ArgumentError(f"Expected {name} to be a Tensor, but got: {type(each).__name__}")
        if not each.dtype.is_differentiable:
            raise ArgumentError(f"Expected {name} to be floating point or complex, but got: {each.dtype}")
    check_tangent(tensor, tangent)
    if current.tangent_of(tensor) is not None:
        raise GradError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not "
            "supported: unpack it first, or detach it."
        )
    if current.tangent_of(tangent) is not None:
        raise GradError(
            "Setting a forward grad that itself has a forward gradient at the same level 0 is not supported. "
            "For derivatives of derivatives use minigrad.func.jvp, which nests."
        )
    if STATE.mode.inference:
        return apart(tensor)  # inference mode computes no tangents
    return current.dual(tensor, _laid_out_as(tensor, tangent), view=True)


def _laid_out_as(tensor: Tensor, tangent: Tensor) -> Tensor:
    """Return `tangent`, copied if its strides differ from those of `tensor`: the same view ops must fit both."""
    strides = [(a, b) for a, b, n in zip(tensor.stride(), tangent.stride(), tensor._array.shape, strict=True) if n > 1]
    if STATE.mode.interpreters[:-1] or all(a == b for a, b in strides) or not dense(tensor._array):
        return tangent
    copy = wrap(tensor._backend.empty_like(tensor._array, dtype=tangent._array.dtype), tensor._backend)
    return copy.copy_(tangent)


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """Return (primal, tangent) of a dual tensor; (tensor, None) for any other tensor, or outside of a level."""
    if not isinstance(tensor, Tensor):
        raise ArgumentTypeError(f"unpack_dual(): argument 'tensor' must be Tensor, not {type(tensor).__name__}")
    current = _open_level() if level in (None, 0) else None
    tangent = None if current is None else current.tangent_of(tensor)
    if tangent is None:
        return UnpackedDualTensor(tensor, None)
    with Paused(current):
        return UnpackedDualTensor(apart(tensor), tangent)


def _level_for(what: str, level: int | None) -> ForwardLevel:
    current = _open_level()
    if current is None:
        raise GradError(f"Trying to {what} but no level exists, make sure to enter_dual_level() first.")
    if level not in (None, 0):
        raise GradError(f"Trying to {what} at level {level}, but the only level is 0.")
    return current
