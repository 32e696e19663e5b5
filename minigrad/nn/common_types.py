"""Names of types for annotations, as in ``torch.nn.common_types``."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor

_scalar_or_tuple_any_t = Any
_size_any_t = int | tuple[int, ...]
_size_1_t = int | tuple[int]
_size_2_t = int | tuple[int, int]
_size_3_t = int | tuple[int, int, int]
_size_4_t = int | tuple[int, int, int, int]
_size_5_t = int | tuple[int, int, int, int, int]
_size_6_t = int | tuple[int, int, int, int, int, int]
_ratio_any_t = float | tuple[float, ...]
_ratio_2_t = float | tuple[float, float]
_ratio_3_t = float | tuple[float, float, float]
_maybe_indices_t = Tensor | tuple[Tensor, Tensor]
