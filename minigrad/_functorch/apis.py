"""vmap and grad, and a vmap in chunks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import ArgumentError
from ..func import grad as grad
from ..func import grad_and_value as grad_and_value
from ..func import vmap as vmap


def chunk_vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", chunks: int = 2
) -> Callable[..., Any]:
    """`vmap` in at most `chunks` pieces, which saves memory. ValueError where there is not at least one."""
    if chunks < 1:
        raise ArgumentError(f"chunk_vmap: chunks must be at least 1, not {chunks}")

    def mapped(*args: Any, **kwargs: Any) -> Any:
        size = _size(args, in_dims)
        return vmap(func, in_dims, out_dims, randomness, chunk_size=max(1, -(-size // chunks)))(*args, **kwargs)

    return mapped if chunks > 1 else vmap(func, in_dims, out_dims, randomness)


def _size(args: tuple[Any, ...], in_dims: Any) -> int:
    """The number of examples in `args`; 1 where vmap will raise the error."""
    from ..core.tensor import Tensor
    from ..func import tree

    spread = tree.spread(in_dims, args) or []
    pairs = zip(tree.flatten(args)[0], spread, strict=False)
    sizes = [x.shape[dim] for x, dim in pairs if isinstance(x, Tensor) and type(dim) is int and x.dim()]
    return int(sizes[0]) if sizes else 1
