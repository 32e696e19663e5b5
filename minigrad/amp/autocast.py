"""`autocast`: matrix products in bfloat16 or float16 for as long as a block runs, everything else as it is.

It is one more interpreter: every op passes through it, and the inputs of products are converted on the way. Losses of
half precision are computed in float32, as PyTorch does on the CPU.
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

RAISED = {"BinaryCrossEntropy", "CrossEntropy", "MseLoss", "NllLoss", "Prod"}
"""Ops that run in float32."""

_defaults = {"cpu": dtypes.bfloat16, "cuda": dtypes.float16}


class _Level(Interpreter):
    """The one interpreter of all nested blocks of a thread; the innermost block says what happens."""

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
        """``op(*inputs)``, with the inputs in the precision of this block."""
        return op(*self._converted(op, inputs))

    def run_inplace(self, op: Any, target: Any, others: tuple[Any, ...]) -> Any:
        """In place nothing is converted: the target has its type."""
        from ..core.inplace import inplace

        return inplace(op, target, *others)

    def interpret_function(self, function: Any, args: tuple[Any, ...]) -> Any:
        """A user's Function: this level stays at work, for the ops of its forward, where no other is further out."""
        if STATE.mode.interpreters == (self,):
            return function.recorded(args)[1]
        return super().interpret_function(function, args)

    def run_function(self, function: Any, args: tuple[Any, ...]) -> Any:
        """A user's Function, at the next level further out."""
        return function.apply(*args)


def _as(value: Any, wanted: dtypes.dtype) -> Any:
    """`value` in this precision where it is a tensor of real numbers, and no double."""
    if not isinstance(value, Tensor) or not value.is_floating_point() or value.dtype in (dtypes.float64, wanted):
        return value
    return ToCopy(wanted)(value)


class autocast(Scope):
    """Inside the block, products of matrices, linear layers and convolutions run in `dtype`. A decorator too.

    Args:
        device_type: "cpu", or "cuda", which does nothing where there is no GPU.
        dtype: bfloat16 (the default on the CPU) or float16.
        enabled: False switches an outer block off.
        cache_enabled: accepted.

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
        """One level serves all nested blocks, where the outermost put it; a block more makes it anew."""
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
    """Return a function that makes a context with the present autocast settings, for code that runs again later."""
    level = _level()
    block = None if level is None else level.blocks[-1]

    def again() -> AbstractContextManager[Any]:
        if block is None:
            return nullcontext() if _level() is None else autocast("cpu", enabled=False)
        return autocast(block.device, block.dtype, block.enabled)

    return again


def _level(mode: Mode | None = None) -> _Level | None:
    """The level of autocast in `mode`, by default this thread's."""
    interpreters = (mode or STATE.mode).interpreters
    return next((each for each in interpreters if isinstance(each, _Level)), None)


def is_autocast_available(device_type: str) -> bool:
    """Whether `autocast` knows this kind of device."""
    return device_type in _defaults


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether a block of `autocast` for this kind of device is at work."""
    level = _level()
    return level is not None and any(b.device == device_type for b in level.blocks) and level.blocks[-1].enabled


def get_autocast_dtype(device_type: str) -> dtypes.dtype:
    """The precision that `autocast` uses on this kind of device: of the block at work, or by default."""
    level = _level()
    inside = [block.dtype for block in level.blocks if block.device == device_type] if level else []
    return inside[-1] if inside else _defaults[device_type]


def get_autocast_cpu_dtype() -> dtypes.dtype:
    """`get_autocast_dtype` of "cpu", by its older name."""
    return get_autocast_dtype("cpu")


def get_autocast_gpu_dtype() -> dtypes.dtype:
    """`get_autocast_dtype` of "cuda", by its older name."""
    return get_autocast_dtype("cuda")


def is_autocast_cpu_enabled() -> bool:
    """`is_autocast_enabled` of "cpu", by its older name."""
    return is_autocast_enabled("cpu")


def is_autocast_cache_enabled() -> bool:
    """Whether converted weights are kept for the next op: never."""
    return False


def custom_fwd(fwd: Any = None, *, device_type: str = "cpu", cast_inputs: Any = None) -> Any:
    """For the ``forward`` of a Function: run it without autocast, its inputs converted to `cast_inputs` if given."""
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
    """For the ``backward`` of a Function: run it under autocast exactly if its forward did."""
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def call(*args: Any, **kwargs: Any) -> Any:
        with autocast(device_type, enabled=args[0]._fwd_used_autocast):
            return bwd(*args, **kwargs)

    return call
