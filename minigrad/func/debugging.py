"""Access for debuggers to the tensor inside a tensor that vmap wraps."""

from __future__ import annotations

from ..core.batch import Batch
from ..core.tensor import Tensor


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """Return the tensor of all examples inside one that vmap wraps, for debugging. Return any other tensor as it is.

    With `recurse`, a tensor that several vmaps wrap is unwrapped completely.

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
