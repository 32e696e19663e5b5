"""Names that programs import from PyTorch's C++ module, with minigrad's functions."""  # noqa: N999

from __future__ import annotations

import types
import weakref
from collections.abc import Sequence
from typing import Any

from .autograd.gradcheck_extra import undefined
from .core.grad_mode import is_grad_enabled as is_grad_enabled
from .core.graph import AccumulateGrad, Node, next_sequence_number
from .core.looking import SavedTensor
from .core.state import STATE
from .core.tensor import Tensor, alias, edges_of
from .errors import GradError
from .ops.linalg.solve import LinAlgError


def _set_grad_enabled(mode: bool) -> None:
    """Turn recording on or off from now on."""
    STATE.mode = STATE.mode.but(grad=bool(mode))


def _log_api_usage_once(event: str) -> None:
    """Do nothing: minigrad collects no usage data."""


def _debug_only_display_vmap_fallback_warnings(enabled: bool) -> None:
    """Do nothing: minigrad has no such warning."""


def _debug_only_are_vmap_fallback_warnings_enabled() -> bool:
    """Whether vmap warns of ops that it runs one example at a time: never."""
    return False


def _current_graph_task_id() -> int:
    """The number of the backward pass that this thread is running, or -1."""
    return STATE.mode.passes[-1].number if STATE.mode.passes else -1


def _will_engine_execute_node(node: Any) -> bool:
    """Whether the backward pass that this thread is running will run `node`."""
    if isinstance(node, Node) and not STATE.mode.passes:
        raise GradError("_will_engine_execute_node should only be called during the backward pass")
    if not isinstance(node, Node):
        raise GradError(f"_will_engine_execute_node expects an grad_fn, but got {type(node).__name__}")
    run = STATE.mode.passes[-1]
    if run.captures is not None and isinstance(node, AccumulateGrad) and run.needed and node in run.needed:
        raise GradError(
            "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(), which "
            "collects its gradient and does not run it."
        )
    return bool(run.reaches((node, 0)))


class _WeakTensorRef:
    """A weak reference to a tensor."""

    def __init__(self, tensor: Tensor) -> None:
        self._known = weakref.ref(tensor)

    def expired(self) -> bool:
        """Whether the tensor no longer exists."""
        return self._known() is None


class DelayedError(Node):
    """A function that returns its tensors; backward through them raises the given error."""

    def __init__(self, message: str, count: int) -> None:
        self.message, self.outputs, self.extra = message, count, None

    def __call__(self, *tensors: Tensor) -> Any:
        self.edges, self.seq = edges_of(tensors), next_sequence_number()
        results = tuple(alias(each, (self, number)) for number, each in enumerate(tensors))
        return results if len(results) > 1 else results[0]

    def run(self, grad: Any, unasked: Any = ()) -> Any:
        raise GradError(self.message)


class UndefinedGrad:
    """A function that returns its tensor; backward through it gives no gradient."""

    def __call__(self, tensor: Tensor) -> Tensor:
        return undefined(tensor)


_functions = types.SimpleNamespace(
    AccumulateGrad=AccumulateGrad, DelayedError=DelayedError, UndefinedGrad=UndefinedGrad
)


def _hooks_enabled() -> bool:
    hooks = STATE.mode.saved_hooks
    return not hooks or hooks[-1][0] is not None


def _set_versions(tensors: Sequence[Tensor], versions: Sequence[int]) -> None:
    for each, version in zip(tensors, versions, strict=True):
        each._storage.version = version


_autograd = types.SimpleNamespace(
    SavedTensor=SavedTensor,
    _saved_tensors_hooks_is_enabled=_hooks_enabled,
    _unsafe_set_version_counter=_set_versions,
)
_TensorBase = Tensor
has_lapack = True

_LinAlgError = LinAlgError

_SWITCHES = ("_jit_set_", "_jit_override_")


def _get_tracing_state() -> None:
    """None: no program is being traced."""


def _jit_can_fuse_on_cpu() -> bool:
    """Whether a compiler may fuse ops: there is none."""
    return False


_jit_can_fuse_on_gpu = _jit_can_fuse_on_cpu


def _switch(*values: Any) -> None:
    """A switch of the compiler, which is not there: nothing happens."""


def __getattr__(name: str) -> Any:
    if name.startswith(_SWITCHES):
        return _switch
    raise AttributeError(f"module 'minigrad._C' has no attribute {name!r}")
