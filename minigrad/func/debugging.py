"""The tensor inside a wrapped tensor, for a debugger."""

from __future__ import annotations

from ..core.batch import Batch
from ..core.tensor import Tensor


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """The tensor of all examples inside one that vmap wraps; any other is itself. Look at it, do not compute with it.

    With `recurse` what several vmaps wrap is opened down to the last.

    >>> import minigrad as mg
    >>> seen = []
    >>> _ = mg.vmap(lambda x: (seen.append(debug_unwrap(x).tolist()), x)[1])(mg.tensor([1.0, 2.0]))
    >>> seen
    [[1.0, 2.0]]
    """
    array = tensor._array
    if type(array) is not Batch:
        return tensor
    return debug_unwrap(array.value) if recurse else array.value
