"""Shared parts of the op families: base classes, arguments, dimensions, samples, named results."""
