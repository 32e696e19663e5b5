"""The public interface to the graph: nodes, edges, and hooks on what is saved for backward."""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NoReturn

from ..core.gradient_edge import GradientEdge
from ..core.graph import Node
from ..core.hooks import RemovableHandle
from ..core.interpreter import without
from ..core.scope import Scope
from ..core.state import STATE, Mode
from ..core.tensor import Tensor, alias, edge_of, wrap
from ..errors import ArgumentError, GradError

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
    "region_activation_memory_budget",
    "set_override_stale_capture_stream",
    "set_warn_on_accumulate_grad_stream_mismatch",
]


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Return the place in the graph where the gradient of `tensor` is computed.

    It can replace the tensor in `backward` and `grad`, as an output or as an input, without keeping its values alive.
    """
    edge = edge_of(tensor)
    if edge is None:
        raise GradError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(edge[0].shown(), edge[1], _Looks(tensor))


class _Looks:
    """The shape, dtype and backend of the tensor at an edge, without its elements."""

    def __init__(self, tensor: Tensor) -> None:
        self.shape, self.dtype, self.backend = tensor._array.shape, tensor._array.dtype, tensor._backend

    def tensor(self, edge: GradientEdge) -> Tensor:
        """Return a tensor with these properties, at this place in the graph."""
        none = self.backend.zeros((), self.dtype)
        result = wrap(self.backend.broadcast_to(none, self.shape), self.backend)
        result._edge = (edge.node, edge.output_nr)
        return result


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Tell autograd that `tensor` (or each of several) was written to in a way that it did not notice."""
    if not isinstance(tensor, (Tensor, Iterable)):
        raise GradError(f"increment_version expects a Tensor or an Iterable[Tensor], not {type(tensor).__name__}")
    tensors: Iterable[Tensor] = (tensor,) if isinstance(tensor, Tensor) else tensor
    for each in tensors:
        each._storage.version += 1


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Accepted for compatibility, without effect: minigrad has no streams."""


def set_override_stale_capture_stream(enabled: bool) -> None:
    """Accepted for compatibility, without effect: minigrad captures no CUDA graphs."""


def region_activation_memory_budget(budget: float) -> NoReturn:
    """Raise a RuntimeError, as PyTorch does outside of a compiled region: minigrad has no compiler."""
    if not 0 <= budget <= 1:
        raise ArgumentError(f"region_activation_memory_budget: budget must be between 0 and 1, not {budget}")
    raise GradError(
        "region_activation_memory_budget only has an effect under torch.compile, and nothing is compiled here: use "
        "minigrad.utils.checkpoint."
    )


# Hooks on saved tensors -----------------------------------------------------------------------------------------------


class _SavedHooks(Scope):
    """A scope in which one pair of hooks packs and unpacks the saved tensors."""

    def __init__(self, pack: Any, unpack: Any) -> None:
        self.pair = (pack, unpack)

    def changes(self, mode: Mode) -> dict[str, Any]:
        return {"saved_hooks": (*mode.saved_hooks, self.pair)}

    def restored(self, mode: Mode, before: Mode) -> dict[str, Any]:
        return {"saved_hooks": without(mode.saved_hooks, self.pair)}


class saved_tensors_hooks(_SavedHooks):
    """Inside, every tensor saved for backward goes through `pack_hook`; backward gets it from `unpack_hook`.

    >>> import minigrad as mg
    >>> x = mg.tensor([2.0], requires_grad=True)
    >>> with mg.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(force=True), mg.tensor):
    ...     y = x.exp()
    >>> y.backward()
    >>> x.grad
    tensor([7.3891])
    """

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        _check_hooks_allowed()
        super().__init__(pack_hook, unpack_hook)

    def changes(self, mode: Mode) -> dict[str, Any]:
        _check_hooks_allowed()
        return super().changes(mode)


class save_on_cpu(saved_tensors_hooks):
    """Inside, tensors saved for backward are kept in host memory, and return to their device when needed."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(_to_host, _to_device)


def _to_host(tensor: Tensor) -> tuple[Any, Tensor]:
    return tensor.device, tensor.detach().to("cpu", copy=True)


def _to_device(packed: tuple[Any, Tensor]) -> Tensor:
    where, tensor = packed
    return tensor.to(where)


def _check_hooks_allowed() -> None:
    if STATE.mode.saved_hooks and STATE.mode.saved_hooks[-1][0] is None:
        raise GradError(STATE.mode.saved_hooks[-1][1])


class disable_saved_tensors_hooks(_SavedHooks):
    """Inside, using `saved_tensors_hooks` raises a RuntimeError with `error_message`. Also a decorator.

    Inside a `saved_tensors_hooks` block, entering it raises that RuntimeError too.
    """

    def __init__(self, error_message: str) -> None:
        super().__init__(None, error_message)

    def changes(self, mode: Mode) -> dict[str, Any]:
        if mode.saved_hooks and mode.saved_hooks[-1][0] is not None:
            raise GradError(self.pair[1])
        return super().changes(mode)


class allow_mutation_on_saved_tensors(_SavedHooks):
    """Inside, tensors saved for backward may be changed in place: they are copied just before that happens.

    >>> import minigrad as mg
    >>> x = mg.tensor([3.0], requires_grad=True)
    >>> with mg.autograd.graph.allow_mutation_on_saved_tensors():
    ...     y = x.clone()
    ...     z = (y * y).sum()
    ...     _ = y.mul_(10)
    ...     z.backward()
    >>> x.grad
    tensor([6.])
    """

    def __init__(self) -> None:
        self.clones = _Clones()
        super().__init__(self.clones.pack, self.clones.unpack)

    def __enter__(self) -> _Clones:
        if not self.clones.open:  # the scope was used before
            self.__init__()  # type: ignore[misc]
        super().__enter__()
        return self.clones

    def changes(self, mode: Mode) -> dict[str, Any]:
        _check_hooks_allowed()
        if any(isinstance(each, _Clones) for each in mode.before_write):
            raise GradError("allow_mutation_on_saved_tensors contexts cannot be nested: leave the outer one first.")
        return {**super().changes(mode), "before_write": (*mode.before_write, self.clones)}

    def restored(self, mode: Mode, before: Mode) -> dict[str, Any]:
        return {**super().restored(mode, before), "before_write": without(mode.before_write, self.clones)}

    def exit(self, *exception: Any) -> None:
        super().exit(*exception)
        self.clones.clear()

    def __call__(self, function: Any) -> Any:
        """Decorate `function`: every call of it runs in a new block."""

        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with allow_mutation_on_saved_tensors():
                return function(*args, **kwargs)

        return inside


class _Saved:
    """One saved tensor: the tensor itself, or, once it was written to, a copy of its old value."""

    __slots__ = ("tensor", "version", "__weakref__")

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.version = tensor._storage.version


class OutOfContextError(GradError, AssertionError):
    """The error for a backward outside of the `allow_mutation_on_saved_tensors` block that recorded its graph."""


class _Clones:
    """The saved tensors of one `allow_mutation_on_saved_tensors` block, copied before they are written to."""

    def __init__(self) -> None:
        self.waiting: dict[int, weakref.WeakSet[_Saved]] = {}
        self.known: weakref.WeakValueDictionary[tuple[int, int, int], _Saved] = weakref.WeakValueDictionary()
        """Saved tensors by storage, address and version, so that a tensor that is saved twice is kept once."""
        self.cloned: weakref.WeakValueDictionary[int, _Saved] = weakref.WeakValueDictionary()
        """The copies that a graph still needs."""
        self.open = True

    def pack(self, tensor: Tensor) -> _Saved:
        key = (id(tensor._storage), tensor.data_ptr(), tensor._storage.version)
        known = self.known.get(key)
        if known is not None and known.tensor.stride() == tensor.stride() and known.tensor.shape == tensor.shape:
            return known
        saved = self.known[key] = _Saved(alias(tensor))
        self.waiting.setdefault(id(tensor._storage), weakref.WeakSet()).add(saved)
        return saved

    def unpack(self, saved: _Saved) -> Tensor:
        if not self.open:
            raise OutOfContextError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context in which the graph was "
                "originally recorded."
            )
        return saved.tensor

    def before_write(self, target: Tensor) -> None:
        for saved in self.waiting.pop(id(target._storage), ()):
            saved.tensor = saved.tensor.clone()
            self.cloned[id(saved)] = saved

    def clear(self) -> None:
        """Drop the copies. The graphs recorded in this block can no longer run backward."""
        self.open = False
        self.waiting.clear()
        self.cloned.clear()


# Hooks on several tensors -------------------------------------------------------------------------------------------


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[..., None], *, mode: Literal["all", "any"] = "all"
) -> RemovableHandle:
    """Call `fn` once per backward: with all gradients when the last arrives ("all"), or with the first one ("any").

    In mode "all" `fn` gets a list, with None for tensors that this backward does not reach.
    """
    if mode not in ("all", "any"):
        raise ArgumentError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    hook = _MultiHook(list(tensors), fn, mode)
    wanted = [(index, each) for index, each in enumerate(tensors) if mode == "all" or each.requires_grad]
    if not all(each.requires_grad for _, each in wanted):
        raise GradError("cannot register a hook on a tensor that doesn't require gradient")
    return _Handles([each.register_hook(hook.at(index)) for index, each in wanted])


class _Handles(RemovableHandle):
    """One handle for several hooks."""

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        super().__init__({})
        self.handles = handles

    def remove(self) -> None:
        for each in self.handles:
            each.remove()


class _MultiHook:
    """Collects the gradients of one backward. Passes in several threads are kept apart."""

    def __init__(self, tensors: Sequence[Tensor], fn: Callable[..., None], mode: str) -> None:
        self.edges = [edge_of(each) for each in tensors]
        self.fn = fn
        self.mode = mode
        self.lock = threading.Lock()
        self.passes: dict[int, dict[int, Tensor | None]] = {}

    def at(self, index: int) -> Callable[[Tensor | None], None]:
        def hook(grad: Tensor | None) -> None:
            self.arrived(index, grad)

        return hook

    def arrived(self, index: int, grad: Tensor | None) -> None:
        run = STATE.mode.passes[-1]
        with self.lock:
            for number in [n for n in self.passes if n not in (p.number for p in STATE.mode.passes)]:
                if self.mode == "any" or number < run.number:
                    del self.passes[number]
            first = run.number not in self.passes
            grads = self.passes.setdefault(run.number, {})
            grads[index] = grad
            done = all(i in grads or not run.reaches(edge) for i, edge in enumerate(self.edges))
        if self.mode == "any":
            if first:
                self.fn(grad)
        elif done:
            del self.passes[run.number]
            self.fn([grads.get(i) for i in range(len(self.edges))])
