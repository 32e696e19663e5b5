"""Names of memory layouts. Every tensor in minigrad is strided; names of other layouts exist for comparisons."""

from __future__ import annotations

from .errors import ShapeError


class layout:
    """A tensor's layout in memory."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"minigrad.{self.name}"

    def __reduce__(self) -> str:
        return self.name  # pickle and copy find the same object under this name


class memory_format(layout):
    """The memory order that a copy should have.

    `order` lists the dimensions from the outermost in memory to the innermost; None for the order they have anyway.
    """

    def __init__(self, name: str, order: tuple[int, ...] | None = None) -> None:
        super().__init__(name)
        self.order = order

    def order_for(self, ndim: int) -> tuple[int, ...] | None:
        """Return `order`. ShapeError if a tensor of `ndim` dimensions cannot have this format."""
        if self.order is not None and len(self.order) != ndim:
            raise ShapeError(f"required rank {len(self.order)} tensor to use {self.name} format: this one has {ndim}")
        return self.order


strided = layout("strided")
sparse_coo, sparse_csr, sparse_csc = layout("sparse_coo"), layout("sparse_csr"), layout("sparse_csc")
sparse_bsr, sparse_bsc, jagged = layout("sparse_bsr"), layout("sparse_bsc"), layout("jagged")
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last", (0, 2, 3, 1))
channels_last_3d = memory_format("channels_last_3d", (0, 2, 3, 4, 1))
