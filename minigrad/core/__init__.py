"""The autograd itself: ops, tensors, the graph, the engine. It knows no single op and no listener."""
