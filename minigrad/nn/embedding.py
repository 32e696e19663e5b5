"""Tables of vectors, looked up by index."""

from __future__ import annotations

from typing import Any

from ..core.grad_mode import no_grad
from ..core.tensor import Tensor
from ..errors import ArgumentError, AssertedArgumentError
from ..ops.create.factories import empty
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter


class Embedding(Module):
    """Maps indices of any shape to learnt vectors. The vector at `padding_idx` is not trained.

    `max_norm`, `scale_grad_by_freq` and `sparse` are those of `functional.embedding`.

    >>> import minigrad as mg
    >>> mg.nn.Embedding(10, 3)(mg.tensor([[1, 2, 4, 5]])).shape
    minigrad.Size([1, 4, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        _check_padding("Padding_idx", padding_idx, num_embeddings)
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        _give_weight(self, _weight, not _freeze, device, dtype)

    def reset_parameters(self) -> None:
        """Reinitialise the table: normal, and zeros at `padding_idx`."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx] = 0.0

    def forward(self, input: Tensor) -> Tensor:
        """Return the vectors at the indices `input`."""
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        )

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None, *args: Any, **kwargs: Any
    ) -> Embedding:
        """Create a layer with a given table, not trained if `freeze`. Other arguments are those of the class."""
        rows, columns = _sizes_of_table(embeddings)
        return cls(rows, columns, padding_idx, *args, **{**kwargs, "_weight": embeddings, "_freeze": freeze})

    def extra_repr(self) -> str:
        said = f"{self.num_embeddings}, {self.embedding_dim}"
        said += "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return said + _settings(self) + (", sparse=True" if self.sparse else "")


class EmbeddingBag(Module):
    """Maps bags of indices to the sum, mean or maximum of each bag's vectors."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        _check_padding("padding_idx", padding_idx, num_embeddings)
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.max_norm, self.norm_type, self.mode = max_norm, norm_type, mode
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        self.include_last_offset = include_last_offset
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        _give_weight(self, _weight, True, device, dtype)

    def reset_parameters(self) -> None:
        """Reinitialise the table: normal, and zeros at `padding_idx`."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx] = 0.0

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        """Return a vector for each bag: a row of `input` (B, N), or the part of `input` (N) between two `offsets`."""
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights=per_sample_weights,
            include_last_offset=self.include_last_offset,
            padding_idx=self.padding_idx,
        )

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, *args: Any, **kwargs: Any) -> EmbeddingBag:
        """Create a layer with a given table, not trained if `freeze`. Other arguments are those of the class."""
        rows, columns = _sizes_of_table(embeddings)
        module = cls(rows, columns, *args, **{**kwargs, "_weight": embeddings})
        module.weight.requires_grad_(not freeze)
        return module

    def extra_repr(self) -> str:
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{_settings(self)}, mode={self.mode!r}{padding}"


def _check_padding(name: str, padding_idx: int | None, rows: int) -> None:
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise AssertedArgumentError(f"{name} must be within num_embeddings ({rows}), got {padding_idx}")


def _give_weight(module: Any, given: Tensor | None, learnt: bool, device: Any, dtype: Any) -> None:
    """Set the table of `module`: `given`, or a new one."""
    sizes = module.num_embeddings, module.embedding_dim
    if given is None:
        module.weight = Parameter(empty(sizes, device=device, dtype=dtype), requires_grad=learnt)
        module.reset_parameters()
        return
    if tuple(given.shape) != sizes:
        raise ArgumentError(f"Shape of weight does not match num_embeddings and embedding_dim: {list(given.shape)}")
    module.weight = Parameter(given, requires_grad=learnt)


def _sizes_of_table(embeddings: Tensor) -> tuple[int, int]:
    if embeddings.ndim != 2:
        raise AssertedArgumentError(
            f"Embeddings parameter is expected to be 2-dimensional, its shape is {list(embeddings.shape)}"
        )
    rows, columns = embeddings.shape
    return rows, columns


def _settings(module: Any) -> str:
    """Return the settings that differ from the defaults, for the layer's printed form."""
    said = "" if module.max_norm is None else f", max_norm={module.max_norm}"
    said += "" if module.norm_type == 2 else f", norm_type={module.norm_type}"
    return said + (f", scale_grad_by_freq={module.scale_grad_by_freq}" if module.scale_grad_by_freq else "")
