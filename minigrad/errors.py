"""The exceptions of minigrad.

Each derives from `MinigradError`, so that ``except mg.MinigradError`` catches them all, and from the builtin exception
that PyTorch raises in the same case, so that code written for PyTorch works.

    MinigradError
    ├── GradError            RuntimeError          the rules of autograd were broken
    │   ├── FreedGraphError                        a second backward through a graph that was freed
    │   └── StaleTensorError                       a saved tensor was changed in place
    ├── ShapeError           RuntimeError          shapes do not fit
    │   └── AssertedShapeError   AssertionError    the same, where PyTorch asserts that they do
    ├── DtypeError           RuntimeError          element types do not fit
    ├── DomainError          RuntimeError          a value or an option that an op is not defined for
    ├── StateError           RuntimeError          a state dict does not fit its module or optimiser
    ├── UninitializedError   RuntimeError, ValueError  a lazy module's parameter has no shape yet
    ├── DeviceError          RuntimeError          tensors live on different devices, or the device is not there
    ├── DistributedError     RuntimeError          ranks disagree, one has left, or waiting for one took too long
    ├── MissingPackageError  ImportError           a package that only this feature needs is not installed
    ├── ArgumentTypeError    TypeError             an argument is of the wrong kind
    ├── ArgumentError        ValueError            an argument has a value that cannot be
    │   └── AssertedArgumentError AssertionError   the same, where PyTorch asserts that it has not
    ├── DimensionError       IndexError            a dimension or an index is out of range
    ├── NameTakenError       KeyError              a name that is taken, or that may not be used
    ├── MissingRuleError     NotImplementedError   an op lacks what was asked of it
    └── UnknownNameError     AttributeError        a name that does not exist; the one meant is in the message

A message says what was requested, what was found, and what to do next. Phrases that users search for are those of
PyTorch.
"""

from __future__ import annotations


class MinigradError(Exception):
    """The base class of all exceptions of minigrad."""


class GradError(MinigradError, RuntimeError):
    """The rules of autograd were broken: no grad_fn, a non-scalar root, a leaf changed in place, ..."""


class FreedGraphError(GradError):
    """Backward went through a graph whose saved tensors had already been freed."""


class StaleTensorError(GradError):
    """A tensor that backward needs was changed in place after it had been saved."""


class ShapeError(MinigradError, RuntimeError):
    """Shapes do not fit together."""


class AssertedShapeError(ShapeError, AssertionError):
    """Shapes do not fit, in a case for which PyTorch raises an AssertionError."""


class DtypeError(MinigradError, RuntimeError):
    """Dtypes do not fit together, or do not support the operation."""


class DomainError(MinigradError, RuntimeError):
    """A value or an option for which an op is not defined, such as a probability of 2, or integer division by zero."""


class StateError(MinigradError, RuntimeError):
    """A state dict does not fit the module or the optimiser that it is loaded into."""


class UninitializedError(MinigradError, RuntimeError, ValueError):
    """A lazy module's parameter or buffer was used before it had a shape."""


class DeviceError(MinigradError, RuntimeError):
    """Tensors are on different devices, or a device cannot be used."""


class NoElementsError(MinigradError, NotImplementedError):
    """A program read the elements of a tensor on the device ``meta``, which has only a shape."""


class DistributedError(MinigradError, RuntimeError):
    """Ranks disagree about a collective operation, one has left, or waiting for one took too long."""


class MissingPackageError(MinigradError, ImportError):
    """An optional package for this feature is not installed; the message says how to install it."""


class ArgumentTypeError(MinigradError, TypeError):
    """An argument has the wrong type."""


class ArgumentError(MinigradError, ValueError):
    """An argument has an invalid value."""


class AssertedArgumentError(ArgumentError, AssertionError):
    """An argument has an invalid value, in a case for which PyTorch raises an AssertionError."""


class DimensionError(MinigradError, IndexError):
    """A dimension or an index is out of range."""


class NameTakenError(MinigradError, KeyError):
    """A name for a parameter, buffer or module that is in use or not allowed."""

    __str__ = Exception.__str__  # a KeyError would show the repr of its message


class MissingRuleError(MinigradError, NotImplementedError):
    """An op, or a user's Function, lacks the requested rule."""


class UnknownNameError(MinigradError, AttributeError):
    """An attribute does not exist; the message suggests a similar name."""
