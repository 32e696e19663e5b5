"""Read the arguments that many functions share: ``out=``, ``dtype=``, one dimension or several."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from ... import dtypes
from ...backend.numpy import NUMBERS as FOREIGN_NUMBERS
from ...core.batch import Batch
from ...core.grad_mode import no_grad
from ...core.slices import check_apart, check_writable
from ...core.state import STATE
from ...core.tensor import Tensor, foreign
from ...errors import ArgumentTypeError, DtypeError, GradError, MissingRuleError
from .dims import wrap_dims
from .out_types import IN_TYPE_OF_OUT, check_out_type
from .parameters import Parameter, parameters_of
from .spellings import needs_spellings, respelt
from .writes import check_not_read

F = TypeVar("F", bound=Callable[..., Any])

NUMBERS = frozenset(
    {"alpha", "beta", "end", "fill_value", "max", "min", "repeats", "shifts", "start", "steps", "value"}
)
"""The names of parameters that accept a number."""

FOREIGN = FOREIGN_NUMBERS | {Tensor}
"""Types that may be passed in place of a Python number."""

PYTHONS = frozenset({bool, int, float})
"""Python's own numbers, which are passed on unchanged."""

NOWHERE = 1 << 30
"""An argument index larger than any other."""


class Numbers(NamedTuple):
    """The parameters of a function that take numbers."""

    first: int
    """The index of the first parameter that takes a number and is not an operand."""
    plain: frozenset[int | str]
    """Indices and names of parameters that accept only a number; a tensor there is replaced by its element."""
    wanted: dict[int | str, Parameter]
    """Parameters that take a float, or None if allowed, by index and by name. The ops themselves check ints."""
    function: str
    """The function's name, for error texts."""


@functools.cache
def numbers_of(function: Callable[..., Any]) -> Numbers:
    """Return the parameters of `function` that take numbers, read from its signature."""
    first, plain, wanted = NOWHERE, set[int | str](), dict[int | str, Parameter]()
    for place, each in enumerate(parameters_of(function)):
        scale = each.name in ("alpha", "beta") or (each.name == "value" and each.keyword_only)
        only = scale or each.annotation.removesuffix(" | None") in ("int", "float")
        if only:
            plain |= {place, each.name}
        if only or each.name in NUMBERS:
            first = min(first, place)
        if each.annotation.removesuffix(" | None") == "float" and not each.spread:
            wanted[each.name] = each
            if not each.keyword_only:
                wanted[place] = each
    return Numbers(first, frozenset(plain), wanted, function.__name__)


def in_python_numbers(
    numbers: Numbers, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments from the first number on, and the keyword arguments, with numbers converted to Python's.

    ArgumentTypeError if an argument that must be a number is not one.
    """
    first, _, wanted, _ = numbers
    if not PYTHONS.issuperset(map(type, args[first:])):
        if not FOREIGN.isdisjoint(map(type, args[first:])):
            args = (*args[:first], *[_in_python(numbers, i, each) for i, each in enumerate(args[first:], first)])
        for place in range(first, len(args)):
            if place in wanted:
                _check_is_float(numbers, place, args[place])
    if kwargs and not PYTHONS.issuperset(map(type, kwargs.values())):
        if not FOREIGN.isdisjoint(map(type, kwargs.values())):
            kwargs = {name: _in_python(numbers, name, each) for name, each in kwargs.items()}
        for name, value in kwargs.items():
            if name in wanted:
                _check_is_float(numbers, name, value)
    return args, kwargs


def _check_is_float(numbers: Numbers, where: int | str, value: Any) -> None:
    name, kind, *_ = numbers.wanted[where]
    if type(value) in PYTHONS or (value is None and kind.endswith("None")):
        return
    if not (hasattr(type(value), "__float__") or hasattr(type(value), "__index__")):
        place = "" if isinstance(where, str) else f" (position {where + 1})"
        raise ArgumentTypeError(
            f"{numbers.function}(): argument {name!r}{place} must be float, not {type(value).__name__}"
        )


def _in_python(numbers: Numbers, where: int | str, value: Any) -> Any:
    if type(value) is not Tensor:
        return value.item() if type(value) in FOREIGN else value
    if where not in numbers.plain or (value._array.ndim and isinstance(where, int)):  # places had an older order
        return value
    if value._array.ndim or value.requires_grad:
        which = repr(where) if isinstance(where, str) else f"at position {where + 1}"
        why = (
            f"it has shape {list(value._array.shape)}. Give one number for all elements, or multiply by the tensor."
            if value._array.ndim
            else "no gradient would flow into it. Give its detach() to use the number alone."
        )
        raise ArgumentTypeError(f"{numbers.function}(): argument {which} must be Number, not Tensor: {why}")
    return value.item()


def accepts_out(function: F) -> F:
    """Wrap `function` to accept ``out``: the tensor, or tuple of tensors, to write the result to."""

    numbers = numbers_of(function)

    @functools.wraps(function)
    def call(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        if kwargs or len(args) > numbers.first:
            args, kwargs = in_python_numbers(numbers, args, kwargs)
        if out is None:
            try:
                return function(*args, **kwargs)
            except AttributeError as error:
                check_are_tensors(function, args, kwargs, error)
                raise
            except TypeError as error:
                return respelt(function, args, kwargs, error)
        targets = out if isinstance(out, (tuple, list)) else (out,)
        _check_no_grad(function.__name__, (*args, *kwargs.values()), targets)
        _check_no_tangent(function.__name__, (*args, *kwargs.values(), *targets))
        _check_dtype(kwargs.get("dtype"), targets)
        if function.__name__ in IN_TYPE_OF_OUT and (out.dtype is not dtypes.bool_ or function.__name__[:3] != "cum"):
            kwargs.setdefault("dtype", out.dtype)
        _check_apart(function.__name__, (*args, *kwargs.values()), targets)
        with no_grad():
            try:
                result = function(*args, **kwargs)
            except TypeError as error:
                result = respelt(function, args, kwargs, error)
            for target, made in zip(targets, result if isinstance(out, (tuple, list)) else (result,), strict=True):
                _write(target, made, function.__name__)
        return type(result)(*targets) if hasattr(result, "_fields") else out

    return call  # type: ignore[return-value]


def explaining(function: F) -> F:
    """Wrap `function` to raise a clear error if an argument is not a tensor; see `check_are_tensors`."""
    if hasattr(function, "__wrapped__"):  # mostly by `accepts_out`, which explains errors too
        return function

    numbers = numbers_of(function)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) > numbers.first:
            args, kwargs = in_python_numbers(numbers, args, kwargs)
        try:
            return function(*args, **kwargs)
        except AttributeError as error:
            check_are_tensors(function, args, kwargs, error)
            raise
        except TypeError as error:
            return respelt(function, args, kwargs, error)

    return call  # type: ignore[return-value]


def laid_out(function: F) -> F:
    """Wrap `function` to accept PyTorch's arguments for a layout; see `spellings`."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            return respelt(function, args, kwargs, error)

    return call  # type: ignore[return-value]


def respelling(method: F) -> F:
    """Wrap `method` to accept NumPy's keywords and outdated argument orders, if its signature has such parameters."""
    if not inspect.isfunction(method) or not (needs_spellings(method) or numbers_of(method).first < NOWHERE):
        return method
    numbers = numbers_of(method)

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) > numbers.first:
            args, kwargs = in_python_numbers(numbers, args, kwargs)
        try:
            return method(*args, **kwargs)
        except TypeError as error:
            return respelt(method, args, kwargs, error)

    return call  # type: ignore[return-value]


def leaving(operator: F) -> F:
    """Wrap the binary `operator` to return NotImplemented for operands of other classes."""
    if len(parameters_of(operator)) != 2 or getattr(operator, "leaves", False):
        return operator

    @functools.wraps(operator)
    def call(self: Tensor, other: Any) -> Any:
        if other.__class__ is not Tensor and foreign(other):
            return NotImplemented
        return operator(self, other)

    return call  # type: ignore[return-value]


def check_are_tensors(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], error: AttributeError) -> None:
    """If `error` was caused by an argument that is no tensor, raise an ArgumentTypeError that names it.

    The check runs only after an error, so that correct calls cost nothing.
    """
    wrong = error.obj
    if isinstance(wrong, Tensor):
        return
    given: list[tuple[Any, Any]] = [(place, each) for place, each in enumerate(args)] + list(kwargs.items())
    for where, each in given:
        inside = isinstance(each, (list, tuple)) and any(part is wrong for part in each)
        if each is wrong or inside:
            names = list(inspect.signature(function).parameters)
            name = where if isinstance(where, str) else names[min(where, len(names) - 1)]
            place = "" if isinstance(where, str) else f" (position {where + 1})"
            wanted, found = ("tuple of Tensors", "one with") if inside else ("Tensor", "")
            raise ArgumentTypeError(
                f"{function.__name__}(): argument '{name}'{place} must be {wanted}, not {found}"
                f"{type(wrong).__name__}: make it a tensor first, as in minigrad.tensor(...)"
            ) from None


def of_tensors(function: Any, second: str = "other") -> Any:
    """Wrap `function` of two tensors to reject numbers for either, as PyTorch does."""

    def call(input: Any, other: Any) -> Any:
        for place, name, each in ((1, "input", input), (2, second, other)):
            if isinstance(each, (bool, int, float, complex)):
                raise ArgumentTypeError(
                    f"{function.__name__}(): argument '{name}' (position {place}) must be Tensor, not "
                    f"{type(each).__name__}: write tensor({each})"
                )
        return function(input, other)

    functools.update_wrapper(call, function)
    return call


def tensor_first(function: Any) -> Any:
    """Wrap `function` (made by `accepts_out`) so that its second argument may be a number, but not its first."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if args and isinstance(args[0], (bool, int, float, complex)):
            raise ArgumentTypeError(
                f"{function.__name__}(): argument 'input' (position 1) must be Tensor, not {type(args[0]).__name__}"
            )
        return function(*args, **kwargs)

    short_road = function.__wrapped__
    functools.update_wrapper(call, function)
    call.__wrapped__ = short_road  # type: ignore[attr-defined]
    return call


def function(road: Any) -> Any:
    """Return the public function for an op: like the fast path `road`, but with the argument ``out``."""
    return accepts_out(road)


def _check_no_grad(name: str, given: tuple[Any, ...], targets: Any) -> None:
    for target in targets:
        if not isinstance(target, Tensor):
            raise ArgumentTypeError(f"{name}(): argument 'out' must be Tensor, not {type(target).__name__}")
    if not STATE.mode.grad:
        return
    for each in (*given, *targets):
        if isinstance(each, Tensor) and each.requires_grad:
            who = "one of the arguments requires grad"
            raise GradError(
                f"{name}(): functions with out=... arguments don't support automatic differentiation, but {who}. "
                "Leave out= away, or compute under no_grad()."
            )


def _check_no_tangent(name: str, tensors: tuple[Any, ...]) -> None:
    if STATE.mode.interpreters and any(isinstance(x, Tensor) and x._extra and x._extra.tangents for x in tensors):
        raise MissingRuleError(
            f"Trying to use forward AD with {name}_out that does not support it because it is an out= function: "
            "leave out= away."
        )


def _check_dtype(dtype: Any, targets: Any) -> None:
    """Raise if `out` and `dtype` contradict each other."""
    if dtype is None or not isinstance(targets[0], Tensor):
        return
    wanted = dtypes.as_dtype(dtype)
    if targets[0].dtype not in (wanted, dtypes.real_of(wanted)):  # norms of complex numbers are real
        raise DtypeError(f"Expected out tensor to have dtype {wanted}, but got {targets[0].dtype} instead")


_OUT_OF_ORDER = frozenset({"cross", "gather", "index_select", "kthvalue", "masked_select", "take", "take_along_dim"})
"""Functions that read elements in another order than they write: an output must not be an input."""


def _check_apart(name: str, inputs: Any, targets: Any) -> None:
    """Raise if an output partly overlaps an input in memory, or is one that the function may not write to."""
    for target in targets:
        for each in inputs:
            if isinstance(each, Tensor) and isinstance(target, Tensor) and each._storage is target._storage:
                check_apart(target, each)
                if name in _OUT_OF_ORDER:
                    check_not_read(name, target, each)


def _write(target: Tensor, made: Tensor, name: str = "") -> None:
    if type(made._array) is Batch or type(target._array) is Batch:
        raise GradError(
            "vmap: Batching rule not implemented for a function with out=; the fallback path doesn't work on out= or "
            "view ops. Return the result from the mapped function."
        )
    check_writable(target, needs_grad=False)
    check_out_type(name, made.dtype, target.dtype)
    if target._array.shape != made._array.shape:
        if target._array.size:
            warnings.warn(
                f"An output with one or more elements was resized since it had shape {list(target._array.shape)}, "
                f"which does not match the required output shape {list(made._array.shape)}. Pass an `out` of that "
                "shape, or an empty one.",
                UserWarning,
                stacklevel=4,
            )
        target._array = target._backend.empty(made._array.shape, target._array.dtype)
    for watcher in STATE.mode.before_write:
        watcher.before_write(target)
    target._array[...] = made._array
    target._storage.version += 1


def into(out: Tensor | None, made: Tensor) -> Tensor:
    """Write `made` to `out` if there is one, for factory functions. Return the result."""
    if out is None:
        return made
    _write(out, made)
    return out


def check_has_order(name: str, input: Tensor, bools: bool = True) -> None:
    """Raise `MissingRuleError` if `input` has no order: if it is complex or, unless `bools`, bool."""
    dtype = input.dtype
    if dtype.is_complex:
        raise MissingRuleError(
            f"{name}() does not support {dtype.name}: complex numbers have no order. Take .abs(), .real or .imag first."
        )
    if dtype.name == "bool" and not bools:
        raise MissingRuleError(f"{name}() does not support bool. Convert with .int() first.")


def axes_of(dim: Any, ndim: int) -> tuple[int, ...]:
    """Return `dim` as a tuple of non-negative dimensions; None and () mean all."""
    if dim is None or (isinstance(dim, (tuple, list)) and not len(dim)):
        return tuple(range(ndim))
    return wrap_dims(dim, ndim) if ndim else _of_scalar(dim)


def _of_scalar(dim: Any) -> tuple[int, ...]:
    wrap_dims(dim, 1)
    return ()


def floating(dtype: dtypes.dtype) -> dtypes.dtype:
    """Return the dtype in which a mean or an exponential is computed: the default float for integers."""
    return dtype if dtype.kind >= dtypes.FLOAT else dtypes.get_default_dtype()
