"""The common parts of the rooms of ops: base classes, arguments, dimensions, samples, named results."""
