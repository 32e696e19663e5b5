"""The core: ops, tensors, graph, engine. It imports the backends and nothing above itself.

`TENSOR_INTERFACE` lists the attributes of `Tensor` that begin with an underscore and that packages above the core may
still use: ops and optimisers compute on arrays, and views, transforms and observers need a tensor's place in the graph.
Every other underscore attribute is private to the core; `tests/test_architecture.py` checks both.
"""

from __future__ import annotations

from . import attended as attended  # these attach the rest of the heart's classes
from . import further as further
from . import slices as slices

TENSOR_INTERFACE: dict[str, str] = {
    "_array": "its elements, in the backend's array type; change it only through in-place ops",
    "_backend": "the array library and device that `_array` belongs to, called `xp` in forwards",
    "_storage": "the memory shared with its views; ``_storage.version`` counts in-place changes",
    "_edge": "(node, output number) of the recorded op that made it, or None",
    "_requires_grad": "for a leaf: whether a gradient is wanted (`requires_grad` answers for views too)",
    "_grad": "what `.grad` returns, without its checks",
    "_view": "for a view: its base and the ops that lead from there, or None",
    "_extra": "what few tensors have (hooks, a name, tangents), or None",
    "_is_view": "PyTorch's method of this name",
}
"""Maps each attribute to what it holds."""
