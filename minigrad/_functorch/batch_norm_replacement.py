"""Batch norms that run under vmap."""

from __future__ import annotations

from ..func import replace_all_batch_norm_modules_ as replace_all_batch_norm_modules_
