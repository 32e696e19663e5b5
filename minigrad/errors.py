"""Every exception that minigrad raises on purpose.

Each derives from `MinigradError`, so that ``except mg.MinigradError`` catches them all, and from the builtin that
PyTorch raises in the same place, so that code written for PyTorch goes on working.

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

A message says what was asked, what was found, and what to do next. Phrases people search for are kept word for word.
"""

from __future__ import annotations


class MinigradError(Exception):
    """The root of every deliberate error."""


class GradError(MinigradError, RuntimeError):
    """The rules of autograd were broken: no grad_fn, a non-scalar root, a leaf changed in place, ..."""


class FreedGraphError(GradError):
    """Backward went through a graph whose saved tensors had already been freed."""


class StaleTensorError(GradError):
    """A tensor that backward needs was changed in place after it had been saved."""


class ShapeError(MinigradError, RuntimeError):
    """Shapes do not fit together."""


class AssertedShapeError(ShapeError, AssertionError):
    """Shapes do not fit, where PyTorch says so by an assertion."""


class DtypeError(MinigradError, RuntimeError):
    """Element types do not fit together, or do not support what was asked."""


class DomainError(MinigradError, RuntimeError):
    """A value, or an option, that an op is not defined for: probabilities of 2, an integer divided by zero."""


class StateError(MinigradError, RuntimeError):
    """A state dict does not fit the module or the optimiser that it is loaded into."""


class UninitializedError(MinigradError, RuntimeError, ValueError):
    """A lazy module's parameter or buffer was used before it had a shape."""


class DeviceError(MinigradError, RuntimeError):
    """Tensors live on different devices, or the device cannot be used here."""


class NoElementsError(MinigradError, NotImplementedError):
    """The elements of a tensor on the device ``meta`` were asked for, which has a shape alone."""


class DistributedError(MinigradError, RuntimeError):
    """Ranks disagree about what they do together, one has left, or waiting for one took too long."""


class MissingPackageError(MinigradError, ImportError):
    """A package that is not installed, and that nothing but this feature needs; the message says how to get it."""


class ArgumentTypeError(MinigradError, TypeError):
    """An argument is of the wrong kind."""


class ArgumentError(MinigradError, ValueError):
    """An argument has a value that cannot be."""


class AssertedArgumentError(ArgumentError, AssertionError):
    """An argument has a value that cannot be, where PyTorch says so by an assertion."""


class DimensionError(MinigradError, IndexError):
    """A dimension or an index is out of range."""


class NameTakenError(MinigradError, KeyError):
    """A name for a parameter, buffer or module that is taken, or that may not be used."""

    __str__ = Exception.__str__  # a KeyError would show the repr of its message


class MissingRuleError(MinigradError, NotImplementedError):
    """An op, or a user's Function, lacks the rule that was asked of it."""


class UnknownNameError(MinigradError, AttributeError):
    """An attribute that does not exist; the message names the one that was probably meant."""
