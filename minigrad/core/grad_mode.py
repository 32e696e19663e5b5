"""Whether this thread records ops: `no_grad`, `enable_grad`, `set_grad_enabled`, `inference_mode`.

>>> import minigrad as mg
>>> x = mg.ones(2, requires_grad=True)
>>> with mg.no_grad():
...     y = x * 2
>>> y.requires_grad
False
"""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentTypeError, GradError
from .scope import F, Scope, decorate
from .state import STATE, Mode


def is_grad_enabled() -> bool:
    """Whether ops in this thread are recorded."""
    return STATE.mode.grad


def is_inference_mode_enabled() -> bool:
    """Whether this thread is in `inference_mode`."""
    return STATE.mode.inference


class _NoArgument(Scope):
    """A mode without arguments, for ``with`` blocks and as a decorator: both ``@no_grad`` and ``@no_grad()`` work."""

    def __new__(cls, function: Any = None) -> Any:
        scope = super().__new__(cls)
        return scope if function is None else decorate(scope, function)

    def __init__(self, function: Any = None) -> None:
        """Do nothing: `__new__` has handled the argument."""

    def clone(self) -> Any:
        """Return a new scope of the same kind."""
        return type(self)()


class no_grad(_NoArgument):
    """Ops inside are not recorded, and their results do not require grad.

    >>> import minigrad as mg
    >>> @mg.no_grad()
    ... def double(x):
    ...     return x * 2
    >>> double(mg.ones(1, requires_grad=True)).requires_grad
    False
    """

    def changes(self, mode: Mode) -> dict[str, Any]:
        return {"grad": False}


class enable_grad(_NoArgument):
    """Ops inside are recorded, also within `no_grad`."""

    def changes(self, mode: Mode) -> dict[str, Any]:
        return {"grad": True}


class set_grad_enabled(Scope):
    """Set recording on or off: at once when called, and back again at the end when used as a context or decorator.

    An interrupt between the call and the block of ``with set_grad_enabled(False):`` finds recording switched off, as in
    PyTorch: `no_grad` has no such gap.
    """

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise ArgumentTypeError(
                f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {type(mode).__name__}"
            )
        before = STATE.mode
        self.previous = before.grad
        self.wanted = mode
        STATE.mode = before.but(grad=self.wanted)

    @property
    def mode(self) -> bool:
        """The mode that was passed to the constructor."""
        return self.wanted

    def __call__(self, function: F) -> F:
        STATE.mode = STATE.mode.but(grad=self.previous)
        return decorate(enable_grad() if self.wanted else no_grad(), function)

    def changes(self, mode: Mode) -> dict[str, Any]:
        return {"grad": self.wanted}

    def restored(self, mode: Mode, before: Mode) -> dict[str, Any]:
        return {"grad": self.previous}

    def clone(self) -> set_grad_enabled:
        """Return a new scope with the same setting."""
        return self.__class__(self.wanted)


class inference_mode(Scope):
    """Like `no_grad`, but results stay inference tensors: without a version counter, never saved for backward.

    Inside, ops on the dual tensors of `autograd.forward_ad` compute no tangents.
    """

    def __new__(cls, mode: Any = True) -> Any:
        return super().__new__(cls) if isinstance(mode, bool) else decorate(cls(), mode)

    def __init__(self, mode: bool = True) -> None:
        self.wanted = mode

    def changes(self, mode: Mode) -> dict[str, Any]:
        still = tuple([each for each in mode.interpreters if not (self.wanted and each.duals)])
        return {"inference": self.wanted, "grad": not self.wanted, "interpreters": still}

    @property
    def mode(self) -> bool:
        """The mode that was passed to the constructor."""
        return self.wanted

    def clone(self) -> inference_mode:
        """Return a new scope with the same setting."""
        return self.__class__(self.wanted)


class recording(Scope):
    """Ops inside are recorded, also within `no_grad` and `inference_mode`: a transform's own work ignores both."""

    def changes(self, mode: Mode) -> dict[str, Any]:
        return {"grad": True, "inference": False}


class transforming(Scope):
    """Counts the `minigrad.func` transforms that this thread is in."""

    def changes(self, mode: Mode) -> dict[str, Any]:
        return {"transforms": mode.transforms + 1}


def refuse_inside_transforms(what: str) -> None:
    """Raise if a `minigrad.func` transform is running: `what` would bypass it."""
    if STATE.mode.transforms:
        raise GradError(
            f"You are attempting to call {what} (or perhaps using autograd.functional.* APIs) inside of a function "
            "being transformed by a functorch transform (grad, vjp, jvp, ...). This is unsupported: use "
            f"minigrad.func.grad, vjp, jacrev, jacfwd or hessian there, or call {what} outside of the function."
        )
