"""The user's own program: its lines, the variables that hold results, the names of tensors."""
