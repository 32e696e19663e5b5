"""Names of types for annotations, as in ``torch.types``."""

from __future__ import annotations

import builtins
import os
from collections.abc import Sequence

from . import backend
from .core.size import Size
from .core.tensor import Tensor

Number = int | float | bool
Device = backend.device | str | int | None
FileLike = str | os.PathLike[str]
_TensorOrTensors = Tensor | Sequence[Tensor]
_size = Size | list[int] | tuple[int, ...]
_int, _float, _bool, _complex = builtins.int, builtins.float, builtins.bool, builtins.complex
_device = backend.device
