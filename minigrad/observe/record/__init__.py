"""Turn events into records: the recorder, and what it records of ops, tensors, steps and memory."""
