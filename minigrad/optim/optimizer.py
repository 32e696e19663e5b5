"""`Optimizer`: parameters in groups, the state of each parameter, and the step.

A step is not part of the graph, so optimisers change the arrays themselves, in place: `update` in each subclass changes
one parameter. Versions are raised, so that a backward that needs values from before the step is an error.
"""

from __future__ import annotations

import copy
import functools
import warnings
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from numbers import Real
from typing import Any, ClassVar

from .. import dtypes, events
from ..core.grad_mode import enable_grad
from ..core.hooks import RemovableHandle, add_hook
from ..core.tensor import Tensor, wrap
from ..errors import ArgumentError, ArgumentTypeError, GradError
from ..events import LISTENERS, emit
from ..ops.common.writes import changed
from ..ops.create.factories import as_tensor, scalar_tensor
from . import differentiable, helpers
from .bundle import Bundles
from .helpers import required

Group = dict[str, Any]


BEFORE_EVERY_STEP: dict[int, Any] = {}
AFTER_EVERY_STEP: dict[int, Any] = {}
"""Hooks that run after the steps of all optimisers."""


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` before each step of any optimiser."""
    return add_hook(BEFORE_EVERY_STEP, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` after each step of any optimiser."""
    return add_hook(AFTER_EVERY_STEP, hook)


def hooked(step: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a `step` method to run the hooks and to count the step, but not if another `step` has called it."""

    @functools.wraps(step)
    def call(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        if self._stepping:
            return step(self, *args, **kwargs)
        for hook in (*BEFORE_EVERY_STEP.values(), *self._before.values()):
            hook(self, args, kwargs)
        self._stepping = True
        try:
            result = step(self, *args, **kwargs)
        finally:
            self._stepping = False
        self.stepped()
        return result

    return call


class Optimizer:
    """The base class of all optimisers.

    `params` are tensors, (name, tensor) pairs, or groups: dictionaries with "params" and their own settings.

    >>> import minigrad as mg
    >>> w = mg.tensor([1.0], requires_grad=True)
    >>> optimizer = mg.optim.SGD([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.8000], requires_grad=True)
    """

    at_least_zero: ClassVar[tuple[str, ...]] = ()
    """Settings that must be numbers and may not be negative."""
    lacks: ClassVar[tuple[str, ...]] = ("fused",)
    """The names in `HINTS` that PyTorch's optimiser of this class does not accept."""

    # A wrapper of another optimiser may skip this class's `__init__`, and still its steps work.
    steps = 0
    _stepping = False
    _bundles: Bundles | None = None
    _before: Mapping[int, Any] = {}
    _after: Mapping[int, Any] = {}

    def __init_subclass__(cls) -> None:
        if "step" in cls.__dict__:
            cls.step = hooked(cls.__dict__["step"])  # type: ignore[method-assign]

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise ArgumentTypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got a Tensor: "
                "write [tensor]"
            )
        if not isinstance(params, Iterable):
            hint = ": write module.parameters()" if hasattr(params, "parameters") else ""
            raise ArgumentTypeError(
                f"{type(params).__name__!r} object is not iterable: the optimizer takes a list of parameters{hint}"
            )
        self.defaults = defaults
        self.state: dict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[Group] = []
        self.steps = 0
        self._stepping = False
        self._bundles = Bundles()
        self._before = {}
        self._after = {}
        self._state_hooks: dict[str, dict[int, Any]] = {name: {} for name in ("saving", "saved", "loading", "loaded")}
        groups = list(params)
        if not groups:
            raise ArgumentError("optimizer got an empty parameter list: does the model have parameters?")
        if not isinstance(groups[0], Mapping):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, param_group: Mapping[str, Any]) -> None:
        """Add a group of parameters. Settings that the group does not contain default to the optimiser's."""
        if not isinstance(param_group, Mapping):
            raise ArgumentTypeError(f"param_group must be a dict, but got {type(param_group)}")
        listed = param_group["params"]
        if isinstance(listed, (set, frozenset)):
            raise ArgumentTypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead."
            )
        listed = [listed] if isinstance(listed, Tensor) else list(listed)
        group: Group = {"params": [each[1] if isinstance(each, tuple) else each for each in listed]}
        named = [isinstance(each, tuple) for each in listed]
        if any(named) and not all(named):
            raise ArgumentError("all optimizer params should be with/without names. Some param names are missing")
        if self.param_groups and any(named) != ("param_names" in self.param_groups[0]):
            how = "with" if any(named) else "without"
            raise ArgumentError(
                "all optimizer param groups should be with/without names. "
                f"cannot add param group {how} names to the optimizer"
            )
        if any(named):
            group["param_names"] = [each[0] for each in listed]
        group |= {name: value for name, value in param_group.items() if name != "params"}
        group = {**group, **{name: value for name, value in self.defaults.items() if name not in group}}
        for name, value in group.items():
            if value is required:
                raise ArgumentError(f"parameter group didn't specify a value of required optimization parameter {name}")
        for each in group["params"]:
            self._check(each, group)
        lr = group.get("lr")
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ArgumentError(f"Tensor lr must be 1-element, but its shape is {list(lr.shape)}")
        for name in self.at_least_zero:
            _check_at_least_zero(name, group.get(name, 0))
        known = {id(each) for other in self.param_groups for each in other["params"]}
        here = {id(each) for each in group["params"]}
        if known & here:
            raise ArgumentError("some parameters appear in more than one parameter group")
        if len(here) < len(group["params"]):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters: each is moved once for every time "
                "that it is listed; in future, this will cause an error",
                UserWarning,
                stacklevel=4,
            )
        self.param_groups.append(group)

    def _check(self, parameter: Any, group: Group) -> None:
        if not isinstance(parameter, Tensor):
            raise ArgumentTypeError(
                f"optimizer can only optimize Tensors, but one of the params is {type(parameter).__name__}"
            )
        if not (group.get("differentiable") or parameter.is_leaf or parameter.retains_grad):
            raise ArgumentError("can't optimize a non-leaf Tensor: give the optimiser the leaves it was computed from")

    # The step

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradients to None, or to zero in place."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter._grad is None:
                    continue
                if set_to_none:
                    parameter._grad = None
                else:
                    parameter._grad.detach_()
                    parameter._grad.zero_()

    @hooked
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update every parameter that has a gradient. If given, `closure` computes the loss and its gradients first."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            self.move(group)
        return loss

    def move(self, group: Group) -> None:
        """Update the parameters of one group; with ``differentiable=True``, as part of the graph."""
        if group.get("differentiable"):
            differentiable.move(self, group)
            return
        update, state, key = self.update, self.state, id(group)
        if isinstance(group["lr"], Tensor):
            group = {**group, "lr": float(group["lr"])}
        moved: Collection[int] = ()
        if self._bundles is not None and getattr(update, "elementwise", False) and group.get("foreach") is not False:
            moved = self._bundles.move(self, group, key)
        for parameter in group["params"]:
            grad = parameter._grad
            if grad is None or id(parameter) in moved:
                continue
            memory = state[parameter]
            array, slope = parameter._array, grad._array
            if array.dtype.kind == "c":  # a complex parameter is updated as real and imaginary parts
                array, slope = _parts(array), _parts(slope)
            update(parameter._backend, array, slope, memory, group)
            changed(parameter)

    def update(self, xp: Any, param: Any, grad: Any, state: dict[str, Any], group: Group) -> None:
        """Update the array `param` in place, given the array of its gradient. `state` is the parameter's state."""
        raise NotImplementedError(
            f"{type(self).__name__} does not say how a parameter moves: write update(self, xp, param, grad, state, "
            "group), which changes the array `param` in place, or a step() of your own."
        )

    def stepped(self) -> None:
        """Count the step, run the hooks after it, and tell the listeners."""
        self.steps += 1
        for hook in (*self._after.values(), *AFTER_EVERY_STEP.values()):
            hook(self, (), {})
        if LISTENERS:
            emit(events.StepTaken(self, self.steps))

    def _own(self, name: str) -> dict[int, Any]:
        hooks: dict[int, Any] = self.__dict__.setdefault(name, {})
        return hooks

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` before each step."""
        return add_hook(self._own("_before"), hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` after each step."""
        return add_hook(self._own("_after"), hook)

    # State

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` before each `state_dict`."""
        return self._add_state_hook("saving", hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` after each `state_dict`; a returned dict replaces the state."""
        return self._add_state_hook("saved", hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` before each `load_state_dict`; a returned dict replaces the state."""
        return self._add_state_hook("loading", hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` after each `load_state_dict`."""
        return self._add_state_hook("loaded", hook, prepend)

    def _add_state_hook(self, when: str, hook: Callable[..., Any], prepend: bool) -> RemovableHandle:
        hooks = self._state_hooks[when]
        handle = add_hook(hooks, hook)
        if prepend:
            others = {number: each for number, each in hooks.items() if each is not hook}
            first = {number: each for number, each in hooks.items() if each is hook}
            hooks.clear()
            hooks.update(first | others)
        return handle

    def _hooked(self, when: str, state_dict: Any) -> Any:
        """Run the hooks of this kind; return `state_dict`, or the dict that a hook returns in its place."""
        for hook in tuple(self._state_hooks[when].values()):
            changed = hook(self, state_dict)
            state_dict = state_dict if changed is None else changed
        return state_dict

    def state_dict(self) -> dict[str, Any]:
        """Return the state of all parameters, as numbers, in the format of PyTorch's optimiser of this class."""
        for hook in tuple(self._state_hooks["saving"].values()):
            hook(self)
        numbers = {id(each): n for n, each in enumerate(self._parameters())}
        groups = [{**group, "params": [numbers[id(each)] for each in group["params"]]} for group in self.param_groups]
        state = {
            numbers.get(id(key), key): _shown(memory) if isinstance(memory, dict) else memory
            for key, memory in self.state.items()  # keys that a user has added stay unchanged
            if not isinstance(memory, dict) or memory  # plain SGD remembers nothing of a parameter
        }
        shown: dict[str, Any] = self._hooked("saved", {"state": state, "param_groups": groups})
        return shown

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Restore the state of an optimiser with the same groups."""
        state_dict = self._hooked("loading", dict(state_dict))
        groups, saved = self.param_groups, state_dict["param_groups"]
        if len(groups) != len(saved):
            raise ArgumentError(
                f"loaded state dict has a different number of parameter groups: {len(saved)}, here are {len(groups)}"
            )
        for number, (group, other) in enumerate(zip(groups, saved, strict=True)):
            if len(group["params"]) != len(other["params"]):
                raise ArgumentError(
                    "loaded state dict contains a parameter group that doesn't match the size of optimizer's group: "
                    f"group {number} has {len(other['params'])} parameters there and {len(group['params'])} here"
                )
        numbers = [n for other in saved for n in other["params"]]
        by_number = dict(zip(numbers, self._parameters(), strict=True))
        self.state.clear()
        for n, memory in state_dict["state"].items():
            if n in by_number:
                memory = _remembered("", memory, by_number[n])
            self.state[by_number.get(n, n)] = memory
        for group, other in zip(groups, saved, strict=True):
            settings = {name: copy.deepcopy(value) for name, value in other.items() if name != "params"}
            group.update(settings)
        for hook in tuple(self._state_hooks["loaded"].values()):
            hook(self)

    def _parameters(self) -> list[Tensor]:
        return [each for group in self.param_groups for each in group["params"]]

    def __repr__(self) -> str:
        parts = []
        for number, group in enumerate(self.param_groups):
            lines = [f"    {name}: {group[name]}" for name in sorted(group) if name != "params"]
            parts.append("\n".join([f"Parameter Group {number}", *lines]) + "\n")
        return f"{type(self).__name__} (\n" + "\n".join(parts) + ")"


HINTS: Group = {"foreach": None, "capturable": False, "differentiable": False, "fused": None}
"""Options for how PyTorch computes a step, with their defaults. Here only `differentiable`
changes anything."""


def hints_of(optimizer: Optimizer, given: Mapping[str, Any]) -> Group:
    """Return every hint that PyTorch's optimiser of this class has, with its given or default value.

    ArgumentTypeError for an unknown name, GradError for ``fused`` together with ``foreach`` or ``differentiable``.
    """
    known = {name: value for name, value in HINTS.items() if name not in optimizer.lacks}
    unknown = sorted(set(given) - set(known))
    if unknown:
        name = type(optimizer).__name__
        raise ArgumentTypeError(f"{name}.__init__() got an unexpected keyword argument {unknown[0]!r}")
    hints = {**known, **given}
    for other in ("foreach", "differentiable"):
        if hints.get("fused") and hints.get(other):
            raise GradError(f"`fused` and `{other}` cannot be `True` together.")
    return hints


def with_decay(param: Any, grad: Any, group: Group) -> Any:
    """Return the gradient with weight decay added; negated first with `maximize`."""
    if group["maximize"]:
        grad = -grad
    return grad + param * group["weight_decay"] if group["weight_decay"] else grad


def _check_at_least_zero(name: str, value: Any) -> None:
    if isinstance(value, Tensor):
        return
    if not isinstance(value, Real):
        raise ArgumentTypeError(f"{name} must be a number, got {value!r}")
    if not float(value) >= 0:
        raise ArgumentError(f"Invalid {_IN_WORDS.get(name, name)} value: {value}: it may not be negative")


_IN_WORDS = {"lr": "learning rate", "eps": "epsilon"}


def _parts(array: Any) -> Any:
    """Return a complex array as a real view, with real and imaginary parts in a last dimension of 2."""
    real = dtypes.real_of(dtypes.of(array.dtype)).numpy
    return array[..., None].view(real)


def kept(state: dict[str, Any], name: str, like: Any, xp: Any, fill: float = 0.0) -> Any:
    """Return the array of the state called `name`, created with the value `fill`, and stored as a tensor."""
    if isinstance(xp, differentiable.Cells):
        return xp.remembered(name, like, fill)
    tensor = state.get(name)
    if tensor is None:
        array = xp.empty_like(like)
        array[...] = fill
        tensor = state[name] = wrap(array, xp)
    return tensor._array


def counted(state: dict[str, Any]) -> int:
    """Count a step of this parameter. Return its number."""
    state["step"] = step = int(state.get("step", 0)) + 1
    return step


_NUMBERS = ("step", "mu_product", "eta", "mu")
"""State that is stored as a plain number here, and as a tensor without dimensions in PyTorch."""


def _shown(memory: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state of one parameter in PyTorch's format."""
    return {
        name: scalar_tensor(value, dtype=dtypes.float32)
        if name in _NUMBERS and not isinstance(value, Tensor)
        else value
        for name, value in memory.items()
    }


def _remembered(name: str, value: Any, parameter: Tensor) -> Any:
    """Return loaded state for a parameter: tensors, also from arrays of any library, get its device and dtype.

    Tensors in lists and dicts too. State that is a plain number here is one again.
    """
    if isinstance(value, Mapping):
        return {key: _remembered(key, each, parameter) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_remembered(name, each, parameter) for each in value)
    if not hasattr(value, "shape"):
        return copy.deepcopy(value)
    if not len(value.shape) and name in _NUMBERS:
        return float(value)
    tensor = (value if isinstance(value, Tensor) else as_tensor(value)).detach()
    dtype = parameter.dtype if parameter.is_floating_point() else tensor.dtype
    return tensor.to(parameter.device, dtype, copy=True)


def __getattr__(name: str) -> Any:
    """Return a name from `helpers`, which custom optimisers import from this module."""
    if name in vars(helpers):
        return getattr(helpers, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
