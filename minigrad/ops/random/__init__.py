"""Random tensors, and tensors filled with random numbers in place."""
