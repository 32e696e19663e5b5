"""How to treat each function of PyTorch that the program calls."""

from __future__ import annotations

import functools
import sys
import weakref
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

import torch

from ... import events
from .calls import meet
from .nodes import HERE

if TYPE_CHECKING:
    from .source import Source

Treatment = Callable[["Source", Any, tuple[Any, ...], dict[str, Any]], Any]


def passed(source: Source, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function without emitting events."""
    return func(*args, **kwargs)


def told(source: Source, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function and emit it as an op."""
    return source.call(func, args, kwargs)


def looked_into(source: Source, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function that PyTorch writes in Python: emit the ops that it calls.

    If it calls itself, the inner call is one op.
    """
    if HERE.inside and HERE.inside[-1] is func:
        return source.call(func, args, kwargs)
    HERE.inside.append(func)
    try:
        with source.mode:
            return unasked(func)(*args, **kwargs)
    finally:
        HERE.inside.pop()


def cloned(source: Source, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``clone()``. `deepcopy` of a module clones each parameter; that is no op of the program."""
    return func(*args, **kwargs) if _copying() else told(source, func, args, kwargs)


def _copying() -> bool:
    """Whether ``Parameter.__deepcopy__`` made this call: its frame is above those of a treatment and the mode."""
    return sys._getframe(3).f_code is torch.nn.Parameter.__deepcopy__.__code__


def detached(source: Source, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``detach()`` and ``.data``: emit that a tensor left the graph."""
    if _copying():
        return func(*args, **kwargs)
    if func is torch.Tensor.detach_ or func is torch.detach_:
        with source.ours():
            source.emit(events.Detached(args[0], args[0]))
        return func(*args, **kwargs)
    result = func(*args, **kwargs)
    with source.ours():
        if args[0].requires_grad:
            meet(source.engine, args[0])
            source.emit(events.Detached(result, args[0]))
    return result


def backward(source: Source, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``Tensor.backward``, ``autograd.backward``, ``autograd.grad``: emit a backward run."""
    run = None
    source.engine.wants = source.wants
    with source.ours():
        roots, inputs, create, retain = _asked(func, args, kwargs)
        for tensor, _ in roots if source.wants != "loss" else ():
            meet(source.engine, tensor)
        run = source.engine.begin(roots, create, create if retain is None else retain, func is torch.autograd.grad)
    error = None
    try:
        with source.mode:
            if func is torch.Tensor.backward:
                func = torch.autograd.backward
                args, kwargs = args[:4], {**kwargs, **({"inputs": args[4]} if len(args) > 4 else {})}
                kwargs = {"grad_tensors" if key == "gradient" else key: value for key, value in kwargs.items()}
            result = unasked(func)(*args, **kwargs)
        if run is not None and run.captures:
            with source.ours():
                source.engine.returned(run, inputs, result)
        return result
    except BaseException as raised:
        error = raised
        raise
    finally:
        if run is not None:
            with source.ours():
                source.engine.end(run, error)


def _asked(
    func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[list[tuple[Any, Any]], list[Any], bool, Any]:
    """The roots with their gradients, the inputs, ``create_graph`` and ``retain_graph`` of a backward."""
    names = {
        torch.Tensor.backward: ("tensors", "gradient", "retain_graph", "create_graph", "inputs"),
        torch.autograd.backward: (
            "tensors",
            "grad_tensors",
            "retain_graph",
            "create_graph",
            "grad_variables",
            "inputs",
        ),
        torch.autograd.grad: ("outputs", "inputs", "grad_outputs", "retain_graph", "create_graph"),
    }[func]
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    roots = given.get("tensors", given.get("outputs"))
    grads = given.get("gradient", given.get("grad_tensors", given.get("grad_outputs")))
    roots = list(roots) if isinstance(roots, (tuple, list)) else [roots]
    grads = list(grads) if isinstance(grads, (tuple, list)) else [grads] * (1 if grads is not None else len(roots))
    pairs = [(root, grad) for root, grad in zip(roots, grads, strict=False) if isinstance(root, torch.Tensor)]
    inputs = given.get("inputs")
    inputs = list(inputs) if isinstance(inputs, (tuple, list)) else [inputs]
    return pairs, inputs, bool(given.get("create_graph")), given.get("retain_graph")


def hooked(source: Source, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``Tensor.register_hook``: emits an event when the hook runs."""
    tensor, hook = (*args, *kwargs.values())[:2]
    target = weakref.ref(tensor)

    @functools.wraps(hook)
    def heard(grad: Any) -> Any:
        after = hook(grad)
        at = target()
        if at is not None and source.listeners and not HERE.busy:
            with source.ours():
                source.emit(events.HookRan("tensor", hook, at, grad, grad if after is None else after))
        return after

    return func(tensor, heard)


_words = str.split

PASSED = frozenset(
    _words("""
    __repr__ __str__ __format__ __deepcopy__ __reduce_ex__ __reduce__ __setstate__ __dir__ __hash__ __len__
    __array__ __bool__ __float__ __int__ __index__ __complex__ __contains__ __dlpack__ __dlpack_device__
    __cuda_array_interface__ item tolist numpy size dim numel nelement ndimension stride storage_offset data_ptr
    element_size is_contiguous is_floating_point is_complex is_signed is_same_size is_tensor is_storage
    is_nonzero is_conj is_neg is_inference get_device type_dtype storage untyped_storage share_memory_ is_shared
    pin_memory is_pinned requires_grad_ retain_grad record_stream rename_ register_post_accumulate_grad_hook
    equal allclose set_printoptions _set_grad_enabled set_grad_enabled _record_function_enter_new backward_hooks
    is_set_to has_names can_cast result_type promote_types is_grad_enabled manual_seed broadcast_shapes
    _is_all_true
    """)
)
"""Functions that are not ops of a graph."""

READ = frozenset(_words("T mT H mH real imag"))
"""Attributes that count as ops."""

TREATMENTS: dict[Any, Treatment] = {
    torch.Tensor.backward: backward,
    torch.autograd.backward: backward,
    torch.autograd.grad: backward,
    torch.Tensor.register_hook: hooked,
    torch.Tensor.detach: detached,
    torch.Tensor.detach_: detached,
    torch.detach: detached,
    torch.detach_: detached,
    torch.Tensor.clone: cloned,
}


def treatment_of(func: Any) -> Treatment:
    """Choose the treatment of a function at its first call."""
    name = getattr(func, "__name__", "")
    if name == "__get__":
        attribute = getattr(func.__self__, "__name__", "")
        return detached if attribute == "data" else told if attribute in READ else passed
    if isinstance(func, torch._ops.OpOverload) and func.namespace in ("aten", "prims"):
        return passed  # an op inside a compiled function
    if name in PASSED or name in ("__set__", "__delete__", "") or name.startswith("_record_function"):
        return passed
    if isinstance(func, FunctionType):
        from_torch = (func.__module__ or "").startswith("torch")
        return passed if func.__module__ == "torch.nn.init" else looked_into if from_torch else told
    return told


def _never(*given: Any) -> bool:
    return False


ASKING = ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic")


@functools.lru_cache(maxsize=1024)
def unasked(func: Any) -> Any:
    """The same function without its check for overrides: the functions that it calls check for themselves."""
    if not isinstance(func, FunctionType):
        return func
    variables = {**func.__globals__, **{name: _never for name in ASKING if name in func.__globals__}}
    made = FunctionType(func.__code__, variables, func.__name__, func.__defaults__, func.__closure__)
    made.__kwdefaults__ = func.__kwdefaults__
    return made
