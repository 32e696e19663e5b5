"""Hook into PyTorch, and emit `minigrad.events`.

    forward    a function mode, which receives each call as the program wrote it
    graph      from the results' ``grad_fn`` back to known nodes: all new nodes belong to that call
    backward   hooks on these nodes
    around     global hooks of modules and optimisers

For functions that PyTorch writes in Python, such as `multi_head_attention_forward`, the ops that they call are emitted.
Nothing of PyTorch is patched, and no tensor is kept alive.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import torch
from torch.nn.modules import module as modules
from torch.nn.parameter import UninitializedBuffer, UninitializedParameter
from torch.optim import optimizer as optimizers

from ... import events
from ..record.recorder import Recorder
from .calls import Begun, glance
from .ear import Ear
from .engine import Engine, Wants
from .functions import TREATMENTS, backward, treatment_of
from .nodes import HERE
from .reading import TORCH, disabled, version_of
from .stack import is_compiling, is_fake, put_on, take_off

Listener = Callable[[Any], None]

LAZY = (UninitializedParameter, UninitializedBuffer)
"""Tensors of a lazy layer before its first input. They have no shape: nothing is told of them."""

FREE = 0.25
"""Seconds spent on searching for NaN before their cost limits how many steps are searched."""

GLANCES_SHARE = 0.05
"""At most this part of the time goes into searching for NaN."""


BESIDE = 2e-5
"""The most seconds that PyTorch is assumed to spend on calling one of our hooks, besides the hook's own time."""

TURNS = 2
"""PyTorch is left alone once each optimiser has taken so many steps: then no other one is expected."""

MOST_FAILURES = 20
"""Watching a run ends after this many errors of the watcher."""


class Mode(torch.overrides.TorchFunctionMode):  # type: ignore[misc, unused-ignore]
    """Receives every call of PyTorch in its thread."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self.source = source

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if HERE.busy or not self.source.listeners or is_compiling() or any(map(is_fake, args)):
            return func(*args, **kwargs)
        if any(issubclass(each, LAZY) for each in types):
            return func(*args, **kwargs)
        treat = TREATMENTS.get(func)
        if treat is None:
            treat = TREATMENTS[func] = treatment_of(func)
        if treat is not backward and not self.source.glancing and self.source.wants == "loss":
            return func(*args, **kwargs)
        return treat(self.source, func, args, kwargs)


class Source:
    """PyTorch, watched while there are listeners."""

    def __init__(self) -> None:
        self.listeners: list[Listener] = []
        self.engine = Engine(self.emit, self.guarded)
        self.mode = Mode(self)
        self.glancing = True
        """Whether a step that needs only its loss is also searched for NaN."""
        self.spent = 0.0
        """Seconds spent in such steps."""
        self._since = perf_counter()
        self._hooks: list[Any] = []
        self._scopes: list[Any] = []
        self._ear = Ear(self.engine, self.guarded)
        self._resting = False
        """Whether the mode is off, and backward passes are only heard."""
        self._deaf = False
        """Whether an optimiser took a step without a backward pass that was heard: then the mode stays on."""
        self._failures = 0
        self._steps: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._before: weakref.WeakKeyDictionary[Any, dict[int, int]] = weakref.WeakKeyDictionary()

    # Listening

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with every event; the returned function stops that."""
        self.listeners.append(listener)
        self._failures = 0
        if not self._hooks:
            self._forget()
            self._hook()
        elif not HERE.inside:
            self._attend()

        def stop() -> None:
            if listener in self.listeners:
                self.listeners.remove(listener)

        return stop

    def leave(self) -> None:
        """Remove all hooks and the mode when no listener is left."""
        if not self.listeners:
            for hook in self._hooks:
                hook.remove()
            self._hooks.clear()
            self._rest()

    @property
    def wants(self) -> Wants:
        """The part of this step that the listeners want. A listener without ``wants`` wants the whole step."""
        if len(self.listeners) == 1 and type(self.listeners[0]) is Recorder:
            return self.listeners[0].wants
        wanted = {getattr(listener, "wants", "whole") for listener in self.listeners}
        return "whole" if "whole" in wanted else "numbers" if "numbers" in wanted else "loss"

    def emit(self, event: Any) -> None:
        """Send an event to every listener."""
        for listener in tuple(self.listeners):
            listener(event)

    def _forget(self) -> None:
        """Forget the previous program."""
        self.engine.forget()
        self.glancing, self.spent, self._since, self._deaf = True, 0.0, perf_counter(), False

    def _hook(self) -> None:
        self._hooks = [
            optimizers.register_optimizer_step_pre_hook(self.guarded(self._steps_now)),
            optimizers.register_optimizer_step_post_hook(self.guarded(self._stepped, always=True)),
        ]
        self._attend()

    def _attend(self) -> None:
        """Install the mode and the module hooks, to receive calls from now on."""
        self._ear.stop()
        self._resting = False
        put_on(self.mode)
        if not self._scopes:
            self._scopes = [
                modules.register_module_forward_pre_hook(self._entering),
                modules.register_module_forward_hook(self._leaving, always_call=True),
            ]

    def _rest(self) -> None:
        """Remove the mode and the module hooks until they are wanted again."""
        self._ear.stop()
        take_off(self.mode)
        for hook in self._scopes:
            hook.remove()
        self._scopes = []

    def guarded(self, action: Callable[..., None], always: bool = False) -> Callable[..., None]:
        """Wrap `action` so that it runs only if there are listeners, and its errors do not reach the program."""

        def act(*given: Any) -> None:
            if HERE.busy or not (self.listeners or always) or is_compiling():
                return
            with self.ours():
                action(*given)

        return act

    def ours(self) -> Ours:
        """A block of the watcher's own code: it emits no events, and its errors do not reach the program."""
        return Ours(self)

    def fail(self, error: Exception) -> None:
        """Handle an error of the watcher: one event is missing from the records; after too many, recording ends."""
        self._failures += 1
        for listener in tuple(self.listeners):
            if isinstance(listener, Recorder):
                if self._failures > MOST_FAILURES:
                    listener.give_up(error)
                else:
                    listener.remark(
                        "dropped", count=1, reason=f"something that PyTorch did could not be read: {error!r}"
                    )
        if self._failures > MOST_FAILURES:
            self.listeners.clear()

    # Calls

    def call(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a call, and emit it as one op."""
        transformed = torch._C._are_functorch_transforms_active()
        if transformed or (not HERE.told and TORCH.folders.loading.run_around(sys._getframe(1))):
            return func(*args, **kwargs)
        self.engine.wants = wants = self.wants
        if wants == "loss":
            result = func(*args, **kwargs)
            if not self.glancing:
                return result
            with self.ours():
                glance(self.engine, func, (args, kwargs), result)
                self.glancing = self._affords_glances()
            return result
        before = None
        with self.ours():
            before = Begun(self.engine, func, args, kwargs)
        result = func(*args, **kwargs)
        if before is not None:
            with self.ours():
                before.tell(result)
        return result

    def _affords_glances(self) -> bool:
        return self.spent <= FREE + GLANCES_SHARE * (perf_counter() - self._since)

    # Modules and optimisers

    def _entering(self, module: Any, args: Any) -> None:
        if HERE.busy or not self.listeners or is_compiling():
            return
        told = self.wants != "loss"
        HERE.told.append(told)
        if told or is_sealed(module):
            with self.ours():
                self._scope_entered(module, args, told)

    def _leaving(self, module: Any, args: Any, result: Any) -> None:
        if HERE.busy or is_compiling():
            return
        told = bool(HERE.told) and HERE.told.pop()
        if told or HERE.sealed is not None:
            with self.ours():
                self._scope_left(module, result, told)

    def _scope_entered(self, module: Any, args: Any, told: bool) -> None:
        if told:
            self.emit(events.ScopeEntered(type(module).__name__, module))
        if HERE.sealed is None and is_sealed(module):
            HERE.sealed = (
                module,
                Begun(self.engine, Whole(module), args, {}),
            )
            take_off(self.mode)

    def _scope_left(self, module: Any, result: Any, told: bool) -> None:
        if HERE.sealed is not None and HERE.sealed[0] is module:
            _, begun = HERE.sealed
            HERE.sealed = None
            put_on(self.mode)
            begun.tell(result)
        if told:
            self.emit(events.ScopeLeft(type(module).__name__, module))

    def _steps_now(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        """Prepare to emit the optimiser's writes after its step.

        Stop watching during the step unless it has a closure.
        """
        if len(args) < 2 and not kwargs.get("closure"):
            take_off(self.mode)
        if self.wants != "loss":
            self._before[optimizer] = {id(each): version_of(each) for each in _parameters(optimizer)}

    def _stepped(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        count = self._steps[optimizer] = self._steps.get(optimizer, 0) + 1
        before = self._before.pop(optimizer, {})
        self.engine.stepping = len(self._steps)
        self.glancing = self._affords_glances()
        for each in _parameters(optimizer) if self.listeners and self.wants != "loss" else ():
            if version_of(each) != before.get(id(each)):
                self.emit(events.Mutated(each, None))
        seen = not self._resting or optimizer in self._ear.reached
        self._ear.reached.discard(optimizer)
        self._deaf = self._deaf or not seen
        self.emit(events.StepTaken(optimizer, count, seen))
        if self.listeners and (
            self.wants != "loss" or self.glancing or self._deaf or min(self._steps.values()) < TURNS
        ):
            self._attend()
        elif not self._resting or not self.listeners:
            self._rest()
            self._resting = True
            for each in tuple(self._steps) if self.listeners else ():
                self._ear.listen(each, _parameters(each))


class Ours:
    """A block of the watcher's own code, in a thread of the program."""

    __slots__ = ("_begun", "_guard", "_source")

    def __init__(self, source: Source) -> None:
        self._source = source

    def __enter__(self) -> None:
        self._begun = perf_counter()
        self._guard = disabled()
        self._guard.__enter__()
        HERE.busy = True

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> bool:
        HERE.busy = False
        self._guard.__exit__(None, None, None)
        if isinstance(error, Exception):
            self._source.fail(error)
            return True
        spent = perf_counter() - self._begun
        spent += min(spent, BESIDE)
        if self._source.engine.wants == "loss":
            self._source.spent += spent
        for listener in self._source.listeners:
            if isinstance(listener, Recorder):
                listener.charge(spent)
        return False


class Whole:
    """A module whose call is shown as one op."""

    def __init__(self, module: Any) -> None:
        name = type(module).__name__
        self.__name__ = "Compiled" if name == "OptimizedModule" else name


FUSED = (torch.nn.TransformerEncoder, torch.nn.TransformerEncoderLayer, torch.nn.MultiheadAttention)
"""Without gradients these modules have a faster path, but only if no function is overridden: so the mode is off there.
"""


def is_sealed(module: Any) -> bool:
    """Whether a module is shown as one op, because it must run without the mode: it is compiled, or fused."""
    if type(module).__name__ == "OptimizedModule":
        return True
    if not isinstance(module, FUSED) or module.training:
        return False
    return not (torch.is_grad_enabled() and any(each.requires_grad for each in module.parameters()))


def _parameters(optimizer: Any) -> Iterator[Any]:
    for group in optimizer.param_groups:
        yield from group["params"]


SOURCE = Source()
