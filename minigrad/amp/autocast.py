"""`autocast`: inside a block, matrix products run in bfloat16 or float16, and other ops unchanged.

It is an interpreter: every op goes through it, and it casts the inputs of products. Losses of half-precision inputs are
computed in float32, as in PyTorch on the CPU.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from .. import dtypes
from ..backend import cupy
from ..core.interpreter import Interpreter, without
from ..core.scope import Scope
from ..core.state import STATE, Mode
from ..core.tensor import Tensor
from ..errors import ArgumentError
from ..ops.conversion.casting import ToCopy

LOWERED = {"Addmm", "Affine", "Attention", "Contract", "Convolve", "MatMul", "Mm"}
"""Ops that run in the lower precision."""

RAISED = {
    "BinaryCrossEntropy", "CrossEntropy", "HuberLoss", "MseLoss", "NllLoss", "Prod", "SmoothL1Loss", "SoftMarginLoss",
}  # fmt: skip
"""Ops that run in float32."""

_defaults = {"cpu": dtypes.bfloat16, "cuda": dtypes.float16}


class _Level(Interpreter):
    """The interpreter of all nested autocast blocks of a thread; the innermost block determines the dtype."""

    converts = True

    def __init__(self, blocks: tuple[autocast, ...]) -> None:
        self.blocks = blocks

    def _converted(self, op: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        block = self.blocks[-1]
        if not block.enabled:
            return inputs
        name = type(op).__name__
        wanted = block.dtype if name in LOWERED else dtypes.float32 if name in RAISED else None
        if wanted is None or (name == "MatMul" and any(isinstance(x, Tensor) and x.dim() < 2 for x in inputs)):
            return inputs
        return tuple(_as(each, wanted) for each in inputs)

    def run(self, op: Any, inputs: tuple[Any, ...]) -> Any:
        """Run ``op(*inputs)`` with the inputs cast to the dtype of this block."""
        return op(*self._converted(op, inputs))

    def run_inplace(self, op: Any, target: Any, others: tuple[Any, ...]) -> Any:
        """Run an in-place op without casting: the target keeps its dtype."""
        from ..core.inplace import inplace

        return inplace(op, target, *others)

    def interpret_function(self, function: Any, args: tuple[Any, ...]) -> Any:
        """Run a user's Function. This level stays active for the ops of its forward if it is the outermost one."""
        if STATE.mode.interpreters == (self,):
            return function.recorded(args)[1]
        return super().interpret_function(function, args)

    def run_function(self, function: Any, args: tuple[Any, ...]) -> Any:
        """Run a user's Function at the next outer level."""
        return function.apply(*args)


def _as(value: Any, wanted: dtypes.dtype) -> Any:
    """Cast `value` to `wanted` if it is a real floating-point tensor other than float64."""
    if not isinstance(value, Tensor) or not value.is_floating_point() or value.dtype in (dtypes.float64, wanted):
        return value
    return ToCopy(wanted)(value)


class autocast(Scope):
    """Inside, matrix products, linear layers and convolutions run in `dtype`. Also a decorator.

    Args:
        device_type: "cpu", or "cuda", which has no effect without a GPU.
        dtype: bfloat16 (the default on the CPU) or float16.
        enabled: False switches an outer block off.
        cache_enabled: accepted, without effect.

    >>> import minigrad as mg
    >>> layer = mg.nn.Linear(3, 2)
    >>> with mg.autocast("cpu"):
    ...     print(layer(mg.ones(1, 3)).dtype)
    minigrad.bfloat16
    """

    def __init__(
        self, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        if not isinstance(device_type, str):
            raise ArgumentError(f"Expected `device_type` of type `str`, got: `{type(device_type).__name__}`")
        if not is_autocast_available(device_type):
            raise ArgumentError(
                f"User specified an unsupported autocast device_type {device_type!r}: use 'cpu' or 'cuda'"
            )
        self.device = device_type
        self.dtype: dtypes.dtype = dtypes.as_dtype(dtype) if dtype is not None else _defaults[device_type]
        self.enabled = enabled and self._possible()

    def _possible(self) -> bool:
        why = None
        if self.device == "cuda" and not cupy.device_count():
            why = "User provided device_type of 'cuda', but CUDA is not available. Disabling autocast."
        elif self.dtype not in (dtypes.bfloat16, dtypes.float16):
            why = (
                "In CPU autocast, but the target dtype is not supported. Disabling autocast. CPU Autocast only "
                "supports dtypes of minigrad.bfloat16, minigrad.float16 currently."
            )
        if why:
            warnings.warn(why, UserWarning, stacklevel=3)
        return why is None

    def changes(self, mode: Mode) -> dict[str, Any]:
        """Nested blocks share one level at the position of the outermost; a nested block replaces it there."""
        outer = _level(mode)
        if outer is None:
            return {"interpreters": (*mode.interpreters, _Level((self,)))}
        inner = _Level((*outer.blocks, self))
        return {"interpreters": tuple(inner if each is outer else each for each in mode.interpreters)}

    def restored(self, mode: Mode, before: Mode) -> dict[str, Any]:
        level = _level(mode)
        if level is None or self not in level.blocks:
            return {}
        blocks = without(level.blocks, self)
        inner = (_Level(blocks),) if blocks else ()
        at = mode.interpreters.index(level)
        return {"interpreters": (*mode.interpreters[:at], *inner, *mode.interpreters[at + 1 :])}


def as_now() -> Callable[[], AbstractContextManager[Any]]:
    """Return a function that makes a context with the present settings, for code that runs again later."""
    level = _level()
    block = None if level is None else level.blocks[-1]

    def again() -> AbstractContextManager[Any]:
        if block is None:
            return nullcontext() if _level() is None else autocast("cpu", enabled=False)
        return autocast(block.device, block.dtype, block.enabled)

    return again


def _level(mode: Mode | None = None) -> _Level | None:
    """Return the level of autocast in `mode` (default: this thread's), or None."""
    interpreters = (mode or STATE.mode).interpreters
    return next((each for each in interpreters if isinstance(each, _Level)), None)


def is_autocast_available(device_type: str) -> bool:
    """Whether `autocast` supports this type of device."""
    return device_type in _defaults


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether a block of `autocast` for this type of device is active."""
    level = _level()
    return level is not None and any(b.device == device_type for b in level.blocks) and level.blocks[-1].enabled


def get_autocast_dtype(device_type: str) -> dtypes.dtype:
    """Return the dtype that `autocast` uses on this type of device: of the active block, or the default."""
    level = _level()
    inside = [block.dtype for block in level.blocks if block.device == device_type] if level else []
    return inside[-1] if inside else _defaults[device_type]


def get_autocast_cpu_dtype() -> dtypes.dtype:
    """The older name of ``get_autocast_dtype("cpu")``."""
    return get_autocast_dtype("cpu")


def get_autocast_gpu_dtype() -> dtypes.dtype:
    """The older name of ``get_autocast_dtype("cuda")``."""
    return get_autocast_dtype("cuda")


def is_autocast_cpu_enabled() -> bool:
    """The older name of ``is_autocast_enabled("cpu")``."""
    return is_autocast_enabled("cpu")


def is_autocast_cache_enabled() -> bool:
    """Whether cast weights are cached: never."""
    return False


def custom_fwd(fwd: Any = None, *, device_type: str = "cpu", cast_inputs: Any = None) -> Any:
    """Decorate a Function's ``forward`` to run without autocast, its inputs cast to `cast_inputs` if given."""
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def call(*args: Any, **kwargs: Any) -> Any:
        enabled = is_autocast_enabled(device_type)
        args[0]._fwd_used_autocast = enabled and cast_inputs is None
        if not enabled or cast_inputs is None:
            return fwd(*args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(*(_as(each, cast_inputs) for each in args), **kwargs)

    return call


def custom_bwd(bwd: Any = None, *, device_type: str = "cpu") -> Any:
    """Decorate the ``backward`` of a Function to run under autocast if and only if its forward did."""
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def call(*args: Any, **kwargs: Any) -> Any:
        with autocast(device_type, enabled=args[0]._fwd_used_autocast):
            return bwd(*args, **kwargs)

    return call
