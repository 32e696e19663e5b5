"""Events become records: the recorder, and what it can say of ops, tensors, steps and memory."""
