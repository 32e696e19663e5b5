"""A simulated GPU: its arrays compute with NumPy, and refuse what a GPU's arrays refuse.

Errors that occur only on a GPU are nearly always one of these, so each is an error here:

- an array of the device where NumPy expects its own (`np.tanh(array)`, `np.asarray(array)`), or the other way round;
- arrays of two devices in one expression;
- a name or a method that NumPy has and CuPy lacks;
- a result that is a NumPy scalar where the device gives an array without dimensions.

Like any package with a backend, it is found by its entry point (``strict_backend-1.0.dist-info`` beside this file).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from minigrad.backend import CPU, Backend, device
from minigrad.backend.device_draws import DeviceDraws

LACKING = frozenset(
    """asmatrix block bmat busday_count busday_offset c_ character clongdouble core ctypeslib datetime64 dtypes
    einsum_path emath errstate f2py flexible float128 frompyfunc fromregex geomspace histogram_bin_edges insert
    longdouble ma matrix matvec memmap nanpercentile nanquantile ndenumerate nditer nested_iters object_ polyder
    polydiv polyint rec recarray record spacing strings unstack vecdot vecmat void matrix_norm multi_dot svdvals
    vector_norm""".split()
)
"""Names in NumPy's modules that CuPy 14 lacks."""

RANDOM = frozenset(
    """beta binomial chisquare dirichlet exponential f gamma geometric hypergeometric integers logseries poisson power
    random standard_exponential standard_gamma standard_normal uniform""".split()
)
"""The distributions of CuPy 14's ``random.Generator``."""


class Array:
    """An array on a strict device. `host` has its elements; only this module may use it."""

    __slots__ = ("host", "place", "__weakref__")  # allows weak references, as CuPy's arrays do
    __array_ufunc__ = None  # NumPy's operators call ours, and its functions raise an error

    def __init__(self, host: Any, place: int) -> None:
        self.host = host
        self.place = place

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Use the backend's to_host.")

    # Facts without a copy

    @property
    def shape(self) -> tuple[int, ...]:
        return self.host.shape

    @shape.setter
    def shape(self, shape: tuple[int, ...]) -> None:
        self.host.shape = shape

    strides = property(lambda self: self.host.strides)
    dtype = property(lambda self: self.host.dtype)
    ndim = property(lambda self: self.host.ndim)
    size = property(lambda self: self.host.size)
    itemsize = property(lambda self: self.host.itemsize)
    nbytes = property(lambda self: self.host.nbytes)
    flags = property(lambda self: self.host.flags)
    base = property(lambda self: None if self.host.base is None else Array(self.host.base, self.place))

    def __len__(self) -> int:
        return len(self.host)

    def __repr__(self) -> str:
        return f"strict:{self.place} {self.host!r}"

    # Explicit copies to the host

    def item(self, *at: int) -> Any:
        return self.host.item(*at)

    def tolist(self) -> Any:
        return self.host.tolist()

    def tobytes(self) -> bytes:
        data: bytes = self.host.tobytes()
        return data

    def __bool__(self) -> bool:
        return bool(self.host)

    def __int__(self) -> int:
        return int(self.host)

    def __float__(self) -> float:
        return float(self.host)

    def __complex__(self) -> complex:
        return complex(self.host)

    # Results on the device

    def __iter__(self) -> Iterator[Array]:
        return (Array(np.asarray(each), self.place) for each in self.host)

    def __getitem__(self, index: Any) -> Any:
        return _there(self.host[_here(index, self.place)], self.place)

    def __setitem__(self, index: Any, value: Any) -> None:
        self.host[_here(index, self.place)] = _here(value, self.place)

    def _in_place(self, name: str, other: Any) -> Array:
        with np.errstate(all="ignore"):  # a GPU gives no warnings
            getattr(self.host, name)(_here(other, self.place))
        return self


def _method(name: str) -> Callable[..., Any]:
    """A method that calls the NumPy array's, and takes and returns arrays of the device only."""

    def method(self: Array, *given: Any, **named: Any) -> Any:
        given, named = _here(given, self.place), _here(named, self.place)
        with np.errstate(all="ignore"):  # a GPU gives no warnings
            return _there(getattr(self.host, name)(*given, **named), self.place)

    method.__name__ = name
    return method


METHODS = """all any argmax argmin argsort astype clip conj copy cumprod cumsum diagonal dot fill flatten max mean min
    nonzero prod ravel repeat reshape round sort squeeze std sum swapaxes take trace transpose var view
    __neg__ __pos__ __abs__ __invert__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__""".split()
BOTH_WAYS = "add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift".split()

for _name in [*METHODS, *[f"__{side}{op}__" for op in BOTH_WAYS for side in ("", "r")]]:
    setattr(Array, _name, _method(_name))
for _op in BOTH_WAYS:
    if _op != "divmod":
        _name = f"__i{_op}__"
        setattr(Array, _name, lambda self, other, _name=_name: self._in_place(_name, other))
for _name in ("T", "mT", "real", "imag"):
    setattr(
        Array,
        _name,
        property(
            lambda self, _name=_name: _there(getattr(self.host, _name), self.place),
            lambda self, value, _name=_name: setattr(self.host, _name, _here(value, self.place)),
        ),
    )
Array.__hash__ = None  # type: ignore[assignment]


def _here(value: Any, place: int) -> Any:
    """`value` converted for NumPy. Raises TypeError if it contains a NumPy array, or an array of another device."""
    if isinstance(value, Array):
        if value.place != place:
            raise TypeError(f"an array of strict:{value.place} was mixed with one of strict:{place}")
        return value.host
    if isinstance(value, np.ndarray):
        raise TypeError("Unsupported type <class 'numpy.ndarray'>: move it to the device with from_host")
    if isinstance(value, (list, tuple)):
        return type(value)(_here(each, place) for each in value)
    if isinstance(value, dict):
        return {name: _here(each, place) for name, each in value.items()}
    return value


def _there(value: Any, place: int) -> Any:
    """A NumPy result converted for the device: every array and every NumPy scalar becomes an array of the device."""
    if isinstance(value, (np.ndarray, np.generic)):
        return Array(np.asarray(value), place)
    if isinstance(value, (list, tuple)):
        inner = [_there(each, place) for each in value]
        return type(value)(*inner) if hasattr(value, "_fields") else type(value)(inner)
    return value


class Function:
    """One of NumPy's functions, for arrays of one device. It has no `at`, `reduce` or `accumulate` as a ufunc has."""

    def __init__(self, function: Any, place: int) -> None:
        self.function = function
        self.place = place

    def __call__(self, *given: Any, **named: Any) -> Any:
        target = named.get("out")
        with np.errstate(all="ignore"):
            result = self.function(*_here(given, self.place), **_here(named, self.place))
        return target if target is not None else _there(result, self.place)


class Module:
    """One of NumPy's modules (numpy, numpy.linalg, numpy.fft), with the names that CuPy has."""

    def __init__(self, module: Any, place: int) -> None:
        self.module = module
        self.place = place

    def __getattr__(self, name: str) -> Any:
        if name in LACKING:
            raise AttributeError(f"the strict device has no {name!r}, because CuPy has none")
        found = getattr(self.module, name)
        if found is np.ndarray:
            return Array
        if isinstance(found, ModuleType):
            return Module(found, self.place)
        return Function(found, self.place) if callable(found) and not isinstance(found, type) else found


class Generator:
    """Random numbers of the device: as on a GPU, other numbers than NumPy's from the same seed."""

    def __init__(self, seed: int | None, place: int) -> None:
        self.source = np.random.Generator(np.random.Philox(seed))
        self.place = place

    def __getattr__(self, name: str) -> Any:
        if name not in RANDOM:
            raise AttributeError(f"the strict device draws no {name!r}, because CuPy does not")
        return Function(getattr(self.source, name), self.place)


class StrictBackend(Backend):
    """The backend of ``strict:0`` and ``strict:1``."""

    DEVICES: ClassVar = 2

    def __init__(self, index: int | None = None) -> None:
        self.index = index or 0
        if self.index >= self.DEVICES:
            raise ValueError(f"there are {self.DEVICES} strict devices, and strict:{index} is none of them")
        super().__init__(Module(np, self.index), device("strict", self.index), Array)

    def _on(self, host: Any) -> Array:
        return Array(np.asarray(host), self.index)

    def asarray(self, data: Any, dtype: Any = None) -> Any:
        return self._on(np.asarray(_here(data, self.index), dtype=dtype))

    def from_host(self, host: Any) -> Any:
        return self._on(np.array(host))

    def to_host(self, array: Any) -> Any:
        return _here(array, self.index).copy()

    def shares(self, view: Any, array: Any) -> bool:
        return view is array or CPU.shares(view.host, array.host)

    def address(self, array: Any) -> int:
        return CPU.address(array.host)

    def as_strided(self, array: Any, shape: Any, strides: Any, offset: int) -> Any:
        return self._on(CPU.as_strided(array.host, shape, strides, offset))

    def scatter_add(self, target: Any, index: Any, source: Any) -> None:
        np.add.at(target.host, _here(index, self.index), _here(source, self.index))

    def scatter(self, name: str, target: Any, index: Any, source: Any) -> None:
        CPU.scatter(name, target.host, _here(index, self.index), _here(source, self.index))

    # CuPy's views are writable, as minigrad's backend for NumPy makes NumPy's.

    def broadcast_to(self, array: Any, shape: Any) -> Any:
        return self._on(CPU.broadcast_to(array.host, shape))

    def diagonal(self, array: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
        return self._on(CPU.diagonal(array.host, offset, axis1, axis2))

    def accumulate(self, name: str, array: Any, axis: int) -> Any:
        return self._on(CPU.accumulate(name, array.host, axis))

    def special(self, name: str) -> Any:
        return Function(CPU.special(name), self.index)

    def new_generator(self, seed: int) -> Any:
        return DeviceDraws(Generator(seed, self.index), self)
