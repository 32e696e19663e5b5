"""Hooks on modules: before forward, after forward, and at the begin and end of a module's backward.

A module has no node of its own in the graph. So two `Gate` nodes, which pass gradients through unchanged, mark its
backward: one after its outputs, where its backward begins, and one before its inputs, where it ends.

    inputs ── Gate ── what forward does ── Gate ── outputs
               │ ends: hook(module, grad_input, grad_output)
                                            │ begins: hook(module, grad_output)
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .. import events
from ..core.graph import Edge, Node, next_sequence_number
from ..core.hooks import RemovableHandle, add_hook, checked_replacement, hook_name
from ..core.state import STATE
from ..core.tensor import Tensor, alias, edge_of
from ..errors import GradError
from ..events import LISTENERS, emit

if TYPE_CHECKING:
    from .module import Module

Grads = tuple["Tensor | None", ...]


class ModuleHooks:
    """The hooks of one module, by kind. Created when the first is registered."""

    __slots__ = (
        "forward_pre", "forward", "backward_pre", "backward", "state_pre", "state", "load_pre", "load",
    )  # fmt: skip

    def __init__(self) -> None:
        self.forward_pre: OrderedDict[int, Any] = OrderedDict()
        """(hook, with_kwargs)"""
        self.forward: OrderedDict[int, Any] = OrderedDict()
        """(hook, with_kwargs, always_call)"""
        self.backward_pre: OrderedDict[int, Any] = OrderedDict()
        self.backward: OrderedDict[int, Any] = OrderedDict()
        self.state_pre: OrderedDict[int, Any] = OrderedDict()
        self.state: OrderedDict[int, Any] = OrderedDict()
        self.load_pre: OrderedDict[int, Any] = OrderedDict()
        self.load: OrderedDict[int, Any] = OrderedDict()

    def beside(self, other: ModuleHooks | None) -> ModuleHooks:
        """Return these hooks around calls, followed by those of `other`."""
        both = ModuleHooks()
        for kind in ("forward_pre", "forward", "backward_pre", "backward"):
            getattr(both, kind).update(getattr(self, kind))
            getattr(both, kind).update({} if other is None else getattr(other, kind))
        return both


EVERYWHERE: list[ModuleHooks] = []
"""The hooks of all modules: empty until the first is registered (see `nn.modules.module`), then one collection."""


def everywhere() -> ModuleHooks:
    """Return the hooks of all modules, created at first use. From then on every call runs them."""
    if not EVERYWHERE:
        EVERYWHERE.append(ModuleHooks())
    return EVERYWHERE[0]


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, args)`` before the forward of every module."""
    return register(everywhere().forward_pre, (hook, False), False)


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call ``hook(module, args, output)`` after the forward of every module."""
    return register(everywhere().forward, (hook, with_kwargs, always_call), False)


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, grad_output)`` when the backward of any module begins."""
    return register(everywhere().backward_pre, hook, False)


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, grad_input, grad_output)`` when the backward of any module has ended."""
    return register(everywhere().backward, hook, False)


register_module_backward_hook = register_module_full_backward_hook
"""PyTorch's older hook covers only a module's last op; here it covers the whole module."""


def register(hooks: OrderedDict[int, Any], entry: Any, prepend: bool) -> RemovableHandle:
    """Append `entry`, or insert it first. Return its handle."""
    handle = add_hook(hooks, entry)
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def under_pytorchs_name(kind: str, *flags: bool) -> property:
    """A property with the dictionary of one kind of hooks, which programs change: ``module._forward_hooks.clear()``.

    An entry with `flags` is a tuple that begins with the hook.
    """

    def read(module: Module) -> OrderedDict[int, Any]:
        hooks: OrderedDict[int, Any] = getattr(module._hooks_of(), kind)
        return hooks

    def write(module: Module, given: dict[int, Any]) -> None:
        entries = {key: (hook, *flags) if flags and callable(hook) else hook for key, hook in given.items()}
        read(module).clear()
        read(module).update(entries)

    return property(read, write)


def flagged(kind: str, place: int) -> property:
    """A property with the keys of those hooks whose entry is true at `place`: ``module._forward_hooks_with_kwargs``."""

    def read(module: Module) -> OrderedDict[int, bool]:
        entries = {} if module._hooks is None else getattr(module._hooks, kind)
        return OrderedDict((key, True) for key, entry in entries.items() if entry[place])

    return property(read)


def of_all_modules(kind: str) -> property:
    """A property with the dictionary of one kind of hooks of all modules, which programs change by its name."""

    def read(place: Any) -> OrderedDict[int, Any]:
        hooks: OrderedDict[int, Any] = getattr(everywhere(), kind)
        return hooks

    def write(place: Any, given: dict[int, Any]) -> None:
        if given or EVERYWHERE:
            setattr(everywhere(), kind, OrderedDict(given))

    return property(read, write)


# Forward --------------------------------------------------------------------------------------------------------------


def call_attended(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call ``module.forward(*args, **kwargs)`` with listeners and hooks."""
    hooks = EVERYWHERE[0].beside(module._hooks) if EVERYWHERE else module._hooks
    if not LISTENERS:
        return module.forward(*args, **kwargs) if hooks is None else call_hooked(module, hooks, args, kwargs)
    name = module._scope
    emit(events.ScopeEntered(name, module))
    try:
        return module.forward(*args, **kwargs) if hooks is None else call_hooked(module, hooks, args, kwargs)
    finally:
        emit(events.ScopeLeft(name, module))


def call_hooked(module: Module, hooks: ModuleHooks, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call forward with its hooks. Hooks with `always_call` run even if forward fails."""
    called: set[int] = set()
    try:
        return _hooked(module, hooks, args, kwargs, called)
    except BaseException:
        for key, (hook, with_kwargs, always) in tuple(hooks.forward.items()):
            if always and key not in called:
                _call_forward_hook(hook, with_kwargs, module, args, kwargs, None)
        raise


def _hooked(module: Module, hooks: ModuleHooks, args: tuple[Any, ...], kwargs: dict[str, Any], called: set[int]) -> Any:
    for hook, with_kwargs in tuple(hooks.forward_pre.values()):
        args, kwargs = _before_forward(hook, with_kwargs, module, args, kwargs)
    frame = None
    if (hooks.backward or hooks.backward_pre) and STATE.mode.grad:
        frame = Frame(module, hooks)
        args = frame.enter(args)
    output = module.forward(*args, **kwargs)
    for key, (hook, with_kwargs, _) in tuple(hooks.forward.items()):
        called.add(key)
        result = _call_forward_hook(hook, with_kwargs, module, args, kwargs, output)
        output = output if result is None else result
    return output if frame is None else frame.leave(output)


def _before_forward(hook: Any, with_kwargs: bool, module: Module, args: Any, kwargs: Any) -> tuple[Any, Any]:
    if not with_kwargs:
        result = hook(module, args)
        if result is None:
            return args, kwargs
        return (result if isinstance(result, tuple) else (result,)), kwargs
    result = hook(module, args, kwargs)
    if result is None:
        return args, kwargs
    if not (isinstance(result, tuple) and len(result) == 2):
        raise GradError(
            f"forward pre-hook '{hook_name(hook)}' must return None or a tuple of (new_args, new_kwargs), "
            f"but it returned {type(result).__name__}."
        )
    return result


def _call_forward_hook(hook: Any, with_kwargs: bool, module: Module, args: Any, kwargs: Any, output: Any) -> Any:
    return hook(module, args, kwargs, output) if with_kwargs else hook(module, args, output)


# Backward -------------------------------------------------------------------------------------------------------------


class Gate(Node):
    """The identity on several tensors. Backward passes their gradients to the function `passed`."""

    __slots__ = ("outputs", "passed")

    def __init__(self, edges: tuple[Edge | None, ...], passed: Callable[[Grads], Grads]) -> None:
        self.edges = edges
        self.outputs = len(edges)
        self.passed = passed
        self.seq = next_sequence_number()
        self.extra = None

    def name(self) -> str:
        return "BackwardHookFunctionBackward"

    def run(self, grad: Any, unasked: Sequence[int] = ()) -> Sequence[Any]:
        return self.passed(grad if self.outputs > 1 else (grad,))

    @classmethod
    def through(cls, tensors: Sequence[Tensor], passed: Callable[[Grads], Grads]) -> list[Tensor] | None:
        """Return `tensors` as outputs of a gate, on the same memory; None if none of them needs a gradient."""
        edges = tuple(edge_of(each) for each in tensors)
        if not any(edges):
            return None
        gate = cls(edges, passed)
        behind = [
            each if edge is None else alias(each, (gate, number))
            for number, (each, edge) in enumerate(zip(tensors, edges, strict=True))
        ]
        if LISTENERS:
            emit(events.NodeRecorded(gate, tuple(tensors), tuple(behind)))
        return behind


class Frame:
    """The two gates of one call of a module, and the gradients that have arrived there."""

    def __init__(self, module: Module, hooks: ModuleHooks) -> None:
        self.module = module
        self.before = tuple(hooks.backward_pre.values())
        self.after = tuple(hooks.backward.values())
        self.grad_output: Grads | None = None
        self.gated = False
        """Whether an input needs a gradient. If not, the module's backward ends at its output gate."""
        self.places_in: list[int] = []
        self.places_out: list[int] = []
        self.inputs = 0
        self.several_outputs = 0

    def enter(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Pass the tensors among the arguments through a gate."""
        self.inputs = len(args)
        self.places_in = [i for i, each in enumerate(args) if isinstance(each, Tensor)]
        behind = Gate.through([args[i] for i in self.places_in], self.finished) if self.after else None
        if behind is None:
            return args
        self.gated = True
        return _replaced(args, self.places_in, behind)

    def leave(self, output: Any) -> Any:
        """Pass the tensors among the outputs through a gate."""
        outputs = tuple(output) if isinstance(output, tuple) else (output,)
        self.several_outputs = len(outputs)
        self.places_out = [i for i, each in enumerate(outputs) if isinstance(each, Tensor)]
        behind = Gate.through([outputs[i] for i in self.places_out], self.begun)
        if behind is None:
            return output
        outputs = _replaced(outputs, self.places_out, behind)
        if hasattr(output, "_fields"):  # a named tuple
            return type(output)(*outputs)
        return outputs if isinstance(output, tuple) else outputs[0]

    def begun(self, grads: Grads) -> Grads:
        """Run the pre-hooks when the gradients of the outputs arrive."""
        full = _replaced((None,) * self.several_outputs, self.places_out, grads)
        for hook in self.before:
            result = hook(self.module, full)
            full = _after_hook("module_backward_pre", hook, self.module, full, result)
        self.grad_output = full
        if self.after and not self.gated:
            nothing = (None,) * self.inputs
            for hook in self.after:
                result = hook(self.module, nothing, full)
                if result is not None and result != nothing:
                    raise GradError(
                        f"Backward hook '{hook_name(hook)}' for {type(self.module).__name__} where no input requires "
                        "gradient should always return None or None for all gradients, but it returned a gradient."
                    )
        return tuple(full[i] for i in self.places_out)

    def finished(self, grads: Grads) -> Grads:
        """Run the hooks when the gradients of the inputs arrive, unless those of the outputs never did."""
        if self.grad_output is None:
            return grads
        full = _replaced((None,) * self.inputs, self.places_in, grads)
        for hook in self.after:
            result = hook(self.module, full, self.grad_output)
            full = _after_hook("module_backward", hook, self.module, full, result)
        self.grad_output = None
        return tuple(full[i] for i in self.places_in)


def _replaced(values: tuple[Any, ...], places: Sequence[int], wanted: Sequence[Any]) -> tuple[Any, ...]:
    """Return `values` with those at `places` replaced."""
    found = list(values)
    for place, value in zip(places, wanted, strict=True):
        found[place] = value
    return tuple(found)


def _after_hook(kind: str, hook: Any, module: Module, before: Grads, result: Any) -> Grads:
    """Return the gradients after `hook` returned `result`. Raise if `result` does not fit."""
    after = before
    if result is not None:
        wanted = result if isinstance(result, tuple) else (result,)
        if len(wanted) != len(before):
            raise GradError(
                f"Backward hook '{hook_name(hook)}' of {type(module).__name__} returned an invalid number of grads: "
                f"got {len(wanted)}, but expected {len(before)}."
            )
        after = tuple(
            old if new is None or new is old else checked_replacement(hook, old, new)
            for old, new in zip(before, wanted, strict=True)
        )
    if LISTENERS:
        emit(events.HookRan(kind, hook, module, before, after))
    return after
