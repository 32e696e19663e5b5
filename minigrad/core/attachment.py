"""Attach methods to a class from files of their own.

A class of the heart is read without its rarer methods. These stand in another class, in a file that imports the heart
and attaches them when `minigrad.core` is imported. For a type checker the one class inherits from the other.
"""

from __future__ import annotations


def attach(target: type, rest: type) -> None:
    """Give `target` the methods of `rest`."""
    for name, value in vars(rest).items():
        if name in ("__dir__", "__repr__") or not name.startswith("__"):
            setattr(target, name, value)
