"""Attach methods to a class from separate files.

The main classes of the core are read without their rarer methods. Those stand in a second class, in a file that imports
the main class and attaches them when `minigrad.core` is imported. For a type checker, the main class inherits from the
second.
"""

from __future__ import annotations


def attach(target: type, rest: type) -> None:
    """Copy the methods of the class `rest` to the class `target`."""
    for name, value in vars(rest).items():
        if name in ("__dir__", "__repr__") or not name.startswith("__"):
            setattr(target, name, value)
