"""Hooks into PyTorch, and tells what happens as `minigrad.events`.

    forward    a function mode, which hears of each call as the program wrote it
    graph      from the results' ``grad_fn`` back to what was known before: all of it is that call's
    backward   hooks on these nodes
    around     global hooks of modules and optimisers

What PyTorch writes in Python, such as `multi_head_attention_forward`, is looked into: what it calls is told. Nothing of
PyTorch is patched, and no tensor is held.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn.modules import module as modules
from torch.optim import optimizer as optimizers

from ... import events
from .calls import Begun
from .engine import HERE, Engine
from .functions import TREATMENTS, treatment_of
from .reading import unguarded, version_of
from .stack import put_on, take_off

Listener = Callable[[Any], None]


class Mode(torch.overrides.TorchFunctionMode):  # type: ignore[misc, unused-ignore]
    """Hears of every call of PyTorch's in its thread."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self.source = source

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if HERE.busy or not self.source.listeners or torch.compiler.is_compiling():
            return func(*args, **kwargs)
        treat = TREATMENTS.get(func)
        if treat is None:
            treat = TREATMENTS[func] = treatment_of(func)
        return treat(self.source, func, args, kwargs)


class Source:
    """PyTorch, watched for as long as somebody listens."""

    def __init__(self) -> None:
        self.listeners: list[Listener] = []
        self.engine = Engine(self.emit, self.guarded)
        self.mode = Mode(self)
        self._hooks: list[Any] = []
        self._steps: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._before: weakref.WeakKeyDictionary[Any, dict[int, int]] = weakref.WeakKeyDictionary()

    # Listening

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with every event; the returned function stops that."""
        self.listeners.append(listener)
        if not self._hooks:
            self._hook()
        if not HERE.inside:
            put_on(self.mode)

        def stop() -> None:
            if listener in self.listeners:
                self.listeners.remove(listener)

        return stop

    def leave(self) -> None:
        """Take all hooks and the mode out again, where nobody listens."""
        if not self.listeners:
            for hook in self._hooks:
                hook.remove()
            self._hooks.clear()
            take_off(self.mode)

    def emit(self, event: Any) -> None:
        """Tell every listener."""
        for listener in tuple(self.listeners):
            listener(event)

    def _hook(self) -> None:
        self._hooks = [
            modules.register_module_forward_pre_hook(self.guarded(self._scope_entered)),
            modules.register_module_forward_hook(self.guarded(self._scope_left), always_call=True),
            optimizers.register_optimizer_step_pre_hook(self.guarded(self._steps_now)),
            optimizers.register_optimizer_step_post_hook(self.guarded(self._stepped, always=True)),
        ]

    def guarded(self, action: Callable[..., None], always: bool = False) -> Callable[..., None]:
        """`action` where somebody listens; none of its errors reaches the program."""

        def act(*given: Any) -> None:
            if HERE.busy or not (self.listeners or always) or torch.compiler.is_compiling():
                return
            with self.ours():
                action(*given)

        return act

    @contextmanager
    def ours(self) -> Iterator[None]:
        """Our own code runs: nobody hears of what it reads, and its errors end the watching, not the program."""
        HERE.busy = True
        try:
            with unguarded():
                yield
        except Exception as error:
            self._fail(error)
        finally:
            HERE.busy = False

    def _fail(self, error: Exception) -> None:
        for listener in tuple(self.listeners):
            give_up = getattr(listener, "give_up", None)
            if give_up is not None:
                give_up(error)
        self.listeners.clear()

    # Calls

    def call(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call that PyTorch does in one go."""
        if torch._C._are_functorch_transforms_active():
            return func(*args, **kwargs)
        before = None
        with self.ours():
            before = Begun(self.engine, func, args, kwargs)
        result = func(*args, **kwargs)
        if before is not None:
            with self.ours():
                before.tell(result)
        return result

    # Modules and optimisers

    def _scope_entered(self, module: Any, args: Any) -> None:
        self.emit(events.ScopeEntered(type(module).__name__, module))
        if HERE.sealed is None and is_sealed(module):
            HERE.sealed = (
                module,
                Begun(self.engine, Whole(type(module).__name__.replace("OptimizedModule", "Compiled")), args, {}),
            )
            take_off(self.mode)

    def _scope_left(self, module: Any, args: Any, result: Any) -> None:
        if HERE.sealed is not None and HERE.sealed[0] is module:
            _, begun = HERE.sealed
            HERE.sealed = None
            put_on(self.mode)
            begun.tell(result)
        self.emit(events.ScopeLeft(type(module).__name__, module))

    def _steps_now(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        """What it does to its parameters is told when it is done; unless it calls the program back."""
        if len(args) < 2 and not kwargs.get("closure"):
            take_off(self.mode)
        self._before[optimizer] = {id(each): version_of(each) for each in _parameters(optimizer)}

    def _stepped(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        count = self._steps[optimizer] = self._steps.get(optimizer, 0) + 1
        before = self._before.pop(optimizer, {})
        for each in _parameters(optimizer) if self.listeners else ():
            if version_of(each) != before.get(id(each)):
                self.emit(events.Mutated(each, None))
        self.emit(events.StepTaken(optimizer, count))
        if self.listeners:
            put_on(self.mode)
        else:
            take_off(self.mode)


class Whole:
    """A module as a function whose call is shown as one op."""

    def __init__(self, module: Any) -> None:
        name = type(module).__name__
        self.__name__ = "Compiled" if name == "OptimizedModule" else name


FUSED = (torch.nn.TransformerEncoder, torch.nn.TransformerEncoderLayer, torch.nn.MultiheadAttention)
"""Without gradients these take a faster way, if nobody overrides functions: so nobody does."""


def is_sealed(module: Any) -> bool:
    """Whether a module is shown as one op, because it must run alone: one that is compiled, or fused."""
    if type(module).__name__ == "OptimizedModule":
        return True
    if not isinstance(module, FUSED) or module.training:
        return False
    return not (torch.is_grad_enabled() and any(each.requires_grad for each in module.parameters()))


def _parameters(optimizer: Any) -> Iterator[Any]:
    for group in optimizer.param_groups:
        yield from group["params"]


SOURCE = Source()
