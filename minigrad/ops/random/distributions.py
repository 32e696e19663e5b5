"""Random tensors. Every device has a generator of its own; `manual_seed` starts them all, ``generator=`` names another.

The streams are NumPy's, so the numbers for a seed are not PyTorch's; their distributions are.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ... import dtypes
from ...backend import chosen
from ...backend.generator import Generator, default_generator, keep_states, put_back, seed_all
from ...core.interpreter import drawing
from ...core.tensor import Tensor, wrap
from ...errors import DeviceError, DomainError, DtypeError
from ..common.arguments import into
from ..common.dims import sizes_of
from ..create.factories import checked_sizes, finished

__all__ = [
    "Generator", "bernoulli", "default_generator", "fork_rng", "get_rng_state", "initial_seed", "manual_seed",
    "multinomial", "normal",
    "poisson", "rand", "randint", "randn", "randperm", "seed",
    "set_rng_state",
]  # fmt: skip

BITS = {"float16": 11, "bfloat16": 8}


def manual_seed(seed: int) -> Generator:
    """Start the generators of all devices from `seed`.

    >>> import minigrad as mg
    >>> _ = mg.manual_seed(0)
    >>> a = mg.rand(3)
    >>> _ = mg.manual_seed(0)
    >>> mg.equal(a, mg.rand(3))
    True
    """
    return seed_all(seed)


def seed() -> int:
    """Start the generators from a number that nobody chose; returns it."""
    number = default_generator().seed()
    seed_all(number)
    return number


def initial_seed() -> int:
    """The seed that the CPU's generator was started from."""
    return default_generator().initial_seed()


def get_rng_state() -> Tensor:
    """Where the CPU's generator is in its stream, as a tensor of bytes."""
    return default_generator().get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Put the CPU's generator back to where `get_rng_state` was called."""
    default_generator().set_state(new_state)


@contextmanager
def fork_rng(devices: Any = None, enabled: bool = True) -> Iterator[None]:
    """Whatever is drawn inside leaves the generators as they were before."""
    states = keep_states()
    try:
        yield
    finally:
        if enabled:
            put_back(states)


# Drawing on arrays ----------------------------------------------------------------------------------------------------


def source(generator: Generator | None, backend: Any) -> Any:
    """What draws the numbers on this backend; DeviceError where `generator` draws on another device."""
    if generator is None:
        generator = default_generator(backend.device)
    elif generator.backend is not backend:
        raise DeviceError(
            f"Expected a {str(backend.device)!r} device type for generator but found {str(generator.device)!r}. "
            f"Make one with Generator({str(backend.device)!r})."
        )
    return generator.source


def uniform(draw: Any, shape: tuple[int, ...], dtype: dtypes.dtype) -> Any:
    """Numbers in [0, 1). Of half precision, multiples of the smallest step that never rounds up to 1."""
    if dtype.is_complex:
        part = dtypes.real_of(dtype)
        return (uniform(draw, shape, part) + 1j * uniform(draw, shape, part)).astype(dtype.numpy)
    if dtype.name in BITS:
        steps = 1 << BITS[dtype.name]
        return (draw.integers(0, steps, shape) / steps).astype(dtype.numpy)
    return draw.random(shape, dtype=dtype.numpy)


def gaussian(draw: Any, shape: tuple[int, ...], dtype: dtypes.dtype) -> Any:
    """Numbers of mean 0 and variance 1."""
    if dtype.is_complex:
        part = dtypes.real_of(dtype)
        both = gaussian(draw, shape, part) + 1j * gaussian(draw, shape, part)
        return (both * 0.5**0.5).astype(dtype.numpy)
    if dtype.itemsize < 4:
        return draw.standard_normal(shape, dtype="float32").astype(dtype.numpy)
    return draw.standard_normal(shape, dtype=dtype.numpy)


def _make(
    kind: Any, name: str, size: Any, generator: Any, out: Any, dtype: Any, device: Any, requires_grad: bool
) -> Tensor:
    wanted = dtypes.get_default_dtype() if dtype is None else dtypes.as_dtype(dtype)
    if not wanted.is_differentiable:
        raise DtypeError(f'"{name}" not implemented for {wanted.name!r}: a floating-point type is needed')
    backend = chosen(device if generator is None else device or generator.device)
    array = kind(source(generator, backend), checked_sizes(sizes_of(size)), wanted)
    return into(out, finished(backend.asarray(array), backend, requires_grad))


# Functions ------------------------------------------------------------------------------------------------------------


@drawing
def rand(
    *size: Any,
    generator: Any = None,
    out: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers drawn evenly from [0, 1)."""
    return _make(uniform, "rand", size, generator, out, dtype, device, requires_grad)


@drawing
def randn(
    *size: Any,
    generator: Any = None,
    out: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers drawn from the normal distribution of mean 0 and variance 1."""
    return _make(gaussian, "normal", size, generator, out, dtype, device, requires_grad)


@drawing
def randint(
    low: int,
    high: Any = None,
    size: Any = None,
    *,
    generator: Any = None,
    out: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Integers drawn evenly from `low` (0) up to, not including, `high`.

    Written ``randint(10, (3,))`` or ``randint(5, 10, (3,))``.
    """
    if size is None:
        low, high, size = 0, low, high
    if low >= high:
        raise DomainError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    backend = chosen(device if generator is None else device or generator.device)
    wanted = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    array = source(generator, backend).integers(low, high, checked_sizes(sizes_of((size,))))
    return into(out, finished(backend.asarray(array).astype(wanted.numpy), backend, requires_grad))


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
    """The numbers from 0 to n - 1 in random order."""
    backend = chosen(device if generator is None else device or generator.device)
    wanted = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    order = backend.argsort(source(generator, backend).random(n))
    return into(out, finished(backend.asarray(order).astype(wanted.numpy), backend, requires_grad))


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
    """Normal numbers with these means and deviations, either of which may be a tensor; of `size` where neither is."""
    given = [each for each in (mean, std) if isinstance(each, Tensor)]
    if not given:
        return into(
            out,
            _detached(randn(*sizes_of((size,)) or ((),), generator=generator, dtype=dtype, device=device) * std + mean),
        )
    backend = given[0]._backend
    shape = backend.broadcast_shapes(*(each._array.shape for each in given))
    drawn = wrap(gaussian(source(generator, backend), shape, given[0].dtype), backend)
    return into(out, _detached(drawn * std + mean))


def _detached(made: Tensor) -> Tensor:
    return made.detach() if made.requires_grad else made


@drawing
def bernoulli(input: Tensor, p: Any = None, *, generator: Any = None, out: Any = None) -> Tensor:
    """1 with the probability that each element says (or `p` says for all), 0 otherwise."""
    chance = input._array if p is None else p._array if isinstance(p, Tensor) else p
    array, backend = input._array, input._backend
    if p is None and array.size and not bool(((array >= 0) & (array <= 1)).all()):
        raise DomainError("Expected p_in >= 0 && p_in <= 1 to be true, but got false: these are no probabilities.")
    drawn = source(generator, backend).random(array.shape) < chance
    return into(out, finished(backend.asarray(drawn).astype(array.dtype), backend, False))


@drawing
def poisson(input: Tensor, generator: Any = None) -> Tensor:
    """Counts from the Poisson distributions with these rates."""
    drawn = source(generator, input._backend).poisson(input._array.astype("float64"))
    return finished(input._backend.asarray(drawn).astype(input._array.dtype), input._backend, False)


@drawing
def multinomial(
    input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None, out: Any = None
) -> Tensor:
    """`num_samples` places drawn from each row, with chances in proportion to its elements.

    (rows, n) -> (rows, num_samples), or (n) -> (num_samples).
    """
    if not input.dtype.is_floating_point:
        raise DtypeError(f"multinomial only supports floating-point dtypes for input, got: {input.dtype.name}")
    backend, weights = input._backend, input._array.astype("float64")
    _check_weights(weights, num_samples, replacement)
    draw, rows = source(generator, backend), weights.reshape(-1, weights.shape[-1])
    if replacement:
        edges = rows.cumsum(axis=1)
        points = draw.random((len(rows), num_samples)) * edges[:, -1:]
        found = (points[:, :, None] >= edges[:, None, :]).sum(axis=2)
    else:  # the first arrivals of a race in which each place runs at its own rate
        times = backend.where(
            rows > 0, draw.standard_exponential(rows.shape) / backend.where(rows > 0, rows, 1), backend.inf
        )
        found = backend.argsort(times, axis=1)[:, :num_samples]
    shape = (*weights.shape[:-1], num_samples)
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


METHODS = {"bernoulli": bernoulli, "multinomial": multinomial}
