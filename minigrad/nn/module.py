"""`Module`: a function with parameters, which may contain further modules.

`nn.registration` registers parameters, buffers and children, and iterates over them; `nn.hooks` has the hooks;
`nn.state` saves and prints modules. This file has the rest: call a module, set its mode, move it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar

from .. import dtypes
from ..backend import device
from ..core.grad_mode import no_grad
from ..core.hooks import RemovableHandle
from ..core.tensor import Tensor
from ..errors import ArgumentError, ArgumentTypeError, MissingRuleError, StateError, UnknownNameError
from ..events import LISTENERS
from ..ops.conversion.attributes import share_memory_
from ..ops.create.like import empty_like
from . import state
from .hooks import EVERYWHERE, ModuleHooks, call_attended, flagged, register, under_pytorchs_name
from .loading import IncompatibleKeys, WithoutModule, load_own, load_state_dict
from .registration import Owner
from .uninitialized import Uninitialized

Self = TypeVar("Self", bound="Module")
P = ParamSpec("P")
R = TypeVar("R", covariant=True)


class HasForward(Protocol[P, R]):
    """A module whose ``__call__`` has the types of its ``forward``, for type checkers."""

    def forward(self, *args: P.args, **kwargs: P.kwargs) -> R: ...


class Module(Owner):
    """The base class of all layers and models. Create the parts in ``__init__``, use them in ``forward``.

    >>> import minigrad as mg
    >>> class Net(mg.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.fc = mg.nn.Linear(2, 3)
    ...     def forward(self, x):
    ...         return self.fc(x).relu()
    >>> net = Net()
    >>> net(mg.ones(5, 2)).shape
    minigrad.Size([5, 3])
    >>> [name for name, _ in net.named_parameters()]
    ['fc.weight', 'fc.bias']
    """

    training: bool
    _hooks: ModuleHooks | None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if (args or kwargs) and not self.call_super_init:
            unexpected = f"an unexpected keyword argument '{next(iter(kwargs))}'" if kwargs else "positional arguments"
            raise ArgumentTypeError(f"{type(self).__name__}.__init__() got {unexpected}: Module takes none")
        Owner.__init__(self)
        self.__dict__.update(training=True, _hooks=None)
        if self.call_super_init:
            super(Owner, self).__init__(*args, **kwargs)  # the next base class, with multiple inheritance

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the output. Define this in every subclass, but call the module itself."""
        raise MissingRuleError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    if TYPE_CHECKING:

        def __call__(self: HasForward[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
            """Call `forward` with its hooks. Type checkers use the types of `forward`."""
            ...

    else:

        def __call__(self, *args, **kwargs):
            if LISTENERS or EVERYWHERE or self._hooks is not None:
                return call_attended(self, args, kwargs)
            return self.forward(*args, **kwargs)

    def apply(self: Self, fn: Callable[[Module], None]) -> Self:
        """Call `fn` with every module of the tree, children before their parents. Return this module."""
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    # Modes

    def train(self: Self, mode: bool = True) -> Self:
        """Set training mode: dropout drops, and batch norm uses statistics of the batch."""
        if not isinstance(mode, bool):
            raise ArgumentError(f"training mode is expected to be boolean, got {mode!r}")
        for module in self.modules():
            module.training = mode
        return self

    def eval(self: Self) -> Self:
        """Set evaluation mode: no dropout, and batch norm uses its running statistics."""
        return self.train(False)

    def requires_grad_(self: Self, requires_grad: bool = True) -> Self:
        """Set whether the parameters require gradients."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradients to None, or to zero in place."""
        for parameter in self.parameters():
            if parameter._grad is not None:
                if set_to_none:
                    parameter._grad = None
                else:
                    state.zero(parameter._grad)

    # Device and dtype

    def to(self: Self, *args: Any, **kwargs: Any) -> Self:
        """Move in place to a device, a floating dtype, or those of a tensor; integer tensors keep their dtype.

        With a `memory_format`, tensors of four dimensions (five for `channels_last_3d`) get its memory order.
        """
        return self._convert(*state.destination(*args, **kwargs))

    def _convert(self: Self, where: Any, kind: Any, order: Any = None) -> Self:
        def moved(tensor: Tensor) -> Tensor:
            target = kind if kind is not None and tensor.dtype.is_differentiable else tensor.dtype
            moved = tensor.to(where if where is not None else tensor.device, target)
            return moved.contiguous(memory_format=order) if order is not None and tensor.ndim in (4, 5) else moved

        return self._apply(moved)

    def _round_to(self: Self, kind: Any) -> Self:
        return self._apply(lambda tensor: tensor.to(kind) if tensor.dtype.is_floating_point else tensor)

    def _apply(self: Self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replace the elements of every parameter, gradient and buffer by ``fn(tensor)``."""
        for module in self.modules() if recurse else (self,):
            for parameter in module._parameters.values():
                if parameter is not None:
                    with no_grad():  # `fn` may change the tensor in place
                        made = fn(parameter.data if isinstance(parameter, Uninitialized) else parameter)
                    if made is not parameter:
                        parameter.data = made.detach()
                    if parameter._grad is not None:
                        parameter._grad = fn(parameter._grad.detach())
            for name, buffer in module._buffers.items():
                if buffer is not None:
                    module._buffers[name] = fn(buffer)
        return self

    def type(self: Self, dst_type: Any) -> Self:
        """Change the floating dtype."""
        return self._convert(None, dtypes.as_dtype(dst_type))

    def float(self: Self) -> Self:
        """Change to float32."""
        return self._round_to(dtypes.float32)

    def double(self: Self) -> Self:
        """Change to float64."""
        return self._round_to(dtypes.float64)

    def half(self: Self) -> Self:
        """Change to float16."""
        return self._round_to(dtypes.float16)

    def bfloat16(self: Self) -> Self:
        """Change to bfloat16."""
        return self._round_to(dtypes.bfloat16)

    def cpu(self: Self) -> Self:
        """Move to the CPU."""
        return self._convert(device("cpu"), None)

    def cuda(self: Self, index: int | None = None) -> Self:
        """Move to an NVIDIA GPU."""
        return self._convert(device("cuda", index), None)

    # State

    def state_dict(
        self, *, destination: dict[str, Any] | None = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """Return parameters and buffers by path. They share memory, and are detached unless `keep_vars`."""
        return state.state_dict(self, state.StateDict() if destination is None else destination, prefix, keep_vars)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copy values by path into the parameters and buffers.

        Values may be tensors, NumPy arrays, or PyTorch tensors. Missing or unexpected keys are an error unless `strict`
        is False; wrong shapes always are. With `assign` the given tensors replace the old ones.
        """
        return load_state_dict(self, state_dict, strict, assign)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Write this module's own tensors. Override it to save something else."""
        state.save_own(self, destination, prefix, keep_vars)

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Find this module's own values. Override it to accept other or older state dicts."""
        load_own(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)

    # Hooks

    _forward_pre_hooks = under_pytorchs_name("forward_pre", False)
    _forward_hooks = under_pytorchs_name("forward", False, False)
    _backward_pre_hooks = under_pytorchs_name("backward_pre")
    _backward_hooks = under_pytorchs_name("backward")
    _state_dict_pre_hooks = under_pytorchs_name("state_pre")
    _state_dict_hooks = under_pytorchs_name("state")
    _load_state_dict_pre_hooks = under_pytorchs_name("load_pre")
    _load_state_dict_post_hooks = under_pytorchs_name("load")
    _forward_pre_hooks_with_kwargs = flagged("forward_pre", 1)
    _forward_hooks_with_kwargs = flagged("forward", 1)
    _forward_hooks_always_called = flagged("forward", 2)

    def _hooks_of(self) -> ModuleHooks:
        if self._hooks is None:
            self.__dict__["_hooks"] = ModuleHooks()
        assert self._hooks is not None
        return self._hooks

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before forward; a returned value replaces the arguments."""
        return register(self._hooks_of().forward_pre, (hook, with_kwargs), prepend)

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after forward; a returned value replaces the output."""
        return register(self._hooks_of().forward, (hook, with_kwargs, always_call), prepend)

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` when the module's backward begins; it may return other gradients."""
        return register(self._hooks_of().backward_pre, hook, prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` when the module's backward has ended.

        Both are tuples, with None for non-tensors and for tensors without a gradient. A returned tuple replaces
        `grad_input`.
        """
        return register(self._hooks_of().backward, hook, prepend)

    register_backward_hook = register_full_backward_hook

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, prefix, keep_vars)`` before `state_dict` collects this module's tensors."""
        return register(self._hooks_of().state_pre, hook, False)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` afterwards; it may change the dictionary in place.

        It must return None.
        """
        with suppress(AttributeError):  # methods accept no attributes
            hook._from_public_api = True  # type: ignore[attr-defined]
        return register(self._hooks_of().state, hook, False)

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """An older hook of PyTorch: what the hook of the outermost module returns replaces the dictionary."""
        if getattr(hook, "_from_public_api", False):
            raise StateError(
                "Cannot register the same function as the state dict post hook that was previously registered via "
                "register_state_dict_post_hook"
            )
        return register(self._hooks_of().state, hook, False)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call the hook before this module's values are loaded; it may change the dictionary in place.

        ``hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)``
        """
        return register(self._hooks_of().load_pre, hook, False)

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        return self.register_load_state_dict_pre_hook(hook if with_module else WithoutModule(hook))

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, incompatible_keys)`` after loading; it may change the two lists in place."""
        return register(self._hooks_of().load, hook, False)

    def get_extra_state(self) -> Any:
        """Return data to store in the state dict besides tensors. Define it together with `set_extra_state`."""
        raise MissingRuleError(f"{type(self).__name__} has no get_extra_state(self)")

    def set_extra_state(self, state: Any) -> None:
        """Restore what `get_extra_state` returned."""
        raise MissingRuleError(f"{type(self).__name__} has no set_extra_state(self, state)")

    # Rarely used

    call_super_init = False
    """Whether ``Module.__init__`` passes its arguments to the next base class, with multiple inheritance."""
    dump_patches = False

    def to_empty(self: Self, *, device: Any, recurse: bool = True) -> Self:
        """Replace every parameter and buffer by uninitialised memory on `device`, to leave the device ``meta``."""
        return self._apply(lambda tensor: empty_like(tensor, device=device), recurse)

    def share_memory(self: Self) -> Self:
        """Move every parameter and buffer to memory that several processes share."""
        return self._apply(share_memory_)

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: minigrad has no compiler."""

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Set the module at a path such as ``"encoder.layers.0"``.

        Its parents must exist; with `strict` it must replace a module.
        """
        path, _, name = target.rpartition(".")
        if not name:
            raise ArgumentError("Cannot set the submodule without a target name!")
        parent = self.get_submodule(path)
        if strict and name not in parent._modules:
            raise UnknownNameError(f"{type(parent).__name__} has no attribute `{name}`, which strict=True asks for")
        if not isinstance(parent._modules.get(name), Module) and hasattr(parent, name):
            raise UnknownNameError(f"`{name}` is not an nn.Module, so no module is put in its place")
        parent.register_module(name, module)

    # Printing

    _version = 1
    """The version of its state dict's format."""

    folds_in_repr = False
    """Whether equal neighbours are printed once, with their number."""

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """Return the text between the parentheses when the module is printed."""
        return ""

    def __repr__(self) -> str:
        return state.describe(self)
