"""Mixed precision, under the names of ``torch.amp``: `autocast` for the CPU, and `GradScaler`."""

from __future__ import annotations

from .autocast import autocast, custom_bwd, custom_fwd, is_autocast_available
from .grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]
