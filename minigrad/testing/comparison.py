"""`assert_close`: whether two things are alike, element by element, and where they are not."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import dtypes
from ..core.tensor import Tensor
from ..errors import ArgumentError, ArgumentTypeError
from ..ops.create.factories import from_numpy

Message = str | Callable[[str], str] | None

TOLERANCES = {
    dtypes.float16: (1e-3, 1e-5),
    dtypes.bfloat16: (1.6e-2, 1e-5),
    dtypes.float32: (1.3e-6, 1e-5),
    dtypes.float64: (1e-7, 1e-7),
    dtypes.complex64: (1.3e-6, 1e-5),
    dtypes.complex128: (1e-7, 1e-7),
}
"""(rtol, atol) by element type; exact for those that are not here."""


class NotClose(AssertionError):
    """Two things are not alike. `place` is where in nested containers they stand."""

    def __init__(self, message: str, place: tuple[Any, ...], kind: type[Exception] = AssertionError) -> None:
        super().__init__(message)
        self.place = place
        self.kind = kind


def default_tolerances(*inputs: Any) -> tuple[float, float]:
    """(rtol, atol) for these tensors, numbers' types or dtypes: the widest of theirs."""
    kinds = [each.dtype if isinstance(each, Tensor) else each for each in inputs]
    pairs = [TOLERANCES.get(kind, (0.0, 0.0)) for kind in kinds]
    return max(rtol for rtol, _ in pairs), max(atol for _, atol in pairs)


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: Message = None,
) -> None:
    """Raise an AssertionError unless ``|actual - expected| <= atol + rtol * |expected|`` for every element.

    Tensors, arrays and numbers are compared, and sequences and mappings of them. Shapes must be the same, and so must
    devices, dtypes and (if asked for) strides. `rtol` and `atol` come together or not at all: by default they follow
    from the dtypes (for float32 1.3e-6 and 1e-5). `msg` replaces the message, or is a function of it.

    >>> import minigrad as mg
    >>> mg.testing.assert_close([mg.ones(2), 3.0], [mg.ones(2), 3.0])
    """
    if (rtol is None) != (atol is None):
        raise ArgumentError(
            "Both 'rtol' and 'atol' must be either specified or omitted, but got "
            f"no {'rtol' if rtol is None else 'atol'}."
        )
    checks = (("device", check_device), ("dtype", check_dtype), ("stride", check_stride))
    pair = _Comparison((rtol, atol), equal_nan, [name for name, on in checks if on], allow_subclasses)
    try:
        pair.compare(actual, expected, ())
    except NotClose as error:
        said = str(error) + ("" if not error.place else "\n\nThe failure occurred for item " + _place(error.place))
        raise error.kind(msg(said) if callable(msg) else said if msg is None else msg) from None


def assert_allclose(
    actual: Any, expected: Any, rtol: float | None = None, atol: float | None = None, **settings: Any
) -> None:
    """The old name of `assert_close`, which did not look at dtypes."""
    warnings.warn("assert_allclose() is deprecated, use assert_close() instead", FutureWarning, stacklevel=2)
    assert_close(actual, expected, rtol=rtol, atol=atol, check_dtype=False, check_device=False, **settings)


def _place(place: tuple[Any, ...]) -> str:
    return "".join(f"[{each!r}]" for each in place)


class _Comparison:
    """The settings of one `assert_close`, and its walk through both sides."""

    def __init__(
        self, tolerances: tuple[float | None, float | None], equal_nan: bool, checks: Sequence[str], subclasses: bool
    ) -> None:
        self.tolerances = tolerances
        self.equal_nan = equal_nan
        self.checks = checks
        self.subclasses = subclasses

    def compare(self, actual: Any, expected: Any, place: tuple[Any, ...]) -> None:
        """Compare two things of any kind."""
        if isinstance(actual, Mapping) and isinstance(expected, Mapping):
            self.mappings(actual, expected, place)
        elif _is_sequence(actual) and _is_sequence(expected):
            self.sequences(actual, expected, place)
        elif actual is None and expected is None:
            return
        else:
            self.values(actual, expected, place)

    def mappings(self, actual: Mapping[Any, Any], expected: Mapping[Any, Any], place: tuple[Any, ...]) -> None:
        if set(actual) != set(expected):
            missing = sorted(set(expected) - set(actual), key=repr)
            more = sorted(set(actual) - set(expected), key=repr)
            raise NotClose(
                "The keys of the mappings do not match:\n"
                f"Missing keys in the actual mapping: {missing}\nAdditional keys in the actual mapping: {more}",
                place,
            )
        for key in expected:
            self.compare(actual[key], expected[key], (*place, key))

    def sequences(self, actual: Sequence[Any], expected: Sequence[Any], place: tuple[Any, ...]) -> None:
        if len(actual) != len(expected):
            raise NotClose(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", place)
        for index, (left, right) in enumerate(zip(actual, expected, strict=True)):
            self.compare(left, right, (*place, index))

    def values(self, actual: Any, expected: Any, place: tuple[Any, ...]) -> None:
        """Compare two tensors, arrays or numbers."""
        both = (actual, expected)
        if all(isinstance(each, Tensor) for each in both):
            if not self.subclasses and type(actual) is not type(expected):
                raise NotClose(f"Expected the same type, got {type(actual)} and {type(expected)}", place, TypeError)
            self.attributes(actual, expected, place)
            self.elements(_host(actual), _host(expected), self.tolerances_for(actual.dtype, expected.dtype), place)
        elif all(_is_number(each) for each in both):
            if "dtype" in self.checks and type(actual) is not type(expected):
                raise NotClose(f"The (d)types do not match: {type(actual)} != {type(expected)}.", place)
            self.scalars(actual, expected, place)
        elif all(isinstance(each, np.ndarray) for each in both):
            self.values(from_numpy(actual), from_numpy(expected), place)
        elif type(actual) is type(expected) and not isinstance(actual, Tensor) and isinstance(actual, (str, bytes)):
            if actual != expected:
                raise NotClose(f"Object comparison failed: {actual!r} != {expected!r}", place)
        else:
            raise NotClose(
                f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}: compare "
                "tensors with tensors and numbers with numbers.",
                place,
                ArgumentTypeError,
            )

    def tolerances_for(self, *kinds: Any) -> tuple[float, float]:
        rtol, atol = self.tolerances
        return default_tolerances(*kinds) if rtol is None or atol is None else (rtol, atol)

    def attributes(self, actual: Tensor, expected: Tensor, place: tuple[Any, ...]) -> None:
        if actual.shape != expected.shape:
            raise NotClose(f"The values for attribute 'shape' do not match: {actual.shape} != {expected.shape}.", place)
        for name in self.checks:
            left, right = (getattr(each, name) for each in (actual, expected))
            left, right = (left(), right()) if name == "stride" else (left, right)
            if left != right:
                raise NotClose(f"The values for attribute '{name}' do not match: {left} != {right}.", place)

    def scalars(self, actual: Any, expected: Any, place: tuple[Any, ...]) -> None:
        kinds = {float: dtypes.float64, complex: dtypes.complex128}
        rtol, atol = self.tolerances_for(kinds.get(type(actual)), kinds.get(type(expected)))
        if not _close(np.asarray(actual), np.asarray(expected), rtol, atol, self.equal_nan).all():
            absolute = abs(actual - expected)
            relative = absolute / abs(expected) if expected else np.inf
            raise NotClose(
                f"Scalars are not {_how(rtol, atol)}!\n\nExpected {expected} but got {actual}.\n"
                + _differences(absolute, relative, rtol, atol),
                place,
            )

    def elements(self, actual: Any, expected: Any, tolerances: tuple[float, float], place: tuple[Any, ...]) -> None:
        rtol, atol = tolerances
        wrong = ~_close(actual, expected, rtol, atol, self.equal_nan)
        if not wrong.any():
            return
        with np.errstate(all="ignore"):
            absolute = np.where(wrong, np.abs(_wide(actual) - _wide(expected)), 0)
            relative = np.where(wrong, absolute / np.abs(_wide(expected)), 0)
        if not actual.ndim:
            raise NotClose(
                f"Scalars are not {_how(rtol, atol)}!\n\nExpected {expected.item()} but got {actual.item()}.\n"
                + _differences(absolute.item(), relative.item(), rtol, atol),
                place,
            )
        count, size = int(wrong.sum()), wrong.size
        raise NotClose(
            f"Tensor-likes are not {_how(rtol, atol)}!\n\n"
            f"Mismatched elements: {count} / {size} ({count / size:.1%})\n"
            + f"Greatest absolute difference: {_greatest(absolute)}{_allowed(atol)}\n"
            + f"Greatest relative difference: {_greatest(relative)}{_allowed(rtol)}",
            place,
        )


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float, complex, np.number, np.bool_))


def _host(tensor: Tensor) -> Any:
    return tensor._backend.to_host(tensor.detach()._array)


def _wide(array: Any) -> Any:
    """The numbers in a type that can hold their differences."""
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _close(actual: Any, expected: Any, rtol: float, atol: float, equal_nan: bool) -> Any:
    if not rtol and not atol:
        same = actual == expected
        return same | ((actual != actual) & (expected != expected)) if equal_nan else same
    return np.isclose(_wide(actual), _wide(expected), rtol=rtol, atol=atol, equal_nan=equal_nan)


def _greatest(differences: Any) -> str:
    place = np.unravel_index(np.argmax(np.nan_to_num(differences, nan=np.inf)), differences.shape)
    return f"{differences[place]} at index {tuple(int(i) for i in place)}"


def _how(rtol: float, atol: float) -> str:
    return "close" if rtol or atol else "equal"


def _allowed(tolerance: float) -> str:
    return f" (up to {tolerance} allowed)" if tolerance else ""


def _differences(absolute: float, relative: float, rtol: float, atol: float) -> str:
    return f"Absolute difference: {absolute}{_allowed(atol)}\nRelative difference: {relative}{_allowed(rtol)}"
