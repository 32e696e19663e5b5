"""Random tensors. `manual_seed` seeds the default generators of all devices; ``generator=`` selects another generator.

On the CPU a seed gives the same numbers as in PyTorch, in the same order (see `backend.twister`); on other devices only
the distributions are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ... import dtypes
from ...backend import chosen
from ...core.interpreter import drawing
from ...core.state import STATE
from ...core.tensor import Tensor, wrap
from ...errors import DeviceError, DomainError, DtypeError, MissingRuleError
from ..common.arguments import into, laid_out, respelling
from ..common.dims import checked_sizes, one_int, sizes_of
from ..common.memory import order
from ..create.factories import finished
from ..shape.splitting import broadcast_shapes
from .generator import Generator, generator_for, keep_states, put_back, seed_all

__all__ = [
    "Generator", "bernoulli", "fork_rng", "get_rng_state", "initial_seed", "manual_seed",
    "multinomial", "normal",
    "poisson", "rand", "randint", "randn", "randperm", "seed",
    "set_rng_state",
]  # fmt: skip


def manual_seed(seed: int) -> Generator:
    """Seed the generators of all devices with `seed`.

    >>> import minigrad as mg
    >>> _ = mg.manual_seed(0)
    >>> a = mg.rand(3)
    >>> _ = mg.manual_seed(0)
    >>> mg.equal(a, mg.rand(3))
    True
    """
    return seed_all(seed)


def seed() -> int:
    """Seed the generators from the system's random source. Return the seed."""
    number = generator_for().seed()
    seed_all(number)
    return number


def initial_seed() -> int:
    """The seed of the CPU's generator."""
    return generator_for().initial_seed()


def get_rng_state() -> Tensor:
    """The state of the CPU's generator, as a tensor of bytes."""
    return generator_for().get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Restore the CPU's generator to a state from `get_rng_state`."""
    generator_for().set_state(new_state)


@contextmanager
def fork_rng(devices: Any = None, enabled: bool = True) -> Iterator[None]:
    """Restore the generators at the end: numbers drawn inside do not affect later ones."""
    states = keep_states()
    try:
        yield
    finally:
        if enabled:
            put_back(states)


# Drawing on arrays ----------------------------------------------------------------------------------------------------


def source(generator: Generator | None, backend: Any) -> Any:
    """Return the source of random numbers for this backend; DeviceError if `generator` is on another device."""
    if generator is None:
        generator = generator_for(backend.device)
    elif generator.backend is not backend:
        raise DeviceError(
            f"Expected a {str(backend.device)!r} device type for generator but found {str(generator.device)!r}. "
            f"Make one with Generator({str(backend.device)!r})."
        )
    return generator.source


def memory_order(array: Any) -> tuple[int, ...] | None:
    """Return the dimensions of `array` from the largest stride to the smallest, or None for row by row."""
    if array.ndim < 2 or array.flags.c_contiguous:
        return None
    axes = order(array)
    return None if axes is None else tuple(axes)


def in_memory_order(array: Any, draw: Any) -> Any:
    """Return ``draw(shape)`` for the elements of `array`, in the order of its memory."""
    axes = memory_order(array)
    if axes is None:
        return draw(array.shape)
    drawn = draw(tuple(array.shape[axis] for axis in axes))
    return drawn.transpose(sorted(range(array.ndim), key=axes.__getitem__))


def continuous(dtype: Any, name: str) -> dtypes.dtype:
    """Return `dtype` if it is floating point; else MissingRuleError with PyTorch's function name."""
    wanted = dtypes.as_dtype(dtype)
    if not wanted.is_differentiable:
        raise MissingRuleError(f'"{name}" not implemented for {wanted.type_name!r}: a floating-point type is needed')
    return wanted


def _make(
    kind: str, name: str, size: Any, generator: Any, out: Any, dtype: Any, device: Any, requires_grad: bool
) -> Tensor:
    if dtype is None:
        dtype = dtypes.get_default_dtype() if out is None else out.dtype
    wanted = continuous(dtype, name)
    backend = chosen(device if generator is None else device or generator.device)
    array = getattr(source(generator, backend), kind)(checked_sizes(sizes_of(size)), wanted)
    return into(out, finished(backend.asarray(array), backend, requires_grad))


# Functions ------------------------------------------------------------------------------------------------------------


@respelling
@drawing
def rand(
    *size: Any,
    generator: Any = None,
    out: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Uniform random numbers in [0, 1)."""
    return _make("uniform", "check_uniform_bounds", size, generator, out, dtype, device, requires_grad)


@respelling
@drawing
def randn(
    *size: Any,
    generator: Any = None,
    out: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Random numbers from the normal distribution with mean 0 and variance 1."""
    return _make("normal", "normal_kernel_cpu", size, generator, out, dtype, device, requires_grad)


@laid_out
@drawing
def randint(
    low: Any = None,
    high: Any = None,
    size: Any = None,
    *,
    generator: Any = None,
    out: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Uniform random integers in [`low`, `high`); `low` is 0 by default.

    Written ``randint(10, (3,))`` or ``randint(5, 10, (3,))``.
    """
    if size is None:
        low, high, size = 0, low, high
    elif low is None or high is None:
        low, high = 0, low if high is None else high
    backend = chosen(device if generator is None else device or generator.device)
    wanted = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    check_bounds(low, high, wanted)
    array = source(generator, backend).integers(low, high, checked_sizes(sizes_of((size,))), wanted)
    return into(out, finished(backend.asarray(array), backend, requires_grad))


@laid_out
@drawing
def randperm(
    n: int,
    *,
    generator: Any = None,
    out: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """The integers from 0 to n - 1 in random order."""
    backend = chosen(device if generator is None else device or generator.device)
    wanted = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    n = one_int("n", n)
    if n < 0:
        raise DomainError(f"n must be non-negative, got {n}")
    order = source(generator, backend).permutation(n)
    return into(out, finished(backend.asarray(order).astype(wanted.numpy), backend, requires_grad))


@laid_out
@drawing
def normal(
    mean: Any = 0.0,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: Any = None,
    out: Any = None,
    dtype: Any = None,
    device: Any = None,
) -> Tensor:
    """Normal random numbers with these means and deviations, which may be tensors; of `size` if neither is."""
    given = [each for each in (mean, std) if isinstance(each, Tensor)]
    if not isinstance(std, Tensor) and not std >= 0:
        raise DomainError(f"normal expects std >= 0.0, but found std {std}")
    if isinstance(std, Tensor) and bool((std._array < 0).any()):
        raise DomainError("normal expects all elements of std >= 0.0")
    if not given:
        backend = chosen(device if generator is None else device or generator.device)
        wanted = dtypes.get_default_dtype() if dtype is None else dtypes.as_dtype(dtype)
        array = source(generator, backend).normal(checked_sizes(sizes_of((size,))), wanted, mean, std)
        return into(out, finished(backend.asarray(array), backend, False))
    backend = given[0]._backend
    shape = broadcast_shapes(*(tuple(each.shape) for each in given))
    drawn = wrap(source(generator, backend).normal(shape, given[0].dtype), backend)
    made = into(out, _detached(drawn * std + mean))
    for each in given if out is None else ():
        made = _unmoved(made, each)
    return made


def _detached(made: Tensor) -> Tensor:
    return made.detach() if made.requires_grad else made


@drawing
def bernoulli(input: Tensor, p: Any = None, *, generator: Any = None, out: Any = None) -> Tensor:
    """1 with the probability in each element of `input` (or `p` for all), else 0."""
    array, backend = input._array, input._backend
    drawn = bernoulli_array(source(generator, backend), backend.row_major(array), input if p is None else p)
    kind = array.dtype if out is None else out.dtype.numpy
    return _unmoved(into(out, finished(backend.asarray(drawn).astype(kind), backend, False)), input)


def _unmoved(drawn: Tensor, input: Tensor) -> Tensor:
    """Return `drawn` with a gradient of zeros for `input`, its parameters, as in PyTorch."""
    return drawn + input * 0 if STATE.mode.grad and input.requires_grad else drawn


def bernoulli_array(draw: Any, array: Any, p: Any) -> Any:
    """Return an array that is True with probability `p`, a number or a tensor, for each element of `array`."""
    if not isinstance(p, Tensor):
        if not 0 <= p <= 1:
            raise DomainError(f"bernoulli_ expects p to be in [0, 1], but got p={p}")
        return in_memory_order(array, lambda shape: draw.bernoulli(shape, p))
    chances = p._array
    if chances.size and not bool(((chances >= 0) & (chances <= 1)).all()):
        raise DomainError("Expected p_in >= 0 && p_in <= 1 to be true, but got false: these are no probabilities.")
    axes = memory_order(array)
    chances = p._backend.broadcast_to(chances, array.shape)
    return in_memory_order(array, lambda _: draw.bernoulli_each(chances if axes is None else chances.transpose(axes)))


@drawing
def poisson(input: Tensor, generator: Any = None) -> Tensor:
    """Random counts from the Poisson distributions with these rates."""
    if not bool((input._array >= 0).all()):
        raise DomainError("invalid Poisson rate, expected rate to be non-negative")
    drawn = source(generator, input._backend).poisson(input._array.astype("float64"))
    counts = finished(input._backend.asarray(drawn).astype(input._array.dtype), input._backend, False)
    return _unmoved(counts, input)


@drawing
def multinomial(
    input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None, out: Any = None
) -> Tensor:
    """Draw `num_samples` indices from each row, with probabilities proportional to its elements.

    (rows, n) -> (rows, num_samples), or (n) -> (num_samples).
    """
    if not input.dtype.is_floating_point:
        raise DtypeError(f"multinomial only supports floating-point dtypes for input, got: {input.dtype.name}")
    backend, weights, num_samples = input._backend, input._array, one_int("num_samples", num_samples)
    _check_weights(weights, num_samples, replacement)
    shape = (*weights.shape[:-1], num_samples)
    if not weights.size:
        return into(out, finished(backend.zeros(shape, "int64"), backend, False))
    draw, rows = source(generator, backend), weights.reshape(-1, weights.shape[-1])
    if replacement and num_samples > 1:
        edges = rows.cumsum(axis=1)
        edges /= edges[:, -1:]
        points = draw.uniform((len(rows), num_samples), dtypes.float64)
        found = backend.stack([backend.searchsorted(row, each) for row, each in zip(edges, points, strict=True)])
    else:  # exponential races: each index arrives at its own rate, and the first arrivals win
        times = in_memory_order(weights, lambda shape: draw.exponential(shape, input.dtype)).reshape(rows.shape)
        with backend.errstate(divide="ignore", invalid="ignore"):
            found = backend.argsort(-(rows / times), axis=1)[:, :num_samples]
    return into(out, finished(backend.asarray(found).astype("int64").reshape(shape), backend, False))


def _check_weights(weights: Any, count: int, replacement: bool) -> None:
    if weights.ndim not in (1, 2):
        raise DomainError(f"prob_dist must be 1 or 2 dim, got {weights.ndim}")
    if count <= 0:
        raise DomainError(f"cannot sample n_sample <= 0 samples, got {count}")
    if not bool((weights >= 0).all()) or not bool((weights < float("inf")).all()):
        raise DomainError("probability tensor contains either `inf`, `nan` or element < 0")
    if not bool((weights.sum(axis=-1) > 0).all()):
        raise DomainError("invalid multinomial distribution (sum of probabilities <= 0)")
    if not replacement and count > weights.shape[-1]:
        raise DomainError(
            f"cannot sample n_sample > prob_dist.size(-1) samples without replacement: {count} of {weights.shape[-1]}"
        )


def check_bounds(low: int, high: int, dtype: dtypes.dtype) -> None:
    """Raise DomainError unless [low, high) contains integers and `dtype` can hold them."""
    if low >= high:
        raise DomainError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if dtype.is_complex:
        raise MissingRuleError(f'"random_kernel_cpu" not implemented for {dtype.type_name!r}')
    if dtype.is_floating_point:
        return
    largest = dtypes.largest_integer(dtype)
    least = -largest - 1 if dtype.is_signed else 0
    for name, bound in (("from", low), ("to - 1", high - 1)):
        if not least <= bound <= largest:
            raise DomainError(f"{name} is out of bounds for {dtype.name}: {bound} is not between {least} and {largest}")


METHODS = {"bernoulli": bernoulli, "multinomial": multinomial}
