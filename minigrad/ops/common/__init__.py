"""What several rooms of ops share: base classes, arguments, dimensions, samples, named results."""
