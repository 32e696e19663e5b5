"""The user's own program: its lines, the variables that results are stored in, the names of tensors."""
